/** Whether the operator was drawn: proof, value, selection range, and clocks (D28, D31, D32). */
import { equalBytes } from '../../base/bytes.ts'
import { fromHex, tryFromAnyHex } from '../../base/hex.ts'
import { vrfProofHash } from '../job/hashes.ts'
import { addressOfCompressedKey } from '../job/recover.ts'
import { countOf, includesClock } from '../job/vectorClock.ts'
import { verifyVrf, vrfAlpha } from '../vrf.ts'
import { drawnValue, isSelected } from '../vrfSelection.ts'
import type { BundleAnswer } from './format.ts'
import type { Findings } from './report.ts'

/** The draw. Throws SyntaxError or RangeError on values that are not hashes. */
export function checkDraw(findings: Findings, { receipt, statement, vrf }: BundleAnswer): void {
  const proof = tryFromAnyHex(vrf.vrf_proof) ?? new Uint8Array(0)
  const publicKey = tryFromAnyHex(vrf.vrf_verify_pubkey) ?? new Uint8Array(0)
  const isOwn = findings.check(
    addressOfCompressedKey(publicKey) === receipt.operator,
    "the draw was made with the operator's signing key",
    "the draw was not made with the operator's key",
  )
  const isBound = findings.check(
    vrfProofHash(proof) === statement.vrfProofHash &&
      `0x${vrf.vrf_prompt_hash}` === statement.promptHash,
    'the draw is the one named by the statement, for its prompt',
    'the draw is not the one named by the statement',
  )
  const alpha = vrfAlpha({
    jobId: fromHex(receipt.jobId),
    seed: fromHex(receipt.seed),
    promptHash: fromHex(statement.promptHash),
    ...(receipt.drawBlock > 0 && { blockHash: fromHex(receipt.drawBlockHash) }),
  })
  const beta = isOwn && isBound ? verifyVrf(publicKey, alpha, proof) : undefined
  const block = receipt.drawBlock > 0 ? ` and block ${receipt.drawBlock}` : ''
  findings.check(
    beta !== undefined &&
      equalBytes(beta, tryFromAnyHex(vrf.vrf_random_value) ?? new Uint8Array(0)),
    `the VRF proof is valid for job, seed, prompt${block}`,
    'the VRF proof is invalid for job, seed, prompt and block, or proves another value',
  )
  if (beta !== undefined) checkSelection(findings, { receipt, vrf }, beta)
}

function checkSelection(
  findings: Findings,
  { receipt, vrf }: Pick<BundleAnswer, 'receipt' | 'vrf'>,
  beta: Uint8Array,
): void {
  const range = { start: receipt.rangeStart, end: receipt.rangeEnd, max: receipt.rangeMax }
  const isDrawn = isSelected(beta, range, receipt.tag, receipt.position)
  const review = receipt.tag === '' ? '' : `, widened by ${receipt.tag} (${receipt.position})`
  findings.check(
    isDrawn && vrf.selected,
    `the drawn value, ${drawnValue(beta, range.max)} of ${range.max}, is in the range of the operator, ${range.start} to ${range.end}${review}`,
    'the drawn value is not in the range of the operator, or the record says that it was not selected',
  )
}

/** The clocks: the returned clock includes the dispatched one, and counts the operator's own event. */
export function checkClocks(findings: Findings, { receipt, jobClock, clock }: BundleAnswer): void {
  const { operator } = receipt
  findings.check(
    includesClock(clock, jobClock) && countOf(clock, operator) > countOf(jobClock, operator),
    "the answer's vector clock includes all that the job had seen, and the operator's own event",
    'the vector clocks are not in causal order',
  )
}
