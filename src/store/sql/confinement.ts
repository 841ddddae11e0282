/**
 * Which user PostgreSQL runs as, and how. It refuses to run as root, so root first tries a user namespace in which its
 * own uid is called 65534 (file access stays the same, also below a 0700 home); where namespaces are forbidden,
 * binaries and data live in /var/lib/assay/<hash of the folder>, owned by 65534, and it runs as that user (D30).
 */
import { execFile, spawn } from 'node:child_process'
import type { ChildProcess } from 'node:child_process'
import { createHash } from 'node:crypto'
import { chmod, cp, lchown, mkdir, readdir, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { copyInstallation, exists, findInstallation, linkedInstallation } from './installation.ts'

const NOBODY = 65534
const SHELTERS = '/var/lib/assay'
const NAMESPACE = ['--user', `--map-user=${NOBODY}`, `--map-group=${NOBODY}`, '--']

/** How root runs PostgreSQL. */
export type RootMode = 'namespace' | 'copy'

/** Where PostgreSQL's files are, and how its programs are started there. */
export type Confinement = {
  /** Folder of the cluster: `data`, the log. */
  readonly folder: string
  /** Owner of the files written there, when it is not our own user. */
  readonly owner: number | undefined
  /** Starts a program of the installation in a session of its own, so that a terminal's Ctrl-C does not reach it. */
  start(program: 'initdb' | 'postgres', args: readonly string[], output: number): ChildProcess
}

/**
 * Decides how PostgreSQL runs for `folder` (an existing, absolute path without links). `lock` is the descriptor of its
 * lock, which the programs get: it stays locked until the last of them is gone. `rootMode` forces one mode for root;
 * other users always run it directly.
 */
export async function confine(
  folder: string,
  lock: number,
  rootMode?: RootMode,
): Promise<Confinement> {
  const packaged = findInstallation()
  if (process.geteuid?.() !== 0)
    return direct(folder, lock, await linkedInstallation(packaged, join(folder, 'engine')))
  const shelter = shelterOf(folder)
  const mode = rootMode ?? (await chooseRootMode(shelter))
  if (mode === 'namespace')
    return namespaced(folder, lock, await linkedInstallation(packaged, join(folder, 'engine')))
  return sheltered(folder, lock, shelter, packaged)
}

/** Where the cluster of `folder` lives when it cannot live there. */
export function shelterOf(folder: string): string {
  return join(SHELTERS, createHash('sha256').update(folder).digest('hex').slice(0, 16))
}

async function chooseRootMode(shelter: string): Promise<RootMode> {
  if (await exists(join(shelter, 'data'))) return 'copy'
  return promisify(execFile)('unshare', [...NAMESPACE, 'true']).then(
    () => 'namespace',
    () => 'copy',
  )
}

function direct(folder: string, lock: number, installation: string): Confinement {
  return {
    folder,
    owner: undefined,
    start: (program, args, output) =>
      spawn(join(installation, 'bin', program), args, spawning(folder, output, lock)),
  }
}

function namespaced(folder: string, lock: number, installation: string): Confinement {
  return {
    folder,
    owner: undefined,
    start: (program, args, output) =>
      spawn(
        'unshare',
        [...NAMESPACE, join(installation, 'bin', program), ...args],
        spawning(folder, output, lock),
      ),
  }
}

async function sheltered(
  folder: string,
  lock: number,
  shelter: string,
  packaged: string,
): Promise<Confinement> {
  // A strict umask must not make the path inaccessible to PostgreSQL's user.
  if ((await mkdir(SHELTERS, { recursive: true })) !== undefined) await chmod(SHELTERS, 0o755)
  await mkdir(shelter, { recursive: true, mode: 0o700 })
  const installation = await copyInstallation(packaged, join(shelter, 'engine'))
  await moveIn(join(folder, 'data'), join(shelter, 'data'))
  await handOver(shelter, NOBODY)
  return {
    folder: shelter,
    owner: NOBODY,
    start: (program, args, output) =>
      spawn(join(installation, 'bin', program), args, {
        ...spawning(shelter, output, lock),
        uid: NOBODY,
        gid: NOBODY,
      }),
  }
}

/** Takes over a cluster that ran in a namespace before. */
async function moveIn(source: string, target: string): Promise<void> {
  if ((await exists(target)) || !(await exists(source))) return
  const partial = `${target}.partial`
  await rm(partial, { recursive: true, force: true })
  await cp(source, partial, { recursive: true, verbatimSymlinks: true })
  await rename(partial, target)
}

/** Gives a folder and everything in it to a user. */
async function handOver(folder: string, owner: number): Promise<void> {
  await lchown(folder, owner, owner)
  for (const entry of await readdir(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name)
    if (entry.isDirectory()) await handOver(path, owner)
    else await lchown(path, owner, owner)
  }
}

function spawning(cwd: string, output: number, lock: number) {
  return {
    cwd,
    detached: true,
    stdio: ['ignore', output, output, lock] as ['ignore', number, number, number],
    env: { PATH: process.env['PATH'], LC_ALL: 'C', TZ: 'UTC' },
  }
}
