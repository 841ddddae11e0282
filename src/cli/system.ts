/** The whole system of one home as processes under one supervisor (D55): what `assay up` runs. */
import fs from 'node:fs'
import { developmentKeys } from '../accounts/development.ts'
import { withDatabase } from '../base/databaseUrl.ts'
import { messageOf, UserError, type DamageError } from '../base/errors.ts'
import { toHex } from '../base/hex.ts'
import { addressOfPrivateKey } from '../base/secp256k1.ts'
import { parseChainId } from '../chain/chainId.ts'
import { dispatcherKeys, type DispatcherConfig } from '../config/dispatcher.ts'
import type { Home } from '../config/home.ts'
import { environmentName } from '../config/key.ts'
import { nodeKeys, type NodeConfig } from '../config/node.ts'
import { loadGenesis } from '../consensus/files/genesis.ts'
import { openModelFolder } from '../inference/models.ts'
import type { Hardfork } from '../evm/rules.ts'
import { ensureTinyModel, TINY_MODEL } from '../inference/tinyModel.ts'
import { FIRST_MODEL } from '../models/catalogue.ts'
import type { Wanted } from '../models/source.ts'
import { startEmbeddedPostgres } from '../store/sql/embedded.ts'
import { createToken } from '../wire/token.ts'
import { loadTokenSecret } from '../wire/tokenSecret.ts'
import { banner } from './banner.ts'
import { commandText } from './commandText.ts'
import { openExplorer } from './explorer.ts'
import { fetchFirstModel } from './fetchFirstModel.ts'
import { firstModel } from './firstModel.ts'
import { completeHome, type UpSecrets } from './newHome.ts'
import { shortNameOf } from './model/catalogueNames.ts'
import { CHAIN_NODE_OPTIONS } from './nodeOptions.ts'
import { writeOperatorConfig, type OperatorFacts } from './operatorHome.ts'
import { createProgress } from './progress.ts'
import { report } from './report.ts'
import type { Service } from './service.ts'
import { storeDamageOf } from './storeDamage.ts'
import { createSupervisor, type Supervised, type Supervisor } from './supervisor.ts'
import { writeUpFile, type UpFile } from './upFile.ts'

/** Address for the metrics of programs without a configured one. */
const ANY_PORT = '127.0.0.1:0'

const TOKEN_SECONDS = 365 * 24 * 3600

/**
 * Starts everything and prints the banner; returns the function that stops it. `flags` are passed on to the processes.
 * A new chain begins with `hardfork`, the newest by default.
 */
