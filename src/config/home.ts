/** Paths in a home folder. CometBFT's file names and locations are kept (D22). */
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { utf8 } from '../base/bytes.ts'
import { UserError } from '../base/errors.ts'
import { toHexDigits } from '../base/hex.ts'
import { MAX_SOCKET_PATH_BYTES } from '../base/listen.ts'
import { sha256 } from '../base/sha256.ts'

export type Home = ReturnType<typeof homePaths>

/** All paths of a home. */
export function homePaths(folder: string) {
  const at = (...parts: string[]) => path.join(folder, ...parts)
  return {
    folder,
    config: at('config'),
    configFile: at('config', 'assay.toml'),
    genesis: at('config', 'genesis.json'),
    validatorKey: at('config', 'priv_validator_key.json'),
    nodeKey: at('config', 'node_key.json'),
    rewardKey: at('config', 'reward_key.hex'),
    jwtSecret: at('config', 'jwt.hex'),
    data: at('data'),
    chainStore: at('data', 'chain'),
    snapshots: at('data', 'snapshots'),
    poolJournal: at('data', 'pool.journal'),
    lastBackup: at('data', 'last_backup.json'),
    validatorState: at('data', 'priv_validator_state.json'),
    keystore: at('keystore'),
    models: at('models'),
    postgres: at('postgres'),
    operators: at('operators'),
    worker: at('worker'),
    workerSecret: at('worker', 'secret'),
    dispatcherKey: at('dispatcher', 'key.hex'),
    promptKey: at('dispatcher', 'prompt_key.hex'),
    anchorKey: at('dispatcher', 'anchor_key.hex'),
    logs: at('logs'),
    ipc: socketPath(folder, 'assay.ipc'),
    abciSocket: socketPath(folder, 'abci.sock'),
    cometbftPid: at('data', 'cometbft.pid'),
    cometbftLock: at('data', 'cometbft.lock'),
    upFile: at('up.json'),
    secrets: at('config', 'up_secrets.json'),
    upLock: at('up.lock'),
    nodeLock: at('node.lock'),
  } as const
}

/** Throws UserError for a folder that `assay up` has not made a home, such as a mistyped one. */
export function requireHome({ folder, genesis }: Home): void {
  if (!fs.existsSync(genesis))
    throw new UserError(
      `${folder} is not a home folder yet: it has no genesis.json`,
      'Run assay up once to create one, or correct --home.',
    )
}

/** A socket in the home, or, if the home's path is too long for one, in the temporary folder, named after the home. */
function socketPath(folder: string, file: string): string {
  const inside = path.join(folder, file)
  if (Buffer.byteLength(inside) <= MAX_SOCKET_PATH_BYTES) return inside
  const name = toHexDigits(sha256(utf8(folder))).slice(0, 16)
  const { name: stem, ext } = path.parse(file)
  return path.join(os.tmpdir(), `${stem}-${name}${ext}`)
}
