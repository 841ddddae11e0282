/** The whole network as processes: replicas of the dispatcher behind a load balancer, operators, workers, one PostgreSQL. */
import { createHash } from 'node:crypto'
import fs from 'node:fs'
import path from 'node:path'
import { pino } from 'pino'
import { toHex, toHexDigits } from '../../../src/base/hex.ts'
import { addressOfPrivateKey } from '../../../src/base/secp256k1.ts'
import { ensureTinyModel } from '../../../src/inference/tinyModel.ts'
import { createProject, setAgreement } from '../../../src/jobs/dispatcher/access/projects.ts'
import { openDispatcherSql } from '../../../src/jobs/dispatcher/dispatcher.ts'
import { loadIdentity } from '../../../src/jobs/dispatcher/key.ts'
import type { DispatcherSql } from '../../../src/jobs/dispatcher/tables.ts'
import { homePaths } from '../../../src/config/home.ts'
import { startTestPostgres } from '../../support/dispatcher.ts'
import { startBalancer, type Balancer } from './balancer.ts'
import { startProgram, type Program } from './program.ts'

export type Project = {
  readonly project: string
  readonly token: string
  /** How many operators must give the same answer to a job. */
  readonly agree: number
}

export type OperatorProgram = Program & { readonly address: string }

export type System = {
  readonly replicas: readonly Program[]
  readonly operators: readonly OperatorProgram[]
  readonly projects: readonly Project[]
  readonly hasWorkers: boolean
  /** Where clients connect, and where operators do. */
  readonly api: Balancer
  readonly sockets: Balancer
  /** The database, to look into; it has connections of its own. */
  readonly store: DispatcherSql
  /** Where the database server listens. */
  readonly databasePort: string
  readonly leaseMs: number
  end(): Promise<void>
}

export type SystemOptions = {
  readonly replicas: number
  readonly operators: number
  /** How many of the operators take tee jobs too, each with a worker of its own. */
  readonly workers: number
  readonly leaseMs: number
  /** How many of how many operators must agree about the jobs of each project; undefined asks everyone and takes any. */
  readonly agreements: readonly ({ readonly k: number; readonly n: number } | undefined)[]
}

const DATABASE = 'chaos'
/** Faults are no reason to give a job up. */
const MAX_ATTEMPTS = 100
/** Nor is the length of the run. */
const JOB_DEADLINE = '12h'

/** Starts everything and waits until every operator is logged in. */
export async function startSystem(options: SystemOptions): Promise<System> {
  const postgres = await startTestPostgres()
  const home = homePaths(path.join(postgres.folder, 'home'))
  fs.mkdirSync(home.models, { recursive: true })
  ensureTinyModel(home.models)
  const store = await openDispatcherSql(postgres.url(DATABASE), pino({ level: 'silent' }))
  const projects = await createProjects(store, options.agreements)
  const logFile = (name: string): string => path.join(postgres.folder, `${name}.log`)

  const replicas = numbered(options.replicas).map((at) =>
    startProgram({
      name: `replica ${at}`,
      args: [
        'dispatcher',
        `--home=${home.folder}`,
        '--dispatcher.address=127.0.0.1:0',
        '--dispatcher.operator-address=127.0.0.1:0',
        `--dispatcher.lease=${options.leaseMs}ms`,
        `--dispatcher.max-attempts=${MAX_ATTEMPTS}`,
        `--dispatcher.job-deadline=${JOB_DEADLINE}`,
        '--dispatcher.project-jobs-per-minute=0',
        '--dispatcher.token-jobs-per-minute=0',
      ],
      environment: { ASSAY_DISPATCHER_PG_DB_URL: postgres.url(DATABASE) },
      logFile: logFile(`replica-${at}`),
    }),
  )
  await Promise.all(replicas.map((replica) => replica.ready()))
  const present = (key: string) => () =>
    replicas.flatMap(({ details }) => (details?.[key] === undefined ? [] : [details[key]]))
  const api = await startBalancer(present('httpAddress'))
  const sockets = await startBalancer(present('operatorAddress'))

  const dispatcherAddress = loadIdentity(home.dispatcherKey).address
  const operators = numbered(options.operators).map((at): OperatorProgram => {
    const privateKey = createHash('sha256').update(`operator ${at}`).digest()
    const address = toHex(addressOfPrivateKey(privateKey))
    const key = toHexDigits(privateKey)
    const values = {
      pg_db_url: postgres.url(`operator_${at}`),
      dispatcher_url: sockets.address,
      dispatcher_address: dispatcherAddress,
      node_id: address,
      signer_key: key,
      vrf_key: key,
      // No chain is needed here, and one that does not answer holds nothing up.
      chain_rpc_url: 'http://127.0.0.1:9',
      node_type: at <= options.workers ? ['opml', 'tee'] : ['opml'],
      models_dir: home.models,
      worker_dir: path.join(postgres.folder, `worker-${at}`),
      log_level: 'debug',
    }
    const config = path.join(postgres.folder, `operator-${at}.toml`)
    const lines = Object.entries(values).map(
      ([name, value]) => `${name} = ${JSON.stringify(value)}`,
    )
    fs.writeFileSync(config, lines.join('\n'), { mode: 0o600 })
    const name = `operator-${at}`
    const args = ['operator', '-c', config]
    const program = startProgram({ name, args, logFile: logFile(name) })
    return Object.assign(program, { address })
  })
  await Promise.all(operators.map((operator) => operator.ready()))

  return {
    replicas,
    operators,
    projects,
    hasWorkers: options.workers > 0,
    api,
    sockets,
    store,
    databasePort: new URL(postgres.url(DATABASE)).port,
    leaseMs: options.leaseMs,
    async end() {
      await Promise.all([...operators, ...replicas].map((program) => program.end()))
      await Promise.all([api.close(), sockets.close()])
      await store.close()
      await postgres.stop()
    },
  }
}

async function createProjects(
  store: DispatcherSql,
  agreements: SystemOptions['agreements'],
): Promise<Project[]> {
  const projects: Project[] = []
  for (const agreement of agreements) {
    const created = await createProject(store, { name: 'chaos' })
    await setAgreement(store, created.project, agreement)
    projects.push({ ...created, agree: agreement?.k ?? 1 })
  }
  return projects
}

function numbered(count: number): readonly number[] {
  return Array.from({ length: count }, (_, at) => at + 1)
}
