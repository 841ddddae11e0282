/** The CometBFT binary: where it is, and whether its version is one that this application supports. */
import { execFile } from 'node:child_process'
import fs from 'node:fs'
import path from 'node:path'
import { promisify } from 'node:util'
import { codeOf, messageOf, UserError } from '../../base/errors.ts'
import { writeFileAtomic } from '../../base/files.ts'
import { moduleVersion } from './moduleVersion.ts'

/** The version used in all tests (D22). */
const REFERENCE_VERSION = '0.38.25'
/** Release lines that speak ABCI 2.0 of 0.38 (D68). */
const SUPPORTED = /^v?0\.(?:38|39|40)\.\d+/
/**
 * Those whose application mempool reaches applications over a socket. That of 0.39 ends its own process: it takes the
 * answers to InsertTx and ReapTxs for unexpected ones.
 */
const WITH_APP_MEMPOOL = /^v?0\.40\.\d+/

/** What 0.40.0 prints as its version, and 0.39.0 to 0.39.3 as well. */
const AMBIGUOUS = '0.39.0'

/** Whether a version of CometBFT works with this application. */
export const isSupported = (version: string): boolean => SUPPORTED.test(version)

/** Whether the pool of a version can be the application's (D99). */
export const hasAppMempool = (version: string): boolean => WITH_APP_MEMPOOL.test(version)

const ADVICE = [
  `Install it with: go install github.com/cometbft/cometbft/cmd/cometbft@v${REFERENCE_VERSION}`,
  'and put it on the PATH, or pass --cometbft <path>.',
].join(' ')

/** Runs `cometbft version`. Throws UserError, with advice, when the binary is missing or of another release line. */
export async function requireCometbft(binary: string): Promise<string> {
  let version: string
  try {
    version = (await promisify(execFile)(binary, ['version'], { timeout: 20_000 })).stdout.trim()
  } catch (error) {
    throw codeOf(error) === 'ENOENT'
      ? new UserError(`${binary} not found: the engine "cometbft" requires it`, ADVICE)
      : new UserError(`${binary} version: ${messageOf(error)}`, ADVICE)
  }
  if (!isSupported(version))
    throw new UserError(
      `${binary} is CometBFT ${version}; version 0.38, 0.39 or 0.40 is required`,
      ADVICE,
    )
  return version === AMBIGUOUS ? ((await moduleVersion(binary)) ?? version) : version
}

/** The line of the index in a new config.toml, as `cometbft init` writes it. */
const INDEXER = /^indexer = "kv"$/m

/**
 * Lets CometBFT complete a home with its own `config.toml`: settings from the environment apply only to keys that this
 * file contains. Genesis and keys exist already and are kept. A new file has CometBFT's index of transactions on or off;
 * an existing one keeps what it says (D97). Throws UserError.
 */
export async function completeCometbftHome(
  binary: string,
  folder: string,
  isIndexed: boolean,
): Promise<void> {
  const file = path.join(folder, 'config', 'config.toml')
  if (fs.existsSync(file)) return
  try {
    await promisify(execFile)(binary, ['init', '--home', folder], { timeout: 20_000 })
  } catch (error) {
    throw new UserError(`${binary} init: ${messageOf(error)}`)
  }
  if (isIndexed) return
  const text = fs.readFileSync(file, 'utf8')
  writeFileAtomic(file, text.replace(INDEXER, 'indexer = "null"'), 0o644)
}
