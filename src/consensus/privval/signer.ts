/**
 * Holds the key of a validator and answers a node's requests for signatures, with a sign state of its own: whatever
 * nodes ask, never two different signatures for one height, round and step (D98).
 */
import { isNilBlockId } from '../../proof/comet/blockId.ts'
import { extensionSignBytes, proposalSignBytes } from '../../proof/comet/proposal.ts'
import { PRECOMMIT, voteSignBytes } from '../../proof/comet/vote.ts'
import { STEP_PRECOMMIT, type SignState } from '../files/signState.ts'
import type { ValidatorKey } from '../files/keys.ts'
import type { PrivvalMessage, RemoteError, WireProposal, WireVote } from './messages.ts'
import { earlierSignature, SignRefusedError, type Signed, type SignWish } from './signRules.ts'

const STEP_PROPOSAL = 1
const STEP_PREVOTE = 2

/** Code of every refusal, as CometBFT's own signer has it. */
const REFUSED = 0

export type SignerOptions = {
  readonly key: ValidatorKey
  readonly chainId: string
  /** What was signed last. */
  readonly state: SignState
  /** Makes a state durable. When it returns, the state survives a power failure; throws otherwise. */
  readonly keep: (state: SignState) => void
  /** Called for every request that is refused. */
  readonly onRefused: (reason: string) => void
}

export type Signer = {
  /** The answer to a request; undefined for what is not one. Throws what `keep` throws: nothing is signed then. */
  answer(request: PrivvalMessage): PrivvalMessage | undefined
}

/** Creates a signer. */
export function createSigner(options: SignerOptions): Signer {
  const { key, chainId, keep, onRefused } = options
  let { state } = options

  function sign(wish: SignWish, timeNs: bigint): Signed {
    const earlier = earlierSignature(state, wish)
    if (earlier !== undefined) return earlier
    const signBytes = wish.signBytes(timeNs)
    const signature = key.signer.sign(signBytes)
    const { height, round, step } = wish
    const next = { height, round, step, signed: { signature, signBytes } }
    keep(next)
    state = next
    return { signature, timeNs }
  }

  function signVote(vote: WireVote): WireVote {
    const isPrecommit = vote.type === PRECOMMIT
    const step = isPrecommit ? STEP_PRECOMMIT : STEP_PREVOTE
    const { height, round } = vote
    const signBytes = (timeNs: bigint) => voteSignBytes(chainId, { ...vote, timeNs })
    const signed = sign({ height, round, step, timeField: 5, signBytes }, vote.timeNs)
    // CometBFT drops it where the chain has no extensions.
    const extensionSignature =
      isPrecommit && !isNilBlockId(vote.blockId)
        ? key.signer.sign(extensionSignBytes(chainId, vote))
        : vote.extensionSignature
    return { ...vote, ...signed, extensionSignature }
  }

  function signProposal(proposal: WireProposal): WireProposal {
    const { height, round } = proposal
    const signBytes = (timeNs: bigint) => proposalSignBytes(chainId, { ...proposal, timeNs })
    const wish = { height, round, step: STEP_PROPOSAL, timeField: 6, signBytes }
    return { ...proposal, ...sign(wish, proposal.timeNs) }
  }

  /** The signed thing, or the reason for which it is refused. */
  function attempt<T>(wanted: string, action: () => T): T | { readonly error: RemoteError } {
    try {
      if (wanted !== chainId)
        throw new SignRefusedError(`this signer signs for chain ${chainId}, not for ${wanted}`)
      return action()
    } catch (error) {
      if (!(error instanceof SignRefusedError)) throw error
      onRefused(error.message)
      return { error: { code: REFUSED, description: error.message } }
    }
  }

  return {
    answer(request) {
      switch (request.type) {
        case 'pingRequest':
          return { type: 'pingResponse' }
        case 'pubKeyRequest':
          return {
            type: 'pubKeyResponse',
            answer: attempt(request.chainId, () => ({ publicKey: key.signer.publicKey })),
          }
        case 'signVoteRequest':
          return {
            type: 'signedVoteResponse',
            answer: attempt(request.chainId, () => ({ vote: signVote(request.vote) })),
          }
        case 'signProposalRequest':
          return {
            type: 'signedProposalResponse',
            answer: attempt(request.chainId, () => ({ proposal: signProposal(request.proposal) })),
          }
        default:
          return undefined
      }
    },
  }
}
