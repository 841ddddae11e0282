/** Messages between a node and its signer (CometBFT v0.38, privval/types.proto). */
import { concatBytes, EMPTY_BYTES } from '../../base/bytes.ts'
import { decodeBlockId, encodeBlockId } from '../../proof/comet/blockId.ts'
import {
  bytesField,
  messageField,
  parseMessage,
  ProtobufError,
  stringField,
  varintField,
  type Message,
} from '../../proof/comet/protobuf.ts'
import type { ConsensusProposal } from '../../proof/comet/proposal.ts'
import { PROPOSAL } from '../../proof/comet/proposal.ts'
import { decodeTimestamp, encodeTimestamp } from '../../proof/comet/time.ts'
import { ZERO_TIME_NS } from '../../proof/comet/types.ts'
import { PRECOMMIT, PREVOTE, type Vote } from '../../proof/comet/vote.ts'

/** A vote as it travels; what is not needed for signing is passed on. */
export type WireVote = Vote & {
  readonly validatorAddress: Uint8Array
  readonly validatorIndex: number
  readonly signature: Uint8Array
  readonly extension: Uint8Array
  readonly extensionSignature: Uint8Array
}

export type WireProposal = ConsensusProposal & { readonly signature: Uint8Array }

export type RemoteError = { readonly code: number; readonly description: string }

/** An answer that has what was asked for, or says why not. */
type Answer<T> = T | { readonly error: RemoteError }

export type PrivvalMessage =
  | { readonly type: 'pubKeyRequest'; readonly chainId: string }
  | {
      readonly type: 'pubKeyResponse'
      /** Ed25519, 32 bytes. */
      readonly answer: Answer<{ readonly publicKey: Uint8Array }>
    }
  | { readonly type: 'signVoteRequest'; readonly vote: WireVote; readonly chainId: string }
  | { readonly type: 'signedVoteResponse'; readonly answer: Answer<{ readonly vote: WireVote }> }
  | {
      readonly type: 'signProposalRequest'
      readonly proposal: WireProposal
      readonly chainId: string
    }
  | {
      readonly type: 'signedProposalResponse'
      readonly answer: Answer<{ readonly proposal: WireProposal }>
    }
  | { readonly type: 'pingRequest' }
  | { readonly type: 'pingResponse' }

const EMPTY_VOTE = concatBytes(
  messageField(4, messageField(2, EMPTY_BYTES)),
  messageField(5, encodeTimestamp(ZERO_TIME_NS)),
)
const EMPTY_PROPOSAL = concatBytes(
  messageField(5, messageField(2, EMPTY_BYTES)),
  messageField(6, encodeTimestamp(ZERO_TIME_NS)),
)

function encodeVote(vote: WireVote): Uint8Array {
  return concatBytes(
    varintField(1, vote.type),
    varintField(2, vote.height),
    varintField(3, vote.round),
    messageField(4, encodeBlockId(vote.blockId)),
    messageField(5, encodeTimestamp(vote.timeNs)),
    bytesField(6, vote.validatorAddress),
    varintField(7, vote.validatorIndex),
    bytesField(8, vote.signature),
    bytesField(9, vote.extension),
    bytesField(10, vote.extensionSignature),
  )
}

function decodeVote(message: Message): WireVote {
  const type = message.number(1)
  if (type !== PREVOTE && type !== PRECOMMIT)
    throw new ProtobufError(`a vote of type ${type} is neither a prevote nor a precommit`)
  return {
    type,
    height: message.number(2),
    round: message.number(3),
    blockId: decodeBlockId(message.message(4)),
    timeNs: decodeTimestamp(message.message(5)),
    validatorAddress: message.bytes(6),
    validatorIndex: message.number(7),
    signature: message.bytes(8),
    extension: message.bytes(9),
    extensionSignature: message.bytes(10),
  }
}

function encodeProposal(proposal: WireProposal): Uint8Array {
  return concatBytes(
    varintField(1, PROPOSAL),
    varintField(2, proposal.height),
    varintField(3, proposal.round),
    varintField(4, proposal.polRound),
    messageField(5, encodeBlockId(proposal.blockId)),
    messageField(6, encodeTimestamp(proposal.timeNs)),
    bytesField(7, proposal.signature),
  )
}

