/** The operator's draw for one hand-out (D31, D32). */
import { fromHex, toHexDigits } from '../../base/hex.ts'
import { vrfAlpha } from '../../proof/vrf.ts'
import { isSelected } from '../../proof/vrfSelection.ts'
import type { SelectionRange } from '../../proof/vrfSelection.ts'
import { promptHash, vrfProofHash } from '../../proof/job/hashes.ts'
import type { VrfRecord } from '../../proof/job/job.ts'
import type { Dispatch } from '../protocol.ts'
import { vrf } from '../vrf.ts'

export type Draw = {
  readonly isSelected: boolean
  /** In the format of results: hex digits without 0x. */
  readonly record: VrfRecord
  /** The hash of the proof, as in a statement. */
  readonly proofHash: string
}

/** Draws whether this operator is selected for a job. The key has 32 bytes; `range` is that of the session. */
export function drawFor(dispatch: Dispatch, range: SelectionRange, privateKey: Uint8Array): Draw {
  const prompt = fromHex(promptHash(dispatch.job.prompt))
  const alpha = vrfAlpha({
    jobId: fromHex(dispatch.jobId),
    seed: fromHex(dispatch.seed),
    promptHash: prompt,
    ...(dispatch.block !== undefined && { blockHash: fromHex(`0x${dispatch.block.hash}`) }),
  })
  const { proof, beta, publicKey } = vrf.prove(privateKey, alpha)
  const selected = isSelected(beta, range, dispatch.tag, dispatch.position)
  return {
    isSelected: selected,
    record: {
      selected,
      vrf_prompt_hash: toHexDigits(prompt),
      vrf_random_value: toHexDigits(beta),
      vrf_verify_pubkey: toHexDigits(publicKey),
      vrf_proof: toHexDigits(proof),
    },
    proofHash: vrfProofHash(proof),
  }
}
