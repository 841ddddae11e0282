/** The operators that `assay up` runs: their keys, kept in the home, and their configuration files, written at every start. */
import path from 'node:path'
import { writeFileAtomic } from '../base/files.ts'
import { toHex, toHexDigits } from '../base/hex.ts'
import { loadOrCreatePrivateKey } from '../base/privateKey.ts'
import { addressOfPrivateKey } from '../base/secp256k1.ts'
import type { Home } from '../config/home.ts'

export type OperatorFacts = {
  readonly type: 'opml' | 'tee'
  readonly database: string
  /** host:port of the dispatcher's operator listener. */
  readonly dispatcher: string
  readonly dispatcherAddress: string
  readonly chainRpc: string
  /** Address of the running worker; for tee. */
  readonly worker?: string
  /** host:port of its metrics. */
  readonly metrics?: string
}

/** The lines of an operator's configuration file. `home` is where it runs. */
export function operatorLines(
  home: Pick<Home, 'models' | 'workerSecret'>,
  privateKey: Uint8Array,
  facts: OperatorFacts,
): readonly string[] {
  const key = toHexDigits(privateKey)
  const values = {
    pg_db_url: facts.database,
    dispatcher_url: facts.dispatcher,
    dispatcher_address: facts.dispatcherAddress,
    node_id: toHex(addressOfPrivateKey(privateKey)),
    signer_key: key,
    vrf_key: key,
    chain_rpc_url: facts.chainRpc,
    node_type: [facts.type],
    models_dir: home.models,
    ...(facts.metrics !== undefined && { metrics_address: facts.metrics }),
    ...(facts.worker !== undefined && {
      worker_url: facts.worker,
      worker_secret_file: home.workerSecret,
    }),
  }
  return Object.entries(values).map(([name, value]) => `${name} = ${JSON.stringify(value)}`)
}

/** Writes the configuration of one operator (mode 0600) and returns its path. */
export function writeOperatorConfig(home: Home, facts: OperatorFacts): string {
  const privateKey = loadOrCreatePrivateKey(
    path.join(home.operators, `${facts.type}.key`),
    'Restore the key, or remove the file: the operator then starts with a new address.',
  )
  const file = path.join(home.operators, `${facts.type}.toml`)
  const lines = operatorLines(home, privateKey, facts)
  writeFileAtomic(file, `# Written by assay up on every start.\n${lines.join('\n')}\n`)
  return file
}