function decodeProposal(message: Message): WireProposal {
  if (message.number(1) !== PROPOSAL) throw new ProtobufError('a proposal has the type of a vote')
  return {
    height: message.number(2),
    round: message.number(3),
    polRound: message.number(4),
    blockId: decodeBlockId(message.message(5)),
    timeNs: decodeTimestamp(message.message(6)),
    signature: message.bytes(7),
  }
}

const encodeError = ({ code, description }: RemoteError) =>
  concatBytes(varintField(1, code), stringField(2, description))

function answerBody<T>(
  answer: Answer<T>,
  empty: Uint8Array,
  encode: (value: T) => Uint8Array,
): Uint8Array {
  return typeof answer === 'object' && answer !== null && 'error' in answer
    ? concatBytes(messageField(1, empty), messageField(2, encodeError(answer.error)))
    : messageField(1, encode(answer))
}

function decodeAnswer<T>(message: Message, decode: (value: Message) => T): Answer<T> {
  if (!message.fields().includes(2)) return decode(message.message(1))
  const error = message.message(2)
  return { error: { code: error.number(1), description: error.text(2) } }
}

function decodePublicKey(message: Message): { publicKey: Uint8Array } {
  const publicKey = Uint8Array.from(message.bytes(1))
  if (publicKey.length !== 32) throw new ProtobufError('the public key is not an Ed25519 key')
  return { publicKey }
}

const FIELDS: Readonly<Record<PrivvalMessage['type'], number>> = {
  pubKeyRequest: 1,
  pubKeyResponse: 2,
  signVoteRequest: 3,
  signedVoteResponse: 4,
  signProposalRequest: 5,
  signedProposalResponse: 6,
  pingRequest: 7,
  pingResponse: 8,
}

function bodyOf(message: PrivvalMessage): Uint8Array {
  switch (message.type) {
    case 'pubKeyRequest':
      return stringField(1, message.chainId)
    case 'pubKeyResponse':
      return answerBody(message.answer, EMPTY_BYTES, ({ publicKey }) => bytesField(1, publicKey))
    case 'signVoteRequest':
      return concatBytes(messageField(1, encodeVote(message.vote)), stringField(2, message.chainId))
    case 'signedVoteResponse':
      return answerBody(message.answer, EMPTY_VOTE, ({ vote }) => encodeVote(vote))
    case 'signProposalRequest':
      return concatBytes(
        messageField(1, encodeProposal(message.proposal)),
        stringField(2, message.chainId),
      )
    case 'signedProposalResponse':
      return answerBody(message.answer, EMPTY_PROPOSAL, ({ proposal }) => encodeProposal(proposal))
    default:
      return EMPTY_BYTES
  }
}

/** Encodes a message. */
export function encodePrivval(message: PrivvalMessage): Uint8Array {
  return messageField(FIELDS[message.type], bodyOf(message))
}

const DECODERS: ReadonlyMap<number, (body: Message) => PrivvalMessage> = new Map<
  number,
  (body: Message) => PrivvalMessage
>([
  [1, (body) => ({ type: 'pubKeyRequest', chainId: body.text(1) })],
  [2, (body) => ({ type: 'pubKeyResponse', answer: decodeAnswer(body, decodePublicKey) })],
  [
    3,
    (body) => ({
      type: 'signVoteRequest',
      vote: decodeVote(body.message(1)),
      chainId: body.text(2),
    }),
  ],
  [
    4,
    (body) => ({
      type: 'signedVoteResponse',
      answer: decodeAnswer(body, (vote) => ({ vote: decodeVote(vote) })),
    }),
  ],
  [
    5,
    (body) => ({
      type: 'signProposalRequest',
      proposal: decodeProposal(body.message(1)),
      chainId: body.text(2),
    }),
  ],
  [
    6,
    (body) => ({
      type: 'signedProposalResponse',
      answer: decodeAnswer(body, (proposal) => ({ proposal: decodeProposal(proposal) })),
    }),
  ],
  [7, () => ({ type: 'pingRequest' })],
  [8, () => ({ type: 'pingResponse' })],
])

/** Decodes a message. Throws ProtobufError. */
export function decodePrivval(bytes: Uint8Array): PrivvalMessage {
  const message = parseMessage(bytes)
  const [field, ...others] = message.fields()
  const decode = field === undefined ? undefined : DECODERS.get(field)
  if (field === undefined || decode === undefined || others.length > 0)
    throw new ProtobufError('not a message of the privval protocol')
  return decode(message.message(field))
}
