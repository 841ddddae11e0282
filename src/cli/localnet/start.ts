/** `assay localnet start`: makes the network where there is none, and runs it here or in the background. */
import { spawn } from 'node:child_process'
import fs from 'node:fs'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { Command, Option } from 'commander'
import { UserError } from '../../base/errors.ts'
import { takeLock } from '../../base/lock.ts'
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

/** Nodes stop side by side, each within the time of its own service. */
const HARD_STOP_MS = 30_000
const READY_MS = 120_000
const REDRAW_MS = 1000
const POLL_MS = 200

const mainFile = path.resolve(import.meta.dirname, '..', '..', 'main.js')

async function requirePlanOrCreate(paths: LocalnetPaths, options: Options): Promise<Plan> {
  const known = findPlan(paths)
  if (known !== undefined) return known
  readOption('--block-interval', duration(100, 30_000), options.blockInterval)
  // Loaded only now: these parts are needed once.
  const { createNetwork } = await import('./create.ts')
  fs.mkdirSync(paths.folder, { recursive: true, mode: 0o700 })
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

/** Redraws the table until the signal; where there is no terminal, it is shown once. */
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
  const release = takeLock(paths.lock, paths.folder)
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

/** The last line that a process left in its log. */
function lastLineOf(file: string): string {
  return fs.readFileSync(file, 'utf8').trimEnd().split('\n').at(-1) ?? ''
}

/** Starts this command again without `--detach`, and leaves it once all nodes answer. */
async function runDetached(paths: LocalnetPaths): Promise<void> {
  fs.mkdirSync(paths.logs, { recursive: true, mode: 0o700 })
  const output = fs.openSync(paths.supervisorLog, 'a', 0o600)
  const args = process.argv.slice(2).filter((arg) => arg !== '--detach')
  // No channel to it: it would take its end for the loss of its supervisor.
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
      if (child.exitCode !== null || child.signalCode !== null)
        throw new UserError(
          lastLineOf(paths.supervisorLog).replace(/^Error: /, ''),
          `See ${paths.logs}.`,
        )
      if (performance.now() > deadline) {
        child.kill('SIGTERM')
        throw new UserError('the network is not ready in time', `See ${paths.logs}.`)
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
    .description('Make the network where there is none, and run it.')
    .option('--validators <number>', 'validators of a new network', '4')
    .option('--full <number>', 'full nodes of a new network', '0')
    .option('--block-interval <duration>', 'time from a block to the next, of a new network', '1s')
    .option(
      '--snapshot-interval <heights>',
      'heights between two snapshots for state sync, of a new network; 0 takes none',
      '100',
    )
    .option(
      '--first-port <port>',
      'nodes of a new network listen at this port and above, ten for each; 0 takes free ones',
      '26600',
    )
    .addOption(
      new Option(
        '--hardfork <name>',
        'the fork that a new network begins with, unless the newest: to try an upgrade',
      ).choices(CHAIN_HARDFORKS),
    )
    .option('--cometbft <program>', 'the CometBFT program, unless it is on the PATH')
    .option('--detach', 'run in the background; assay localnet stop ends it')
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
