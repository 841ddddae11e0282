/**
 * Rotation of logs by size. A program writes to its file directly, so that nothing is lost with its supervisor; the file
 * is therefore copied and cut, as logrotate's `copytruncate` does, and what the program appends next begins the new one
 * (D111).
 */
import fs from 'node:fs'
import { codeOf } from '../../base/errors.ts'

/** Limits on the logs of one program. */
export type Rotation = {
  /** Size in bytes at which the log is rotated; 0 never does. */
  readonly maxSize: number
  /** Number of older files, named `.1` (the latest) and up. */
  readonly keep: number
}

const PART = 1 << 20

/** Appends what `from` has beyond the length of `to`, until there is no more. */
function copyRest(from: number, to: number, start: number): number {
  const part = Buffer.alloc(PART)
  let at = start
  for (;;) {
    const count = fs.readSync(from, part, 0, PART, at)
    if (count === 0) return at
    for (let written = 0; written < count;)
      written += fs.writeSync(to, part, written, count - written)
    at += count
  }
}

function rename(from: string, to: string): void {
  try {
    fs.renameSync(from, to)
  } catch (error) {
    if (codeOf(error) !== 'ENOENT') throw error
  }
}

function rotate(file: string, keep: number): void {
  const partial = `${file}.partial`
  const from = fs.openSync(file, 'r+')
  const to = fs.openSync(partial, 'w', 0o600)
  try {
    const copied = copyRest(from, to, 0)
    fs.fsyncSync(to)
    for (let older = keep - 1; older >= 1; older--)
      rename(`${file}.${older}`, `${file}.${older + 1}`)
    // The copy has its name before the original is cut: whatever ends this process, every line is in a log.
    fs.renameSync(partial, `${file}.1`)
    // Only microseconds pass between the last read, which finds nothing more, and the cut.
    copyRest(from, to, copied)
    fs.ftruncateSync(from, 0)
  } finally {
    fs.closeSync(to)
    fs.closeSync(from)
    fs.rmSync(partial, { force: true })
  }
}

/**
 * Rotates a log that has grown too large, and returns whether it did. A process that ends meanwhile loses no line: at
 * worst the lines are in two files. Throws what the file system throws; the log is as it was then.
 */
export function rotateIfLarge(file: string, { maxSize, keep }: Rotation): boolean {
  const size = fs.statSync(file, { throwIfNoEntry: false })?.size ?? 0
  if (maxSize === 0 || size < maxSize) return false
  if (keep === 0) fs.truncateSync(file, 0)
  else rotate(file, keep)
  return true
}