export async function startSystem(
  home: Home,
  flags: Readonly<Record<string, unknown>>,
  config: NodeConfig & DispatcherConfig,
  { log, signal, ready }: Service,
  release: () => void,
  hardfork?: Hardfork,
): Promise<() => Promise<void>> {
  const progress = createProgress()
  /** Without its chain the rest has nothing to do; who supervises us learns from the exit code not to try again. */
  const endDamaged = async (error: DamageError): Promise<never> => {
    progress.end()
    report(error)
    await stop()
    process.exit(error.exitCode)
  }
  const supervisor = createSupervisor(home.logs, log, (error) => void endDamaged(error), {
    maxSize: config['log.max-size'] * 1_000_000,
    keep: config['log.keep'],
    // Operators have no --home, and find the inference runtime by it.
    environment: { ...tracingEnvironment(config), ASSAY_HOME: home.folder },
  })
  let stopDatabase = (): Promise<void> => Promise.resolve()
  let stopExplorer = (): Promise<void> => Promise.resolve()
  let stopFetch = (): Promise<void> => Promise.resolve()
  const stop = async (): Promise<void> => {
    await stopFetch()
    progress.say('Stopping')
    fs.rmSync(home.upFile, { force: true })
    await stopExplorer()
    await supervisor.stop()
    await stopDatabase()
    release()
    progress.end()
  }
  try {
    progress.say(
      fs.existsSync(home.genesis) ? 'Opening the home folder' : 'Creating the home folder',
    )
    fs.rmSync(home.upFile, { force: true })
    const first = firstModel(config.model, config['dev.enable'], process.env)
    const secrets = await completeHome(
      home,
      {},
      {
        isDevelopment: config['dev.enable'],
        ...(hardfork && { hardfork }),
      },
    )
    ensureTinyModel(home.models)

    const explorer = await openExplorer(config, log)
    stopExplorer = () => explorer.close()
    const allowed = explorer.allow(config)

    progress.say('Starting chain node, database, dispatcher and worker')
    const chainId = parseChainId(loadGenesis(home.genesis).genesis.chainId).eip155
    const startDatabase = async (): Promise<(name: string) => string> => {
      const given = config['dispatcher.pg_db_url']
      if (given !== '') return (name) => siblingDatabase(given, name)
      const postgres = await startEmbeddedPostgres({
        folder: home.postgres,
        port: config['dispatcher.database-port'],
        log,
      })
      stopDatabase = () => postgres.stop()
      return (name) => postgres.url(name)
    }
    const startDispatcher = async (chain: Promise<Supervised>) => {
      const database = await startDatabase()
      const { rpc = '', comet = '' } = (await chain).details
      const dispatcher = await supervisor.start({
        name: 'dispatcher',
        args: [
          'dispatcher',
          '--home',
          home.folder,
          ...flagList({ ...flags, ...allowed }, dispatcherKeys),
        ],
        restartArgs: ({ httpAddress, operatorAddress }) => [
          `--dispatcher.address=${httpAddress}`,
          `--dispatcher.operator-address=${operatorAddress}`,
        ],
        // Secrets are passed in the environment: every user of the machine can read arguments.
        environment: {
          ASSAY_DISPATCHER_PG_DB_URL: database('assay_dispatcher'),
          ASSAY_DISPATCHER_CHAIN_ID: chainId.toString(),
          ASSAY_DISPATCHER_CHAIN_RPC_URL: rpc,
          ASSAY_DISPATCHER_CONSENSUS_RPC_URL: comet,
          ASSAY_PROJECT: secrets.project,
          ASSAY_PROJECT_TOKEN: secrets.token,
        },
      })
      return { database, dispatcher }
    }
    const missing = explorer.problem === undefined ? [] : [explorer.problem]
    const isMeasured = config['metrics.address'] !== undefined
    const chain = supervisor.start({
      name: 'node',
      args: [
        'node',
        '--home',
        home.folder,
        ...nodeFlags({ ...flags, ...allowed, 'explorer.enable': 'false' }),
      ],
      nodeOptions: CHAIN_NODE_OPTIONS,
      damage: storeDamageOf(home),
      restartArgs: ({ rpc = '', ws = '', comet = '', metrics }) => [
        `--json-rpc.address=${withoutScheme(rpc)}`,
        `--json-rpc.ws-address=${withoutScheme(ws)}`,
        `--rpc.laddr=tcp://${withoutScheme(comet)}`,
        ...(metrics === undefined ? [] : [`--metrics.address=${withoutScheme(metrics)}`]),
      ],
    })
    const [node, { database, dispatcher }, worker] = await settled(
      chain,
      startDispatcher(chain),
      startWorker(home, supervisor, isMeasured, missing),
    )

    progress.say('Starting operators')
    const facts = {
      dispatcher: dispatcher.details['operatorAddress'] ?? '',
      dispatcherAddress: dispatcher.details['dispatcherAddress'] ?? '',
      chainRpc: node.details['rpc'] ?? '',
      ...(isMeasured && { metrics: ANY_PORT }),
    }
    const startOperator = (operator: OperatorFacts) =>
      supervisor.start({
        name: operator.type,
        args: ['operator', '-c', writeOperatorConfig(home, operator)],
      })
    const [opml, tee] = await settled(
      startOperator({ ...facts, type: 'opml', database: database('assay_operator_opml') }),
      worker === undefined
        ? undefined
        : startOperator({
            ...facts,
            type: 'tee',
            database: database('assay_operator_tee'),
            worker: worker.details['address'] ?? '',
          }),
    )
    signal.throwIfAborted()

    const { rpc = '', ws = '', comet = '' } = node.details
    const jobApi = `http://${dispatcher.details['httpAddress']}`
    explorer.announce({ rpc, ws, comet, dispatcher: jobApi })
    const file = await describe(home, secrets, {
      node: node.details,
      dispatcher: dispatcher.details,
      database: database('assay_dispatcher'),
      chainId,
      programs: { node, opml, tee, worker },
    })
    const complete = explorer.url === undefined ? file : { ...file, explorer: explorer.url }
    writeUpFile(home.upFile, complete)
    progress.end()
    process.stdout.write(
      banner(complete, {
        home: home.folder,
        colors: process.stdout.isTTY,
        missing,
        preferred: first && shortNameOf(first.file),
        realModel: realModelCommand(complete.models, first, home),
      }),
    )
    ready({})
    stopFetch = fetchFirstModel(first, home, complete, log).stop
    return stop
  } catch (error) {
    progress.end()
    await stop()
    throw error
  }
}

/** The command that fetches the first model of the catalogue, where jobs can only ask a generated one. */
function realModelCommand(
  models: readonly string[],
  first: Wanted | undefined,
  { folder }: Home,
): string | undefined {
  if (first !== undefined || models.some((name) => name !== TINY_MODEL)) return undefined
  return commandText(`model get ${FIRST_MODEL.aliases[0] ?? FIRST_MODEL.name}`, folder)
}

