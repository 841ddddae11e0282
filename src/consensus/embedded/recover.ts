/** Startup of the engine: application, block store and sign state must agree (D53). */
import { equalBytes } from '../../base/bytes.ts'
import { UserError } from '../../base/errors.ts'
import type { Commit } from '../../proof/comet/types.ts'
import { PRECOMMIT, voteSignBytes } from '../../proof/comet/vote.ts'
import type { Application, ValidatorUpdate } from '../application.ts'
import type { Genesis } from '../files/genesis.ts'
import { STEP_PRECOMMIT, type SignState } from '../files/signState.ts'
import {
  EngineLimitError,
  genesisState,
  isOnlyValidator,
  requireAppHash,
  updateValidators,
  type EngineState,
} from './state.ts'

function genesisUpdates(genesis: Genesis): readonly ValidatorUpdate[] {
  return genesis.validators.map(({ publicKey, power }) => ({ type: 'ed25519', publicKey, power }))
}

function initialise(application: Application, genesis: Genesis): EngineState {
  const response = application.initChain({
    time: genesis.timeNs,
    chainId: genesis.chainId,
    consensusParams: genesis.params,
    validators: genesisUpdates(genesis),
    appState: genesis.appState,
    initialHeight: genesis.initialHeight,
  })
  // The application may respond with a set of its own; an empty one means that of genesis.
  const updates = response.validators.length > 0 ? response.validators : genesisUpdates(genesis)
  const appHash = requireAppHash(response.appHash)
  if (genesis.appHash.length > 0 && !equalBytes(genesis.appHash, appHash))
    throw new UserError(
      'genesis.json: app_hash does not match app_state',
      'Use the genesis.json of the chain that this home folder belongs to.',
    )
  return genesisState(
    genesis,
    updateValidators([], updates),
    appHash,
    application.info().appVersion,
  )
}

/**
 * The state to continue from: the stored one when the application is at the same height and hash, or a new chain's.
 * Throws UserError when they differ: both are written in one transaction, so files were mixed up.
 */
export function recoverState(
  application: Application,
  genesis: Genesis,
  stored: EngineState | undefined,
): EngineState {
  const info = application.info()
  if (stored === undefined) {
    if (info.lastBlockHeight !== 0)
      throw new UserError(
        `the application is at height ${info.lastBlockHeight}, but the block store is empty`,
        'If this home folder is a node of a network, set consensus.engine to "cometbft"; otherwise restore the whole data folder from one backup.',
      )
    return initialise(application, genesis)
  }
  if (info.lastBlockHeight !== stored.height)
    throw new UserError(
      `the application is at height ${info.lastBlockHeight}, the block store at ${stored.height}`,
      'Restore the whole data folder from one backup.',
    )
  if (!equalBytes(info.lastBlockAppHash, stored.appHash))
    throw new UserError(
      `the application hash after height ${stored.height} does not match the stored one`,
      'The data folder is damaged: restore it from a backup.',
    )
  return stored
}

/** Whether this validator can decide blocks on its own. Throws UserError. */
export function checkValidator(state: EngineState, own: Uint8Array): void {
  if (isOnlyValidator(state.validators, own)) return
  throw new UserError(
    "the embedded engine requires genesis.json to list this home folder's key as the only validator",
    'Use the priv_validator_key.json, or the remote signer, that belongs to this genesis.json.',
  )
}

/** The sign state after a commit. */
export function signStateOf(chainId: string, commit: Commit): SignState {
  const own = commit.signatures[0]
  if (own === undefined) throw new EngineLimitError('the stored commit has no signature')
  const { height, round, blockId } = commit
  const signBytes = voteSignBytes(chainId, {
    type: PRECOMMIT,
    height,
    round,
    blockId,
    timeNs: own.timeNs,
  })
  return { height, round, step: STEP_PRECOMMIT, signed: { signature: own.signature, signBytes } }
}

function isSameSignature(file: SignState, expected: SignState): boolean {
  if (file.height !== expected.height || file.step !== expected.step) return false
  if (file.signed === undefined || expected.signed === undefined) return false
  return equalBytes(file.signed.signBytes, expected.signed.signBytes)
}

/**
 * The sign state that matches the last stored commit, and whether the file must be rewritten. A file one height behind
 * results from a crash between the two writes. One that is ahead is correct when the block that it signed is pending:
 * it was rolled back, and will be decided by that same signature. Any other difference is refused with a UserError.
 */
export function recoverSignState(
  chainId: string,
  file: SignState,
  lastHeight: number,
  seenCommit: Commit | undefined,
  pending?: Commit,
): { readonly state: SignState; readonly isStale: boolean } {
  const found = `priv_validator_state.json is at height ${file.height}, the block store at ${lastHeight}`
  if (pending !== undefined) {
    const state = signStateOf(chainId, pending)
    if (isSameSignature(file, state)) return { state: file, isStale: false }
    if (file.height < pending.height - 1 || file.height > pending.height)
      throw new UserError(
        `${found}, but block ${pending.height} was rolled back`,
        'Restore the sign state that belongs to this data folder.',
      )
    if (file.height < pending.height) return { state, isStale: true }
  }
  if (file.height > lastHeight)
    throw new UserError(
      `${found}: this key signed blocks that are missing here`,
      'The data folder is older than the sign state. Continuing could sign two different blocks at one height: restore the newest data folder.',
    )
  if (seenCommit === undefined) return { state: file, isStale: false }
  const state = signStateOf(chainId, seenCommit)
  if (file.height === lastHeight && file.step === STEP_PRECOMMIT) {
    if (isSameSignature(file, state)) return { state: file, isStale: false }
    throw new UserError(
      `priv_validator_state.json and the block store have different signatures for height ${lastHeight}`,
      'These files come from different runs of one key: restore both from one backup.',
    )
  }
  if (file.height < lastHeight - 1)
    throw new UserError(
      `${found}: it is too old to be trusted`,
      'Restore the sign state that belongs to this data folder.',
    )
  return { state, isStale: true }
}
