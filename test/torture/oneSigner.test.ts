// Holds D67.
/**
 * One home, several nodes: in other PID, network, mount and IPC namespaces, as in two containers on one volume, and many
 * at once. At most one of them signs (D67). Namespaces need Linux and root.
 */
import { spawn, spawnSync, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import fs from 'node:fs'
import path from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { takeLock } from '../../src/base/lock.ts'
import { completeHome } from '../../src/cli/newHome.ts'
import { homePaths, type Home } from '../../src/config/home.ts'
import { recordCampaign, secondsSince } from './record.ts'
import { eventually, freePorts, mainFile, newHome, runAssay } from '../support/assay.ts'

/** A process table, network, mounts and System V memory of its own, like a container's; its processes end with the first. */
const NAMESPACES = ['--pid', '--fork', '--kill-child', '--mount-proc', '--mount', '--net', '--ipc']
/** A network of its own begins without an address. */
const CONTAINER = [...NAMESPACES, 'sh', '-c', 'ip link set lo up && exec "$@"', 'container']
const hasNamespaces = spawnSync('unshare', [...CONTAINER, 'true']).status === 0
if (!hasNamespaces) console.warn('skipped: no right to make namespaces')

const FLAGS = freePorts.filter((flag) => !flag.startsWith('--dispatcher'))
const STARTS = Number(process.env['ASSAY_TORTURE_RUNS'] ?? '60')

let home: Home
const running: ChildProcess[] = []
const recovery: number[] = []

beforeAll(async () => {
  home = homePaths(newHome())
  await completeHome(home)
})
afterAll(() => {
  for (const child of running) child.kill('SIGKILL')
  fs.rmSync(path.dirname(home.folder), { recursive: true, force: true })
})

const program = (...args: readonly string[]) => [process.execPath, mainFile, ...args]
const nodeOf = ({ folder }: Home) => program('node', '--home', folder, ...FLAGS)

function start([command = '', ...args]: readonly string[]): ChildProcess {
  const child = spawn(command, args, {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...process.env, ASSAY_LOG_LEVEL: 'error' },
  })
  child.stdout.resume()
  running.push(child)
  return child
}

const inContainer = (command: readonly string[]) => ['unshare', ...CONTAINER, ...command]

/** Runs a command to its end. */
async function run(command: readonly string[]) {
  const child = start(command)
  let output = ''
  child.stderr?.on('data', (chunk) => (output += chunk))
  const [code] = (await once(child, 'close')) as [number | null]
  return { code, output }
}

function signedHeight(): number {
  try {
    const state: { height: string } = JSON.parse(fs.readFileSync(home.validatorState, 'utf8'))
    return Number(state.height)
  } catch {
    return 0
  }
}

/** Waits for blocks that are signed from now on. */
async function blocks(): Promise<void> {
  const since = signedHeight()
  await eventually(() => (signedHeight() >= since + 2 ? true : undefined))
}

/** Whether the lock is free: the kernel drops it with the process, which in a container dies after the one we killed. */
function isFree(): true | undefined {
  try {
    takeLock(home.nodeLock, 'it').release()
    return true
  } catch {
    return undefined
  }
}

async function kill(child: ChildProcess): Promise<void> {
  const gone = once(child, 'exit')
  child.kill('SIGKILL')
  await gone
}

test.runIf(hasNamespaces).each([
  ['in a container', 'on the host', inContainer, (command: readonly string[]) => command],
  ['on the host', 'in a container', (command: readonly string[]) => command, inContainer],
  ['in a container', 'in another one', inContainer, inContainer],
])(
  'beside a node %s, a node %s does not start, and does after a kill',
  async (_first, _second, first, second) => {
    const owner = start(first(nodeOf(home)))
    await blocks()
    const { code, output } = await run(second(nodeOf(home)))
    expect(code).toBe(1)
    expect(output).toContain(`${home.folder} is in use by`)
    const check = await run(second(program('node', 'check', '--home', home.folder)))
    expect(check.output).toContain(`${home.folder} is in use by`)
    await blocks()
    const killed = performance.now()
    await kill(owner)
    await eventually(isFree)
    const next = start(second(nodeOf(home)))
    await blocks()
    recovery.push(secondsSince(killed))
    await kill(next)
    await eventually(isFree)
    const { code: checked, output: report } = await runAssay([
      'node',
      'check',
      '--home',
      home.folder,
    ])
    expect(report).toContain('are valid')
    expect(checked).toBe(0)
    recordCampaign('namespaces', {
      fault: 'a second node on one home, in another PID, mount and IPC namespace',
      runs: recovery.length,
      recovery,
      note: 'the second is refused; after a SIGKILL of the first it starts',
    })
  },
)

test.runIf(process.platform === 'linux')(
  'on a file system without locks nothing signs, until --unsafe-no-lock says that it may',
  async () => {
    // What util-linux says there (flock(2): ENOLCK).
    const bin = path.join(path.dirname(home.folder), 'bin')
    fs.mkdirSync(bin)
    const flock = '#!/bin/sh\necho "flock: 3: No locks available" >&2\nexit 71\n'
    fs.writeFileSync(path.join(bin, 'flock'), flock, { mode: 0o755 })
    const withoutLocks = (command: readonly string[]) => ['env', `PATH=${bin}`, ...command]
    const before = signedHeight()
    const refused = await run(withoutLocks(nodeOf(home)))
    expect(refused.code).toBe(1)
    expect(refused.output).toContain('No locks available')
    expect(signedHeight()).toBe(before)
    const node = start(withoutLocks([...nodeOf(home), '--unsafe-no-lock', '--log.level=warn']))
    let output = ''
    node.stdout?.on('data', (chunk) => (output += chunk))
    node.stderr?.on('data', (chunk) => (output += chunk))
    await blocks()
    expect(output).toContain('both sign, and the chain splits')
    await kill(node)
  },
)

test('of many starts at once exactly one has the lock', async () => {
  const file = path.join(path.dirname(home.folder), 'race.lock')
  const lock = path.join(path.dirname(mainFile), 'base', 'lock.js')
  const script = `
    const { takeLock } = await import(${JSON.stringify(lock)})
    try { takeLock(${JSON.stringify(file)}, 'it') } catch { process.exit(3) }
    console.error('taken')
    process.stdin.resume()`
  const claim = [process.execPath, '--input-type=module', '-e', script]
  let refused = 0
  const holders: ChildProcess[] = []
  const outcomes = Array.from({ length: STARTS }, async (_, at) => {
    const [command = '', ...args] = hasNamespaces && at % 2 === 1 ? inContainer(claim) : claim
    const child = spawn(command, args, { stdio: ['pipe', 'ignore', 'pipe'] })
    running.push(child)
    const [outcome] = await Promise.race([once(child.stderr, 'data'), once(child, 'exit')])
    if (outcome === 3) refused++
    else if (String(outcome).includes('taken')) holders.push(child)
  })
  await Promise.all(outcomes)
  expect(holders).toHaveLength(1)
  expect(refused).toBe(STARTS - 1)
  recordCampaign('starts', {
    fault: 'starts at once on one home, every other one in a namespace of its own',
    runs: STARTS,
    recovery: [],
    note: 'one takes the lock, all others are refused',
  })
  console.log(`${STARTS} starts at once: one took the lock`)
})
