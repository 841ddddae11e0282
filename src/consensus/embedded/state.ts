/** What the engine knows after a block: the next header is made from it (CometBFT's state.State). */
import { concatBytes, equalBytes, utf8 } from '../../base/bytes.ts'
import { toHexDigits } from '../../base/hex.ts'
import { sha256 } from '../../base/sha256.ts'
import { decodeBlockId, encodeBlockId, NIL_BLOCK_ID } from '../../proof/comet/blockId.ts'
import { resultsHash } from '../../proof/comet/data.ts'
import {
  bytesField,
  messageField,
  parseMessage,
  varintField,
  type Message,
} from '../../proof/comet/protobuf.ts'
import { decodeTimestamp, encodeTimestamp } from '../../proof/comet/time.ts'
import type { BlockId, Header, Validator } from '../../proof/comet/types.ts'
import {
  addressOfPublicKey,
  decodeValidator,
  encodeValidator,
  sortValidators,
} from '../../proof/comet/validators.ts'
import type { ConsensusParams, FinalizeBlockResponse, ValidatorUpdate } from '../application.ts'
import type { Genesis } from '../files/genesis.ts'

export type EngineState = {
  /** Last block; the height before the initial one at genesis. */
  readonly height: number
  readonly lastBlockId: BlockId
  readonly lastBlockTimeNs: bigint
  /** Signs the next height. */
  readonly validators: readonly Validator[]
  /** Signs the height after the next: updates lag by one block. */
  readonly nextValidators: readonly Validator[]
  readonly params: ConsensusParams
  readonly appHash: Uint8Array
  readonly lastResultsHash: Uint8Array
}

/** The application asked for something that an engine of one validator cannot do. */
export class EngineLimitError extends Error {
  override readonly name = 'EngineLimitError'
}

/** The state before the first block. The application's own version counts, as in CometBFT's handshake. */
export function genesisState(
  genesis: Genesis,
  validators: readonly Validator[],
  appHash: Uint8Array,
  appVersion: bigint,
): EngineState {
  return {
    height: genesis.initialHeight - 1,
    lastBlockId: NIL_BLOCK_ID,
    lastBlockTimeNs: genesis.timeNs,
    validators,
    nextValidators: validators,
    params: { ...genesis.params, version: { app: appVersion } },
    appHash,
    lastResultsHash: resultsHash(sha256, []),
  }
}

/** A validator set after updates, in order; power 0 removes. */
export function updateValidators(
  validators: readonly Validator[],
  updates: readonly ValidatorUpdate[],
): readonly Validator[] {
  if (updates.length === 0) return validators
  const byAddress = new Map(validators.map((entry) => [toHexDigits(entry.address), entry]))
  for (const { publicKey, power } of updates) {
    const address = addressOfPublicKey(sha256, publicKey)
    if (power === 0n) byAddress.delete(toHexDigits(address))
    else byAddress.set(toHexDigits(address), { address, publicKey, power, proposerPriority: 0n })
  }
  return sortValidators([...byAddress.values()])
}

/** Whether the set is this validator alone: then its signature decides. */
export function isOnlyValidator(validators: readonly Validator[], own: Uint8Array): boolean {
  const [first, ...others] = validators
  return first !== undefined && others.length === 0 && equalBytes(first.address, own)
}

/** The state after a block. Throws EngineLimitError. */
export function nextState(
  state: EngineState,
  header: Header,
  blockId: BlockId,
  result: FinalizeBlockResponse,
): EngineState {
  const nextValidators = updateValidators(state.nextValidators, result.validatorUpdates)
  if (!isOnlyValidator(nextValidators, header.proposerAddress))
    throw new EngineLimitError(
      'the embedded engine has one validator and its set cannot change: run the cometbft engine for more',
    )
  return {
    height: header.height,
    lastBlockId: blockId,
    lastBlockTimeNs: header.timeNs,
    validators: state.nextValidators,
    nextValidators,
    params: result.consensusParamUpdates ?? state.params,
    appHash: result.appHash,
    lastResultsHash: resultsHash(sha256, result.txResults),
  }
}

/** Record of parameters, in the fields of CometBFT's ConsensusParams; the evidence age is one integer of nanoseconds. */
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

/** Record of a validator set. */
export const encodeValidators = (validators: readonly Validator[]): Uint8Array =>
  encodeSet(1, validators)
export const decodeValidators = (bytes: Uint8Array): readonly Validator[] =>
  decodeSet(1, parseMessage(bytes))

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

/** The app hash, unless it is empty: CometBFT's clients want one from the start. Throws EngineLimitError. */
export function requireAppHash(appHash: Uint8Array): Uint8Array {
  if (appHash.length === 0)
    throw new EngineLimitError('the application answered InitChain without an app hash')
  return appHash
}
