/** The engine's state after a block, from which the next header is made (CometBFT's state.State). */
import { equalBytes } from '../../base/bytes.ts'
import { toHexDigits } from '../../base/hex.ts'
import { sha256 } from '../../base/sha256.ts'
import { NIL_BLOCK_ID } from '../../proof/comet/blockId.ts'
import { resultsHash } from '../../proof/comet/data.ts'
import {
  centrePriorities,
  joiningPriority,
  rotateProposer,
} from '../../proof/comet/proposerPriority.ts'
import type { BlockId, Header, Validator } from '../../proof/comet/types.ts'
import { addressOfPublicKey, sortValidators } from '../../proof/comet/validators.ts'
import type { ConsensusParams, FinalizeBlockResponse, ValidatorUpdate } from '../application.ts'
import type { Genesis } from '../files/genesis.ts'

export type EngineState = {
  /** Last block; at genesis, the height before the initial one. */
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

/** The application requested something that an engine with one validator cannot do. */
export class EngineLimitError extends Error {
  override readonly name = 'EngineLimitError'
}

/** The state before the first block. The application's own version applies, as in CometBFT's handshake. */
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
    validators: passTurn(validators),
    nextValidators: passTurn(passTurn(validators)),
    params: { ...genesis.params, version: { app: appVersion } },
    appHash,
    lastResultsHash: resultsHash(sha256, []),
  }
}

/** A validator set after updates, in order, with CometBFT's priorities; power 0 removes. */
export function updateValidators(
  validators: readonly Validator[],
  updates: readonly ValidatorUpdate[],
): readonly Validator[] {
  if (updates.length === 0) return validators
  const byAddress = new Map(validators.map((entry) => [toHexDigits(entry.address), entry]))
  const removed: string[] = []
  const joined: string[] = []
  for (const { publicKey, power } of updates) {
    const address = addressOfPublicKey(sha256, publicKey)
    const key = toHexDigits(address)
    const known = byAddress.get(key)
    if (power === 0n) removed.push(key)
    else
      byAddress.set(key, {
        address,
        publicKey,
        power,
        proposerPriority: known?.proposerPriority ?? 0n,
      })
    if (known === undefined && power > 0n) joined.push(key)
  }
  // Computed as CometBFT does: with those who join, before others leave.
  const proposerPriority = joiningPriority([...byAddress.values()])
  for (const key of joined) {
    const entry = byAddress.get(key)
    if (entry !== undefined) byAddress.set(key, { ...entry, proposerPriority })
  }
  for (const key of removed) byAddress.delete(key)
  return sortValidators(centrePriorities([...byAddress.values()]))
}

/** The set one height later. A single validator stays the same: it always proposes, at priority 0. */
function passTurn(validators: readonly Validator[]): readonly Validator[] {
  return validators.length === 1 ? validators : rotateProposer(validators, 1).validators
}

/** Whether this validator is the only one in the set: then its signature decides. */
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
  const changed = updateValidators(state.nextValidators, result.validatorUpdates)
  if (!isOnlyValidator(changed, header.proposerAddress))
    throw new EngineLimitError(
      'the embedded engine has one validator: the application cannot change the set',
    )
  return {
    height: header.height,
    lastBlockId: blockId,
    lastBlockTimeNs: header.timeNs,
    validators: state.nextValidators,
    nextValidators: passTurn(changed),
    params: result.consensusParamUpdates ?? state.params,
    appHash: result.appHash,
    lastResultsHash: resultsHash(sha256, result.txResults),
  }
}

/** Requires a non-empty app hash: CometBFT's clients expect one from the start. Throws EngineLimitError. */
export function requireAppHash(appHash: Uint8Array): Uint8Array {
  if (appHash.length === 0)
    throw new EngineLimitError('the application returned no app hash from InitChain')
  return appHash
}
