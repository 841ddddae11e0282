/** The stored encoding of the engine's state, parameters and validator sets, as protobuf records. */
import { concatBytes, utf8 } from '../../base/bytes.ts'
import { decodeBlockId, encodeBlockId } from '../../proof/comet/blockId.ts'
import {
  bytesField,
  messageField,
  parseMessage,
  varintField,
  type Message,
} from '../../proof/comet/protobuf.ts'
import { decodeTimestamp, encodeTimestamp } from '../../proof/comet/time.ts'
import type { Validator } from '../../proof/comet/types.ts'
import { decodeValidator, encodeValidator } from '../../proof/comet/validators.ts'
import type { ConsensusParams } from '../application.ts'
import type { EngineState } from './state.ts'

/** Encodes parameters, in the fields of CometBFT's ConsensusParams; the evidence age is one integer of nanoseconds. */
export function encodeParams(params: ConsensusParams): Uint8Array {
  const { block, evidence, validator, version, abci } = params
  return concatBytes(
    messageField(1, concatBytes(varintField(1, block.maxBytes), varintField(2, block.maxGas))),
    messageField(
      2,
      concatBytes(
        varintField(1, evidence.maxAgeNumBlocks),
        varintField(2, evidence.maxAgeDurationNs),
        varintField(3, evidence.maxBytes),
      ),
    ),
    messageField(
      3,
      concatBytes(...validator.publicKeyTypes.map((type) => messageField(1, utf8(type)))),
    ),
    messageField(4, varintField(1, version.app)),
    messageField(5, varintField(1, abci.voteExtensionsEnableHeight)),
  )
}

/** Decodes the parameters of a parsed record. Throws ProtobufError. */
export function decodeParams(message: Message): ConsensusParams {
  const [block, evidence] = [message.message(1), message.message(2)]
  const types = message.message(3).all(1)
  return {
    block: { maxBytes: block.int(1), maxGas: block.int(2) },
    evidence: {
      maxAgeNumBlocks: evidence.int(1),
      maxAgeDurationNs: evidence.int(2),
      maxBytes: evidence.int(3),
    },
    validator: { publicKeyTypes: types.map((type) => new TextDecoder().decode(type)) },
    version: { app: message.message(4).uint(1) },
    abci: { voteExtensionsEnableHeight: message.message(5).int(1) },
  }
}

const encodeSet = (field: number, validators: readonly Validator[]) =>
  concatBytes(...validators.map((validator) => messageField(field, encodeValidator(validator))))
const decodeSet = (field: number, message: Message) =>
  message.all(field).map((bytes) => decodeValidator(parseMessage(bytes)))

/** Encodes a validator set. */
export const encodeValidators = (validators: readonly Validator[]): Uint8Array =>
  encodeSet(1, validators)
/** Decodes a validator set. Throws ProtobufError. */
export const decodeValidators = (bytes: Uint8Array): readonly Validator[] =>
  decodeSet(1, parseMessage(bytes))

/** Encodes a state. */
export function encodeState(state: EngineState): Uint8Array {
  return concatBytes(
    varintField(1, state.height),
    messageField(2, encodeBlockId(state.lastBlockId)),
    messageField(3, encodeTimestamp(state.lastBlockTimeNs)),
    encodeSet(4, state.validators),
    encodeSet(5, state.nextValidators),
    messageField(6, encodeParams(state.params)),
    bytesField(7, state.appHash),
    bytesField(8, state.lastResultsHash),
  )
}

/** Decodes a state. Throws ProtobufError. */
export function decodeState(bytes: Uint8Array): EngineState {
  const message = parseMessage(bytes)
  return {
    height: message.number(1),
    lastBlockId: decodeBlockId(message.message(2)),
    lastBlockTimeNs: decodeTimestamp(message.message(3)),
    validators: decodeSet(4, message),
    nextValidators: decodeSet(5, message),
    params: decodeParams(message.message(6)),
    appHash: message.bytes(7),
    lastResultsHash: message.bytes(8),
  }
}
