/** The CometBFT program: where it is, and whether it is the one that this application speaks to. */
import { execFile } from 'node:child_process'
import fs from 'node:fs'
import path from 'node:path'
import { promisify } from 'node:util'
import { codeOf, messageOf, UserError } from '../../base/errors.ts'

/** The version that everything is tested with (D22). */
const REFERENCE_VERSION = '0.38.25'
const SUPPORTED = /^v?0\.38\.\d+/

const ADVICE = [
  `Get it with: go install github.com/cometbft/cometbft/cmd/cometbft@v${REFERENCE_VERSION}`,
  'and put it on the PATH, or name it with --cometbft <path>.',
].join(' ')

/** Runs `cometbft version`. Throws UserError, with what to do, where there is no program or one of another line. */
export async function requireCometbft(binary: string): Promise<string> {
  let version: string
  try {
    version = (await promisify(execFile)(binary, ['version'], { timeout: 20_000 })).stdout.trim()
  } catch (error) {
    throw codeOf(error) === 'ENOENT'
      ? new UserError(`there is no program ${binary}: the engine "cometbft" needs it`, ADVICE)
      : new UserError(`${binary} version: ${messageOf(error)}`, ADVICE)
  }
  if (!SUPPORTED.test(version))
    throw new UserError(`${binary} is CometBFT ${version}; version 0.38 is needed`, ADVICE)
  return version
}

/**
 * Lets CometBFT complete a home with its own `config.toml`: settings from the environment count only for keys that this file
 * names. Genesis and keys are there already and stay. Throws UserError.
 */
export async function completeCometbftHome(binary: string, folder: string): Promise<void> {
  if (fs.existsSync(path.join(folder, 'config', 'config.toml'))) return
  try {
    await promisify(execFile)(binary, ['init', '--home', folder], { timeout: 20_000 })
  } catch (error) {
    throw new UserError(`${binary} init: ${messageOf(error)}`)
  }
}
