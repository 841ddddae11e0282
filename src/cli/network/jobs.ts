/** The homes of a network's dispatcher, operators and worker (D113). */
import fs from 'node:fs'
import path from 'node:path'
import { writeFileAtomic } from '../../base/files.ts'
import { loadOrCreatePrivateKey } from '../../base/privateKey.ts'
import { dispatcherKeys } from '../../config/dispatcher.ts'
import { homePaths, type Home } from '../../config/home.ts'
import { configTemplate } from '../../config/toml.ts'
import { ensureTinyModel } from '../../inference/tinyModel.ts'
import { loadIdentity } from '../../jobs/dispatcher/key.ts'
import { loadPromptKey } from '../../jobs/dispatcher/vault/vault.ts'
import { loadWorkerSecret } from '../../jobs/worker/secret.ts'
import { operatorLines, type OperatorFacts } from '../operatorHome.ts'

export type NewJobHomes = {
  /** Host of each program: % is the name of its home. */
  readonly hosts: string
  /** Where each home will be on its host. */
  readonly at: string
  /** postgres://user@host:port */
  readonly database: string
  readonly chainRpc: string
  readonly consensusRpc: string
}

const PORTS = { http: 8549, operators: 8550, worker: 8551, metrics: 6060 } as const
const KEY_ADVICE = 'Create the homes again, in another folder.'

/** The dispatcher's home in a folder of homes. */
export function dispatcherHome(folder: string): Home {
  return homePaths(path.join(folder, 'dispatcher'))
}

/** Creates the homes and returns their names. */
export function createJobHomes(folder: string, wanted: NewJobHomes): readonly string[] {
  const hostOf = (name: string) => wanted.hosts.replaceAll('%', name)
  const databaseOf = (name: string) => `${wanted.database.replace(/\/+$/, '')}/assay_${name}`
  const dispatcher = dispatcherHome(folder)
  fs.mkdirSync(dispatcher.config, { recursive: true, mode: 0o700 })
  const identity = loadIdentity(dispatcher.dispatcherKey)
  // Replicas share it, so it has to be there before the first of them.
  loadPromptKey(dispatcher.promptKey)
  const settings = {
    'dispatcher.address': `0.0.0.0:${PORTS.http}`,
    'dispatcher.operator-address': `0.0.0.0:${PORTS.operators}`,
    'dispatcher.pg_db_url': databaseOf('dispatcher'),
    'dispatcher.chain-rpc-url': wanted.chainRpc,
    'dispatcher.consensus-rpc-url': wanted.consensusRpc,
    'dispatcher.hosts': [hostOf('dispatcher')],
  }
  // The URL may have a password.
  writeFileAtomic(dispatcher.configFile, configTemplate([dispatcherKeys], settings))

  const worker = homePaths(path.join(folder, 'worker'))
  loadWorkerSecret(worker.workerSecret)
  ensureTinyModel(worker.models)
  for (const type of ['opml', 'tee'] as const)
    createOperatorHome(folder, wanted, {
      type,
      database: databaseOf(type),
      dispatcher: `${hostOf('dispatcher')}:${PORTS.operators}`,
      dispatcherAddress: identity.address,
      chainRpc: wanted.chainRpc,
      metrics: `0.0.0.0:${PORTS.metrics}`,
      ...(type === 'tee' && { worker: `http://${hostOf('worker')}:${PORTS.worker}` }),
    })
  return ['dispatcher', 'opml', 'tee', 'worker']
}

/** The operator reads `operator.toml` of its home. */
function createOperatorHome(folder: string, wanted: NewJobHomes, facts: OperatorFacts): void {
  const home = homePaths(path.join(folder, facts.type))
  const key = loadOrCreatePrivateKey(path.join(home.folder, 'operator.key'), KEY_ADVICE)
  const lines = operatorLines(homePaths(wanted.at), key, facts)
  writeFileAtomic(path.join(home.folder, 'operator.toml'), `${lines.join('\n')}\n`)
  ensureTinyModel(home.models)
  if (facts.worker === undefined) return
  fs.mkdirSync(home.worker, { recursive: true, mode: 0o700 })
  fs.copyFileSync(homePaths(path.join(folder, 'worker')).workerSecret, home.workerSecret)
  fs.chmodSync(home.workerSecret, 0o600)
}
