// What the operating system knows of a server: processor time and memory, with all of its children. Linux only; elsewhere NaN.
import fs from 'node:fs'
import path from 'node:path'

/** Clock ticks per second in /proc; 100 on every Linux that Node runs on. */
const TICKS = 100

function childrenOf(pid) {
  const tasks = fs.readdirSync(`/proc/${pid}/task`)
  return tasks.flatMap((task) =>
    fs
      .readFileSync(`/proc/${pid}/task/${task}/children`, 'utf8')
      .split(' ')
      .filter((text) => text !== '')
      .map(Number),
  )
}

/** The process and all that descend from it. A process that ends meanwhile is left out. */
function familyOf(pid) {
  try {
    return [pid, ...childrenOf(pid).flatMap(familyOf)]
  } catch {
    return []
  }
}

function cpuOf(pid) {
  const stat = fs.readFileSync(`/proc/${pid}/stat`, 'utf8')
  // The command in brackets may hold blanks; utime, stime, cutime and cstime are the 14th to 17th fields.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  return fields.slice(11, 15).reduce((sum, ticks) => sum + Number(ticks), 0) / TICKS
}

function residentOf(pid) {
  const status = fs.readFileSync(`/proc/${pid}/status`, 'utf8')
  return Number(/VmRSS:\s+(\d+)/.exec(status)?.[1] ?? 0) * 1024
}

function sumOf(pid, read) {
  const family = familyOf(pid)
  return family.length === 0 ? Number.NaN : family.reduce((sum, each) => sum + read(each), 0)
}

/** Processor seconds, user and system, that a process and its children used so far. */
export function cpuSeconds(pid) {
  return sumOf(pid, cpuOf)
}

/** What the children of a process are, by their command lines: the command of ours, or the program's name. */
function programOf(pid) {
  const [program = '', script = '', command = '', ...rest] = fs
    .readFileSync(`/proc/${pid}/cmdline`, 'utf8')
    .split('\0')
  if (!script.endsWith('main.js')) return path.basename(program).replace(/:.*/s, '')
  const config = rest.find((word) => word.endsWith('.toml')) ?? ''
  return command === 'operator' ? `operator ${path.basename(config, '.toml')}` : command
}

/** Processor seconds of each program that a process has started, with the processes that it has started itself. */
export function cpuByProgram(pid) {
  const seconds = new Map()
  for (const child of childrenOf(pid)) {
    const name = programOf(child)
    seconds.set(name, (seconds.get(name) ?? 0) + cpuSeconds(child))
  }
  return seconds
}

/** Resident bytes of a process and its children. */
export function residentBytes(pid) {
  return sumOf(pid, residentOf)
}
