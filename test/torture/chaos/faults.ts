/** What can happen to the system: processes that are killed or stand still, connections that break. */
import { childrenOf, findProcess } from '../../support/processes.ts'
import type { System } from './system.ts'

export type Fault = {
  readonly name: string
  /** How often it happens, against the others. */
  readonly weight: number
  /** Strikes; false when there was nothing to strike. Pauses go on after it has returned. */
  strike(system: System, random: () => number): boolean
}

/** From a moment to well beyond the lease: what goes on afterwards holds leases that are over. */
const PAUSES = { least: 0.3, most: 2 } as const

const pauseOf = ({ leaseMs }: System, random: () => number): number =>
  leaseMs * (PAUSES.least + random() * (PAUSES.most - PAUSES.least))

function pick<T>(from: readonly T[], random: () => number): T | undefined {
  return from[Math.floor(random() * from.length)]
}

function signal(pid: number | undefined, name: NodeJS.Signals): boolean {
  try {
    return pid !== undefined && process.kill(pid, name)
  } catch {
    // It has ended in between.
    return false
  }
}

function pauseProcess(pid: number | undefined, milliseconds: number): boolean {
  setTimeout(() => signal(pid, 'SIGCONT'), milliseconds)
  return signal(pid, 'SIGSTOP')
}

function workerOf(system: System, random: () => number): number | undefined {
  const workers = system.operators.flatMap(({ pid }) =>
    pid === undefined ? [] : processesBelow(pid, 'worker/process.js'),
  )
  return pick(workers, random)
}

/** The server itself; its backends have other command lines. */
function postmasterOf({ databasePort }: System): number | undefined {
  return findProcess(['/bin/postgres -D ', ` port=${databasePort} `])
}

/** A backend that serves somebody's connection. */
function backendOf(system: System, random: () => number): number | undefined {
  const postmaster = postmasterOf(system)
  return postmaster === undefined
    ? undefined
    : pick(processesBelow(postmaster, '127.0.0.1('), random)
}

function processesBelow(pid: number, command: string): number[] {
  try {
    return [...childrenOf(pid)].flatMap(([child, line]) => (line.includes(command) ? [child] : []))
  } catch {
    return []
  }
}

/** SIGKILLs and pauses of everything. */
export const KILLS_AND_PAUSES: readonly Fault[] = [
  {
    name: 'dispatcher killed',
    weight: 4,
    strike: ({ replicas }, random) => signal(pick(replicas, random)?.pid, 'SIGKILL'),
  },
  {
    name: 'dispatcher paused',
    weight: 3,
    strike: (system, random) =>
      pauseProcess(pick(system.replicas, random)?.pid, pauseOf(system, random)),
  },
  {
    name: 'operator killed',
    weight: 5,
    strike: ({ operators }, random) => signal(pick(operators, random)?.pid, 'SIGKILL'),
  },
  {
    name: 'operator paused',
    weight: 3,
    strike: (system, random) =>
      pauseProcess(pick(system.operators, random)?.pid, pauseOf(system, random)),
  },
  {
    name: 'worker killed',
    weight: 2,
    strike: (system, random) => signal(workerOf(system, random), 'SIGKILL'),
  },
  {
    name: 'worker paused',
    weight: 1,
    strike: (system, random) => pauseProcess(workerOf(system, random), pauseOf(system, random)),
  },
  {
    name: 'database backend killed',
    weight: 2,
    strike: (system, random) => signal(backendOf(system, random), 'SIGKILL'),
  },
  {
    name: 'database backend paused',
    weight: 2,
    strike: (system, random) => pauseProcess(backendOf(system, random), pauseOf(system, random)),
  },
  {
    name: 'database server killed',
    weight: 1,
    strike: (system) => signal(postmasterOf(system), 'SIGKILL'),
  },
]

/** Long enough for acknowledgements to be among what is lost. */
const MUTE_MS = 1000

const LOST_ANSWERS: Fault = {
  name: 'answers to operators lost',
  weight: 1,
  strike: ({ sockets }, random) => {
    sockets.mute(random() * MUTE_MS)
    return true
  },
}

/** Breaks connections, and nothing else. */
export const CUTS: readonly Fault[] = [
  LOST_ANSWERS,
  {
    name: 'connections of clients cut',
    weight: 1,
    strike: ({ api }) => {
      api.cut()
      return true
    },
  },
]

/** One kind each, and nothing else. */
export const ACKNOWLEDGEMENTS_LOST = [LOST_ANSWERS]
export const KILLED_OPERATORS = KILLS_AND_PAUSES.filter(({ name }) => name === 'operator killed')

/** Lets one of the faults happen, by their weights. Returns its name; undefined when there was nothing to strike. */
export function strike(
  faults: readonly Fault[],
  system: System,
  random: () => number,
): string | undefined {
  const total = faults.reduce((sum, { weight }) => sum + weight, 0)
  let at = random() * total
  const fault = faults.find(({ weight }) => (at -= weight) < 0)
  return fault?.strike(system, random) === true ? fault.name : undefined
}