/** Waits for all, so that nothing is left half started when one fails; then throws the first failure. */
async function settled<T extends readonly unknown[]>(
  ...values: T
): Promise<{ [I in keyof T]: Awaited<T[I]> }> {
  const results = await Promise.allSettled(values)
  const failure = results.find((result) => result.status === 'rejected')
  if (failure !== undefined) throw failure.reason
  return results.map((result) => (result.status === 'fulfilled' ? result.value : undefined)) as {
    [I in keyof T]: Awaited<T[I]>
  }
}

/** Where every program sends its traces, also an operator, which knows no home. */
function tracingEnvironment(config: NodeConfig): Readonly<Record<string, string>> {
  const { 'otel.endpoint': endpoint, 'otel.sampling': ratio } = config
  if (endpoint === '') return {}
  return {
    [environmentName('otel.endpoint')]: endpoint,
    [environmentName('otel.sampling')]: String(ratio),
    OTEL_EXPORTER_OTLP_ENDPOINT: endpoint,
    OTEL_TRACES_SAMPLER_ARG: String(ratio),
  }
}

/** Without the inference runtime there is no worker and so no tee operator; everything else runs (D39a). */
async function startWorker(
  home: Home,
  supervisor: Supervisor,
  isMeasured: boolean,
  missing: string[],
): Promise<Supervised | undefined> {
  try {
    return await supervisor.start({
      name: 'worker',
      args: ['worker', '--home', home.folder, ...(isMeasured ? [`--metrics=${ANY_PORT}`] : [])],
      restartArgs: ({ address = '', metrics }) => [
        `--address=${withoutScheme(address)}`,
        ...(metrics === undefined ? [] : [`--metrics=${withoutScheme(metrics)}`]),
      ],
    })
  } catch (error) {
    if (!(error instanceof UserError)) throw error
    missing.push(`No tee operator is running: ${messageOf(error)}. ${error.advice}`)
    return undefined
  }
}

/** Another database on the same server as `url`. */
function siblingDatabase(url: string, name: string): string {
  return name === 'assay_dispatcher' ? url : withDatabase(url, name)
}

/** host:port of a URL without a path. */
function withoutScheme(url: string): string {
  return url.slice(url.indexOf('://') + 3)
}

function flagList(
  flags: Readonly<Record<string, unknown>>,
  table: Readonly<Record<string, unknown>>,
): string[] {
  return Object.entries(flags)
    .filter(([name]) => name in table && name !== 'dispatcher.pg_db_url')
    .map(([name, value]) => `--${name}=${String(value)}`)
}

function nodeFlags(flags: Readonly<Record<string, unknown>>): string[] {
  return [...flagList({ 'accounts.unlock-development': 'true', ...flags }, nodeKeys)]
}

/** Metrics addresses of programs, by name. */
function metricsOf(
  programs: Readonly<Record<string, Supervised | undefined>>,
  dispatcher: string,
): Readonly<Record<string, string>> {
  const found: Record<string, string> = { dispatcher }
  for (const [name, program] of Object.entries(programs)) {
    const url = program?.details['metrics']
    if (url !== undefined) found[name] = url
  }
  return found
}

/** What is running, with the details that each program reported. */
type RunningSystem = {
  readonly node: Readonly<Record<string, string>>
  readonly dispatcher: Readonly<Record<string, string>>
  /** URL of the dispatcher's database. */
  readonly database: string
  readonly chainId: bigint
  /** Those that may serve metrics. */
  readonly programs: Readonly<Record<string, Supervised | undefined>>
}

async function describe(
  home: Home,
  secrets: UpSecrets,
  { node, dispatcher, database, chainId, programs }: RunningSystem,
): Promise<UpFile> {
  const { rpc = '', ws = '', comet = '' } = node
  const now = Math.floor(Date.now() / 1000)
  const keys = developmentKeys()
  return {
    rpc,
    ws,
    ethereum: `${rpc}/ethereum`,
    wsEthereum: `${ws}/ethereum`,
    comet,
    dispatcher: `http://${dispatcher['httpAddress']}`,
    dispatcherAddress: dispatcher['dispatcherAddress'] ?? '',
    operatorAddress: dispatcher['operatorAddress'] ?? '',
    database,
    ipc: home.ipc,
    metrics: metricsOf(programs, `http://${dispatcher['httpAddress']}`),
    jwt: home.jwtSecret,
    rpcToken: createToken(loadTokenSecret(home.jwtSecret), {
      scope: ['*'],
      ttl: TOKEN_SECONDS,
      name: 'up',
      now,
    }),
    chainId: Number(chainId),
    accounts: keys.map((key) => ({
      address: toHex(addressOfPrivateKey(key)),
      privateKey: toHex(key),
    })),
    passphrase: secrets.passphrase,
    project: secrets.project,
    token: secrets.token,
    models: await openModelFolder(home.models).list(),
    pid: process.pid,
  }
}
