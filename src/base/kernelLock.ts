/**
 * Locks of the kernel on files, flock(2): one holder on a machine, whatever containers and namespaces its processes are
 * in, and none once the holder is gone, however it ended (D67).
 *
 * Node has no call for it. The lock belongs to the open file, not to the process that asked, so on Linux a short-lived
 * program asks on a descriptor that it shares with us, and ours keeps the lock. macOS locks as part of open(2).
 */
import { spawnSync } from 'node:child_process'
import fs from 'node:fs'
import { codeOf, UserError } from './errors.ts'

/** O_EXLOCK and O_NONBLOCK of macOS, which Node does not name. */
const MACOS_EXCLUSIVE = 0x20 | 0x4

/** Programs that can lock descriptor 3: 0 means that they did, 1 without a word that another process holds it. */
const PROGRAMS: readonly (readonly [program: string, ...args: string[]])[] = [
  ['flock', '-n', '-x', '3'],
  [
    'perl',
    '-e',
    'open(my $f, "+<&=", 3) or die $!; flock($f, 6) or do { exit 1 if $!{EWOULDBLOCK}; die "$!\n" }',
  ],
  [
    'python3',
    '-c',
    'import fcntl\ntry: fcntl.flock(3, 6)\nexcept BlockingIOError: raise SystemExit(1)',
  ],
]

/** There are no locks on this file system or machine; whether another process uses the file cannot be known. */
export class NoLockError extends UserError {
  override readonly name = 'NoLockError'
}

function unavailable(file: string, reason: string): NoLockError {
  return new NoLockError(
    `cannot lock ${file}: ${reason}`,
    'Without a lock two nodes could sign for the same home. Keep the home on a local disk, not on a file system without flock(2), or let a remote signer sign (priv-validator-laddr).',
  )
}

/** Asks for the lock of an open file. Returns whether we have it now. */
function lockByProgram(descriptor: number, file: string): boolean {
  for (const [program, ...args] of PROGRAMS) {
    const { error, status, stderr } = spawnSync(program, args, {
      stdio: ['ignore', 'ignore', 'pipe', descriptor],
      encoding: 'utf8',
    })
    if (codeOf(error) === 'ENOENT') continue
    if (status === 0) return true
    const reason = error?.message ?? stderr.trim()
    if (status === 1 && reason === '') return false
    throw unavailable(file, reason === '' ? `${program} ended with ${status}` : reason)
  }
  throw unavailable(file, 'it takes one of the programs flock (util-linux), perl or python3')
}

function openOnMacos(file: string): number | undefined {
  const flags = fs.constants.O_RDWR | fs.constants.O_CREAT | MACOS_EXCLUSIVE
  try {
    return fs.openSync(file, flags, 0o600)
  } catch (error) {
    if (codeOf(error) === 'EAGAIN') return undefined
    if (codeOf(error) === 'ENOTSUP') throw unavailable(file, 'its file system has no locks')
    throw error
  }
}

/**
 * Opens `file`, which is created with mode 0600 if absent, and locks it. Returns a descriptor that holds the lock until
 * it, and every copy of it that a child process was given, is closed; undefined if the file is locked already, even by
 * this process. Throws NoLockError where the file system or the machine offers no locks.
 */
export function openLocked(file: string): number | undefined {
  if (process.platform === 'darwin') return openOnMacos(file)
  const descriptor = fs.openSync(file, fs.constants.O_RDWR | fs.constants.O_CREAT, 0o600)
  let isLocked = false
  try {
    isLocked = lockByProgram(descriptor, file)
  } finally {
    if (!isLocked) fs.closeSync(descriptor)
  }
  return isLocked ? descriptor : undefined
}
