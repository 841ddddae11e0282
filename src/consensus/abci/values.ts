/**
 * Values that several ABCI messages contain, in protobuf encoding (CometBFT v0.38, abci/types.proto and
 * types/params.proto).
 */
import { concatAll, concatBytes, utf8 } from '../../base/bytes.ts'
import {
  bytesField,
  messageField,
  parseMessage,
  ProtobufError,
  stringField,
  varintField,
  type Message,
} from '../../proof/comet/protobuf.ts'
import { decodeTimestamp } from '../../proof/comet/time.ts'
import type {
  CommitInfo,
  ConsensusParams,
  ExecTxResult,
  Misbehavior,
  ValidatorUpdate,
  VoteInfo,
} from '../application.ts'
import { encodeEvents } from './eventBytes.ts'

const NANOS = 1_000_000_000n

/** ConsensusParams. */
export function encodeConsensusParams(params: ConsensusParams): Uint8Array {
  const { block, evidence, validator, version, abci } = params
  const age = evidence.maxAgeDurationNs
  const duration = concatBytes(varintField(1, age / NANOS), varintField(2, age % NANOS))
  return concatAll([
    messageField(1, concatBytes(varintField(1, block.maxBytes), varintField(2, block.maxGas))),
    messageField(
      2,
      concatBytes(
        varintField(1, evidence.maxAgeNumBlocks),
        messageField(2, duration),
        varintField(3, evidence.maxBytes),
      ),
    ),
    messageField(3, concatAll(validator.publicKeyTypes.map((type) => messageField(1, utf8(type))))),
    messageField(4, varintField(1, version.app)),
    messageField(5, varintField(1, abci.voteExtensionsEnableHeight)),
  ])
}

/** Throws ProtobufError. */
export function decodeConsensusParams(message: Message): ConsensusParams {
  const [block, evidence] = [message.message(1), message.message(2)]
  const duration = evidence.message(2)
  return {
    block: { maxBytes: block.int(1), maxGas: block.int(2) },
    evidence: {
      maxAgeNumBlocks: evidence.int(1),
      maxAgeDurationNs: duration.int(1) * NANOS + duration.int(2),
      maxBytes: evidence.int(3),
    },
    validator: {
      publicKeyTypes: message
        .message(3)
        .all(1)
        .map((type) => new TextDecoder().decode(type)),
    },
    version: { app: message.message(4).uint(1) },
    abci: { voteExtensionsEnableHeight: message.message(5).int(1) },
  }
}

/** ValidatorUpdate with an ed25519 key. */
export function encodeValidatorUpdate({ publicKey, power }: ValidatorUpdate): Uint8Array {
  return concatBytes(messageField(1, bytesField(1, publicKey)), varintField(2, power))
}

/** Throws ProtobufError, also for another key type. */
export function decodeValidatorUpdate(message: Message): ValidatorUpdate {
  const publicKey = message.message(1).bytes(1)
  if (publicKey.length !== 32) throw new ProtobufError('a validator has no ed25519 key')
  return { type: 'ed25519', publicKey, power: message.int(2) }
}

function decodeVote(message: Message, flagField: number): VoteInfo {
  const flag = message.number(flagField)
  if (flag !== 1 && flag !== 2 && flag !== 3)
    throw new ProtobufError(`block id flag ${flag} is unknown`)
  const validator = message.message(1)
  return { validatorAddress: validator.bytes(1), power: validator.int(3), blockIdFlag: flag }
}

/** CommitInfo, or ExtendedCommitInfo, whose votes have their flag in field 5. Throws ProtobufError. */
export function decodeCommitInfo(message: Message, flagField: 3 | 5): CommitInfo {
  return {
    round: message.number(1),
    votes: message.all(2).map((bytes) => decodeVote(parseMessage(bytes), flagField)),
  }
}

/** Throws ProtobufError, also for an unknown kind. */
export function decodeMisbehavior(message: Message): Misbehavior {
  const type = message.number(1)
  if (type !== 1 && type !== 2) throw new ProtobufError(`misbehavior of type ${type} is unknown`)
  const validator = message.message(2)
  return {
    type: type === 1 ? 'duplicate-vote' : 'light-client-attack',
    validatorAddress: validator.bytes(1),
    validatorPower: validator.int(3),
    height: message.number(3),
    time: decodeTimestamp(message.message(4)),
    totalVotingPower: message.int(5),
  }
}

/** ExecTxResult. */
export function encodeExecTxResult(result: ExecTxResult): Uint8Array {
  return concatAll([
    varintField(1, result.code),
    bytesField(2, result.data),
    stringField(3, result.log),
    stringField(4, result.info),
    varintField(5, result.gasWanted),
    varintField(6, result.gasUsed),
    encodeEvents(7, result.events),
    stringField(8, result.codespace),
  ])
}
