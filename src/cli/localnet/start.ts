/** `assay localnet start`: creates the network if there is none, and runs it in the foreground or background. */
import { spawn } from 'node:child_process'
import fs from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { Command, Option } from 'commander'
import { UserError } from '../../base/errors.ts'
import { takeLock } from '../../base/lock.ts'
import { moduleFile } from '../../base/moduleFile.ts'
import { duration, integer } from '../../config/types.ts'
import { requireCometbft } from '../../consensus/cometbft/binary.ts'
import { CHAIN_HARDFORKS, type Hardfork } from '../../evm/rules.ts'
import { readOption } from '../options.ts'
import { createProgress } from '../progress.ts'
import { runService } from '../service.ts'
import { pathsOf } from './pathsOf.ts'
import { findPlan, type LocalnetPaths, type Plan } from './plan.ts'
import { runNetwork } from './run.ts'
import { networkStatus, statusTable } from './status.ts'

type Options = {
  readonly validators: string
  readonly full: string
  readonly firstPort: string
  readonly blockInterval: string
  readonly snapshotInterval: string
  readonly hardfork?: Hardfork
  readonly cometbft?: string
  readonly detach?: boolean
}

/** Nodes stop in parallel, each within its own service's time limit. */
const HARD_STOP_MS = 30_000
const READY_MS = 120_000
const REDRAW_MS = 1000
const POLL_MS = 200

const mainFile = fileURLToPath(moduleFile(new URL('../../main', import.meta.url)))

async function requirePlanOrCreate(paths: LocalnetPaths, options: Options): Promise<Plan> {
  const known = findPlan(paths)
  if (known !== undefined) return known
  readOption('--block-interval', duration(100, 30_000), options.blockInterval)
  // Loaded lazily: these parts are needed only once.
  const { createNetwork } = await import('./create.ts')
  return await createNetwork(paths, {
    validators: readOption('--validators', integer(1, 100), options.validators),
    full: readOption('--full', integer(0, 100), options.full),
    firstPort: readOption('--first-port', integer(0, 64_000), options.firstPort),
    blockInterval: options.blockInterval,
    hardfork: options.hardfork,
    snapshotInterval: readOption(
      '--snapshot-interval',
      integer(0, 1_000_000_000),
      options.snapshotInterval,
    ),
  })
}

/** Redraws the table until the signal; without a terminal, prints it once. */
async function show(paths: LocalnetPaths, signal: AbortSignal): Promise<void> {
  const isTerminal = process.stdout.isTTY
  for (let lines = 0; !signal.aborted;) {
    const plan = findPlan(paths)
    const table = plan === undefined ? '' : statusTable(await networkStatus(paths, plan))
    process.stdout.write((lines > 0 ? `\r\u001B[${lines}A\u001B[J` : '') + table)
    if (!isTerminal) return
    lines = table.split('\n').length - 1
    await sleep(REDRAW_MS, undefined, { signal }).catch(() => undefined)
  }
}

async function runHere(paths: LocalnetPaths, options: Options): Promise<void> {
  fs.mkdirSync(paths.folder, { recursive: true, mode: 0o700 })
  const { release } = takeLock(paths.lock, paths.folder)
  try {
    await requirePlanOrCreate(paths, options)
    await runService(
      'localnet',
      process.stderr.isTTY ? 'fatal' : 'info',
      async ({ signal, log, ready }) => {
        const progress = createProgress()
        progress.say('Starting the nodes')
        const network = runNetwork(paths, options.cometbft, log)
        process.on('SIGHUP', () => network.startAdded())
        const stop = async () => {
          await network.stop()
          release()
        }
        try {
          await network.ready
        } catch (error) {
          await stop()
          throw error
        }
        progress.end()
        ready({ folder: paths.folder })
        void show(paths, signal)
        return stop
      },
      HARD_STOP_MS,
    )
  } finally {
    release()
  }
}

/** The failure that a process reported in its log before it ended: its last error with the advice below, or its last line. */
function failureIn({ supervisorLog, logs }: LocalnetPaths): UserError {
  const lines = fs.readFileSync(supervisorLog, 'utf8').trimEnd().split('\n')
  const at = lines.findLastIndex((line) => line.startsWith('Error: '))
  const advice = at === -1 || lines[at + 1]?.startsWith(' ') === true ? undefined : lines[at + 1]
  return new UserError(
    lines.at(at)?.replace(/^Error: /, '') ?? '',
    [advice, `See ${logs}.`].filter((line) => line !== undefined).join('\n'),
  )
}

/** Starts this command again in the background, without `--detach`, and returns once all nodes respond. */
async function runDetached(paths: LocalnetPaths): Promise<void> {
  fs.mkdirSync(paths.logs, { recursive: true, mode: 0o700 })
  const output = fs.openSync(paths.supervisorLog, 'a', 0o600)
  const args = process.argv.slice(2).filter((arg) => arg !== '--detach')
  // No IPC channel to it: the process would take its closing for the loss of its supervisor.
  const child = spawn(process.execPath, [mainFile, ...args], {
    detached: true,
    stdio: ['ignore', output, output],
  })
  fs.closeSync(output)
  child.unref()
  const progress = createProgress()
  progress.say('Starting the nodes')
  try {
    const deadline = performance.now() + READY_MS
    while (!(await isUp(paths))) {
      if (child.exitCode !== null || child.signalCode !== null) throw failureIn(paths)
      if (performance.now() > deadline) {
        child.kill('SIGTERM')
        throw new UserError('the network was not ready in time', `See ${paths.logs}.`)
      }
      await sleep(POLL_MS)
    }
  } finally {
    progress.end()
  }
}

async function isUp(paths: LocalnetPaths): Promise<boolean> {
  const plan = findPlan(paths)
  if (plan === undefined) return false
  return (await networkStatus(paths, plan)).every(({ state }) => state === 'up')
}

/** The command. */
export function localnetStartCommand(): Command {
  const command = new Command('start')
    .description('Run the network, creating it first if there is none.')
    .option('--validators <number>', 'number of validators (new network only)', '4')
    .option('--full <number>', 'number of full nodes (new network only)', '0')
    .option('--block-interval <duration>', 'time between blocks (new network only)', '1s')
    .option(
      '--snapshot-interval <heights>',
      'number of blocks between snapshots for state sync, 0 for none (new network only)',
      '100',
    )
    .option(
      '--first-port <port>',
      'first of ten ports per node, 0 to pick free ports (new network only)',
      '26600',
    )
    .addOption(
      new Option(
        '--hardfork <name>',
        'initial fork, by default the newest; for testing upgrades (new network only)',
      ).choices(CHAIN_HARDFORKS),
    )
    .option('--cometbft <program>', 'CometBFT executable, by default the one on the PATH')
    .option('--detach', 'run in the background, until assay localnet stop')
  return command.action(async () => {
    const options = command.opts<Options>()
    const paths = pathsOf(command)
    await requireCometbft(options.cometbft ?? 'cometbft')
    if (options.detach !== true) {
      await runHere(paths, options)
      return
    }
    await runDetached(paths)
    const plan = findPlan(paths)
    if (plan !== undefined) process.stdout.write(statusTable(await networkStatus(paths, plan)))
  })
}
