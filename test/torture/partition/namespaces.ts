/** Machines of a network as network namespaces on one bridge, which can be cut apart. Needs Linux and root. */
import { spawn, spawnSync, type ChildProcess } from 'node:child_process'
import fs from 'node:fs'

/** Runs a program of iproute2. Throws with what it said. */
function ip(...args: readonly string[]): void {
  const { status, stderr, error } = spawnSync('ip', args, { encoding: 'utf8' })
  if (status !== 0) throw new Error(`ip ${args.join(' ')}: ${error?.message ?? stderr}`)
}

/** Whether this process may make network namespaces and bridges. */
export function canPartition(): boolean {
  if (process.platform !== 'linux') return false
  const name = `asp${process.pid}`
  try {
    ip('netns', 'add', name)
    ip('link', 'add', `${name}b`, 'type', 'bridge')
    ip('link', 'del', `${name}b`)
    ip('netns', 'del', name)
    return true
  } catch {
    spawnSync('ip', ['netns', 'del', name])
    return false
  }
}

export type Machines = {
  /** Address of a machine by its number. */
  address(machine: number): string
  /** Starts a program on a machine. */
  start(machine: number, command: readonly string[], environment: NodeJS.ProcessEnv): ChildProcess
  /** Cuts these machines off from all others; they still reach each other, and this process reaches none of them. */
  cut(machines: readonly number[]): void
  /** Connects all machines again. */
  heal(): void
  close(): void
}

/** Makes machines with addresses in a network of their own, which this process reaches, too. */
export function createMachines(count: number): Machines {
  const id = process.pid % 10_000
  const subnet = `10.213.${process.pid % 250}`
  const [bridge, island] = [`asb${id}`, `asi${id}`]
  const namespace = (machine: number): string => `asn${id}-${machine}`
  const outside = (machine: number): string => `asv${id}-${machine}`
  const address = (machine: number): string => `${subnet}.${machine + 1}`
  const each = Array.from({ length: count }, (_, machine) => machine)

  for (const name of [bridge, island]) {
    ip('link', 'add', name, 'type', 'bridge')
    ip('link', 'set', name, 'up')
  }
  ip('addr', 'add', `${subnet}.254/24`, 'dev', bridge)
  for (const machine of each) {
    const [name, inside] = [namespace(machine), `asw${id}-${machine}`]
    ip('netns', 'add', name)
    ip('link', 'add', outside(machine), 'type', 'veth', 'peer', 'name', inside)
    ip('link', 'set', inside, 'netns', name)
    ip('link', 'set', outside(machine), 'master', bridge, 'up')
    ip('-n', name, 'addr', 'add', `${address(machine)}/24`, 'dev', inside)
    ip('-n', name, 'link', 'set', inside, 'up')
    ip('-n', name, 'link', 'set', 'lo', 'up')
  }

  const moveTo = (machine: number, where: string): void =>
    ip('link', 'set', outside(machine), 'master', where)

  return {
    address,
    start: (machine, command, environment) =>
      spawn('ip', ['netns', 'exec', namespace(machine), ...command], {
        stdio: ['ignore', fs.openSync('/dev/null', 'w'), 'pipe'],
        env: environment,
      }),
    cut(machines) {
      for (const machine of machines) moveTo(machine, island)
    },
    heal() {
      for (const machine of each) moveTo(machine, bridge)
    },
    close() {
      for (const machine of each) spawnSync('ip', ['netns', 'del', namespace(machine)])
      for (const name of [bridge, island]) spawnSync('ip', ['link', 'del', name])
    },
  }
}
