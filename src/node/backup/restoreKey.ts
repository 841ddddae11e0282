/**
 * A validator's key in a restored home. A key that signs from an older state than its last signature signs some height
 * twice, so it comes with its sign state, which must not be older than the backup (D109).
 */
import { UserError } from '../../base/errors.ts'
import { writeFileAtomic } from '../../base/files.ts'
import type { Home } from '../../config/home.ts'
import { signStateOf } from '../../consensus/embedded/recover.ts'
import { readPrivateFile } from '../../consensus/files/jsonFile.ts'
import { loadValidatorKey } from '../../consensus/files/keys.ts'
import {
  encodeSignState,
  loadSignState,
  STEP_PRECOMMIT,
  type SignState,
} from '../../consensus/files/signState.ts'
import type { LightBlock } from '../../proof/comet/light/types.ts'
import type { Manifest } from './manifest.ts'

/** priv_validator_key.json of the validator, and what it signed last. */
export type GivenKey = {
  readonly keyFile: string
  /** priv_validator_state.json, or undefined when the caller takes the risk of a second signature. */
  readonly signState: string | undefined
}

/** Throws UserError unless the state fits the backup. */
function requireRecent(file: string, state: SignState, last: number, engine: Manifest['engine']) {
  if (state.height < last - (engine === 'embedded' ? 1 : 0))
    throw new UserError(
      `${file} is at height ${state.height}, the backup at ${last}: the key signed blocks that this file does not know`,
      'Give the sign state that the validator had when it stopped.',
    )
  if (engine === 'embedded' && state.height > last)
    throw new UserError(
      `${file} is at height ${state.height}, the backup at ${last}: the key signed blocks that the backup lacks`,
      'Restore a newer backup. If those blocks are lost for good and nobody has them: --unsafe-sign-again.',
    )
}

function stateOf(
  { signState }: GivenKey,
  chainId: string,
  { commit }: LightBlock,
  engine: Manifest['engine'],
): SignState {
  if (signState !== undefined) {
    const state = loadSignState(signState)
    requireRecent(signState, state, commit.height, engine)
    return state
  }
  if (engine === 'embedded') return signStateOf(chainId, commit)
  const { height, round } = commit
  return { height, round, step: STEP_PRECOMMIT, signed: undefined }
}

/**
 * Checks a key and its sign state against the signed header of a backup. Throws UserError. The result puts both into a
 * home, the state first.
 */
export function checkedKey(
  key: GivenKey,
  chainId: string,
  signed: LightBlock,
  engine: Manifest['engine'],
): (home: Home) => void {
  const state = stateOf(key, chainId, signed, engine)
  loadValidatorKey(key.keyFile)
  const text = readPrivateFile(key.keyFile, 'Give priv_validator_key.json of the validator.')
  return (home) => {
    writeFileAtomic(home.validatorState, encodeSignState(state))
    writeFileAtomic(home.validatorKey, text)
  }
}
