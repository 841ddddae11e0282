/** The one signature of the embedded engine: a precommit for a block that nobody else votes on. */
import { voteSignBytes, type PRECOMMIT, type Vote } from '../../proof/comet/vote.ts'
import { STEP_PRECOMMIT, type SignState } from '../files/signState.ts'
import type { ValidatorKey } from '../files/keys.ts'
import { earlierSignature, type Signed } from '../privval/signRules.ts'

/** Signs for the validator of this node: with a key in this process, or at a signer elsewhere. */
export type BlockSigner = {
  readonly publicKey: Uint8Array
  /** 20 bytes. */
  readonly address: Uint8Array
  /** Whether a signature is recorded elsewhere, and so outlives a crash of this process. */
  readonly isRemote: boolean
  /** Signs a vote. The time of the signature may be that of an earlier one over the same block. */
  sign(vote: Vote): Promise<Signed>
}

/** A signed vote: its time may be that of an earlier vote that was otherwise identical. */
export type SignedVote = Signed & {
  /** What must be on disk before the signature leaves the process. */
  readonly state: SignState
}

/** Signs with a key of the home. */
export function localSigner({ signer, address }: ValidatorKey, chainId: string): BlockSigner {
  return {
    publicKey: signer.publicKey,
    address,
    isRemote: false,
    sign: async (vote) => ({
      signature: signer.sign(voteSignBytes(chainId, vote)),
      timeNs: vote.timeNs,
    }),
  }
}

/** Signs a precommit, or returns the signature it already has. Rejects with DoubleSignError. Writes nothing. */
export async function signPrecommit(
  signer: Pick<BlockSigner, 'sign'>,
  chainId: string,
  state: SignState,
  vote: Vote & { readonly type: typeof PRECOMMIT },
): Promise<SignedVote> {
  const { height, round } = vote
  const signBytes = (timeNs: bigint) => voteSignBytes(chainId, { ...vote, timeNs })
  const earlier = earlierSignature(state, {
    height,
    round,
    step: STEP_PRECOMMIT,
    timeField: 5,
    signBytes,
  })
  if (earlier !== undefined) return { ...earlier, state }
  const { signature, timeNs } = await signer.sign(vote)
  const signed = { signature, signBytes: signBytes(timeNs) }
  return { signature, timeNs, state: { height, round, step: STEP_PRECOMMIT, signed } }
}
