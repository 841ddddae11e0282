/** Where things stand in a home folder. CometBFT's file names and places are kept (D22). */
import os from 'node:os'
import path from 'node:path'

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
    validatorState: at('data', 'priv_validator_state.json'),
    keystore: at('keystore'),
    models: at('models'),
    postgres: at('postgres'),
    operators: at('operators'),
    worker: at('worker'),
    dispatcher: at('dispatcher'),
    logs: at('logs'),
    ipc: at('assay.ipc'),
    upFile: at('up.json'),
    secrets: at('config', 'up_secrets.json'),
    upLock: at('up.lock'),
    nodeLock: at('node.lock'),
  } as const
}

/** The default home, ~/.assay. */
export function defaultHome(): string {
  return path.join(os.homedir(), '.assay')
}
