/** The machine: Node, clock, memory, open files, disk. */
import { spawnSync } from 'node:child_process'
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { messageOf } from '../../base/errors.ts'
import { formatBytes } from '../status/screen.ts'
import { fine, finding, type Finding } from './check.ts'

const LEAST_NODE = [20, 19] as const

/** Node's version. */
export function checkNode(version: string = process.versions.node): Finding {
  const [major = 0, minor = 0] = version.split('.').map(Number)
  const isEnough = major > LEAST_NODE[0] || (major === LEAST_NODE[0] && minor >= LEAST_NODE[1])
  return isEnough
    ? fine('Node', version)
    : finding(
        'Node',
        'wrong',
        `${version} is too old`,
        `Install Node ${LEAST_NODE.join('.')} or newer.`,
      )
}

/** Whether the clock is synchronized. Blocks contain its time, and other nodes reject blocks from the future. */
export function checkClock(): Finding {
  const what = 'Clock'
  const shown = new Date().toISOString().slice(0, 19)
  if (fs.existsSync('/run/systemd/timesync/synchronized'))
    return fine(what, `${shown}, synchronized`)
  const { status, stdout } = spawnSync(
    'timedatectl',
    ['show', '--property=NTPSynchronized', '--value'],
    { encoding: 'utf8', timeout: 3_000 },
  )
  if (status === 0 && stdout.trim() === 'yes') return fine(what, `${shown}, synchronized`)
  return status === 0
    ? finding(what, 'warning', `${shown}, not synchronized`, 'Run: timedatectl set-ntp true')
    : finding(what, 'note', `${shown}, synchronization unknown`)
}

/** Memory that `assay up` needs with the generated model. */
const LEAST_MEMORY = 1e9

/** Free memory. */
export function checkMemory(free: number = os.freemem()): Finding {
  const found = `${formatBytes(free)} free of ${formatBytes(os.totalmem())}`
  return free < LEAST_MEMORY
    ? finding(
        'Memory',
        'warning',
        found,
        'The whole system needs 0.7 GB, plus memory for models: see docs/machines.md.',
      )
    : fine('Memory', found)
}

const LEAST_FILES = 4096

/** How many files and sockets this user may open. */
export function checkOpenFiles(): Finding {
  const what = 'Open files'
  const file = '/proc/self/limits'
  if (!fs.existsSync(file)) return finding(what, 'note', 'the limit is unknown on this system')
  const limit = /^Max open files\s+(\d+)/m.exec(fs.readFileSync(file, 'utf8'))?.[1]
  return limit !== undefined && Number(limit) < LEAST_FILES
    ? finding(
        what,
        'warning',
        `limit ${limit}`,
        'Raise the limit (ulimit -n 65536): every client uses one.',
      )
    : fine(what, `limit ${limit ?? 'none'}`)
}

const SHORT_DISK = 5e9
const FULL_DISK = 1e9
const SLOW_SYNC_MS = 30

/** The median time of a synced write of one page, in milliseconds. */
function syncTime(folder: string): number {
  const file = path.join(folder, `.doctor-${process.pid}`)
  const handle = fs.openSync(file, 'w', 0o600)
  try {
    const times = Array.from({ length: 9 }, () => {
      const began = performance.now()
      fs.writeSync(handle, new Uint8Array(4096))
      fs.fsyncSync(handle)
      return performance.now() - began
    })
    return times.sort((a, b) => a - b)[4] ?? 0
  } finally {
    fs.closeSync(handle)
    fs.rmSync(file, { force: true })
  }
}

/** Space and speed of the disk under a folder that may not exist yet. */
export function checkDisk(home: string): Finding {
  let folder = path.resolve(home)
  while (!fs.existsSync(folder)) folder = path.dirname(folder)
  const { bavail, bsize } = fs.statfsSync(folder)
  const free = bavail * bsize
  let ms: number
  try {
    ms = syncTime(folder)
  } catch (error) {
    return finding(
      'Disk',
      'wrong',
      messageOf(error),
      `Make ${folder} writable for this user, or choose another --home.`,
    )
  }
  const found = `${formatBytes(free)} free, ${ms.toFixed(1)} ms per synced write`
  if (free < FULL_DISK)
    return finding('Disk', 'wrong', found, 'Free up space: a full disk stops the node.')
  if (free < SHORT_DISK)
    return finding('Disk', 'warning', found, 'Free up space, or enable pruning (docs/config.md).')
  return ms > SLOW_SYNC_MS
    ? finding('Disk', 'warning', found, 'Every block waits for this: use a local SSD.')
    : fine('Disk', found)
}
