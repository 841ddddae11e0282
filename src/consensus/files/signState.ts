/** priv_validator_state.json of CometBFT: the last thing this validator signed, so that it never signs twice (D22, D53). */
import { z } from 'zod'
import { toBase64 } from '../../base/base64.ts'
import { UserError } from '../../base/errors.ts'
import { writeFileAtomic } from '../../base/files.ts'
import { toUpperHexDigits } from '../../base/hex.ts'
import { base64, heightText, hexDigits } from '../../proof/comet/json/scalars.ts'
import { parseJsonFile, readTextFile } from './jsonFile.ts'

/** Step of a precommit; a proposal is 1, a prevote 2. */
export const STEP_PRECOMMIT = 3

export type SignState = {
  readonly height: number
  readonly round: number
  readonly step: number
  /** The last signature and the bytes under it; undefined before the first. */
  readonly signed: { readonly signature: Uint8Array; readonly signBytes: Uint8Array } | undefined
}

/** Nothing has been signed yet. */
export const NO_SIGN_STATE: SignState = { height: 0, round: 0, step: 0, signed: undefined }

const stateFile = z.object({
  height: heightText,
  round: z.int().min(0),
  step: z.int().min(0).max(STEP_PRECOMMIT, 'expected a step from 0 to 3'),
  signature: base64.optional(),
  signbytes: hexDigits.optional(),
})

/** The content of the file. */
export function encodeSignState(state: SignState): string {
  const json = {
    height: String(state.height),
    round: state.round,
    step: state.step,
    ...(state.signed && {
      signature: toBase64(state.signed.signature),
      signbytes: toUpperHexDigits(state.signed.signBytes),
    }),
  }
  return `${JSON.stringify(json, undefined, 2)}\n`
}

/** Replaces the file atomically, mode 0600. When this returns, the state survives a power failure. */
export function writeSignState(file: string, state: SignState): void {
  writeFileAtomic(file, encodeSignState(state))
}

/** Reads the file. Throws UserError when it is missing: a validator without it could sign twice. */
export function loadSignState(file: string): SignState {
  const text = readTextFile(
    file,
    'Restore it together with the data folder; a validator without it could sign twice.',
  )
  const json = parseJsonFile(file, text, stateFile)
  const { signature, signbytes } = json
  const signed =
    signature === undefined || signbytes === undefined
      ? undefined
      : { signature, signBytes: signbytes }
  return { height: json.height, round: json.round, step: json.step, signed }
}

/** Throws UserError when blocks were signed and their store is gone: a new one would sign the same heights again. */
export function requireStore(file: string, hasStore: boolean): void {
  if (hasStore) return
  const { height } = loadSignState(file)
  if (height === 0) return
  throw new UserError(
    `priv_validator_state.json is at height ${height}, and there is no block store: this key signed blocks that are missing here`,
    'Restore the data folder. Continuing without it could sign two different blocks at one height.',
  )
}
