/**
 * Snapshots on disk: a folder for each, named after height and format, with its metadata and one file per chunk. A
 * folder gets its final name once everything in it is synced, so an unfinished one is never seen.
 */
import fs from 'node:fs'
import path from 'node:path'
import { codeOf, messageOf } from '../../base/errors.ts'
import { syncFolder, writeFileAtomic } from '../../base/files.ts'
import { sha256 } from '../../base/sha256.ts'
import {
  decodeMetadata,
  encodeMetadata,
  isChunk,
  SNAPSHOT_FORMAT,
  type SnapshotMetadata,
} from '../../ledger/snapshot/metadata.ts'
import type { Snapshot } from '../application.ts'

const METADATA = 'metadata'
const PARTIAL = '.partial'

/** A snapshot could not be written. The message says why. */
export class SnapshotFileError extends Error {
  override readonly name = 'SnapshotFileError'
}

const nameOf = (height: number): string => `${height}-${SNAPSHOT_FORMAT}`
const chunkFile = (folder: string, index: number): string => path.join(folder, `chunk-${index}`)

function describe(folder: string, error: unknown): SnapshotFileError {
  const advice = codeOf(error) === 'ENOSPC' ? '; free up space, or take fewer snapshots' : ''
  return new SnapshotFileError(`${folder} could not be written: ${messageOf(error)}${advice}`)
}

/**
 * Writes the chunks of a height's snapshot as they are produced, and awaits `pause` after each. Replaces an existing
 * one. Throws SnapshotFileError when writing fails, and rethrows errors of the chunks' source; nothing is left behind
 * then.
 */
export async function writeSnapshot(
  folder: string,
  of: Pick<SnapshotMetadata, 'height' | 'genesisHash'>,
  chunks: Iterable<Uint8Array>,
  pause?: () => Promise<void>,
): Promise<{ readonly chunks: number; readonly bytes: number }> {
  const final = path.join(folder, nameOf(of.height))
  const partial = `${final}${PARTIAL}`
  const chunkHashes: Uint8Array[] = []
  let bytes = 0
  const onDisk = (write: () => void): void => {
    try {
      write()
    } catch (error) {
      throw describe(folder, error)
    }
  }
  try {
    onDisk(() => {
      fs.rmSync(partial, { recursive: true, force: true })
      fs.mkdirSync(partial, { recursive: true })
    })
    for (const chunk of chunks) {
      onDisk(() => writeFileAtomic(chunkFile(partial, chunkHashes.length), chunk))
      chunkHashes.push(sha256(chunk))
      bytes += chunk.length
      await pause?.()
    }
    onDisk(() => {
      writeFileAtomic(path.join(partial, METADATA), encodeMetadata({ ...of, chunkHashes }))
      fs.rmSync(final, { recursive: true, force: true })
      fs.renameSync(partial, final)
      syncFolder(folder)
    })
    return { chunks: chunkHashes.length, bytes }
  } catch (error) {
    removeQuietly(partial)
    throw error
  }
}

/** What cannot be removed now is removed at the next start, or when the same height is written again. */
function removeQuietly(partial: string): void {
  try {
    fs.rmSync(partial, { recursive: true, force: true })
  } catch {}
}

function readSnapshot(folder: string): Snapshot | undefined {
  try {
    const metadata = fs.readFileSync(path.join(folder, METADATA))
    const { height, chunkHashes } = decodeMetadata(metadata)
    return {
      height,
      format: SNAPSHOT_FORMAT,
      chunks: chunkHashes.length,
      hash: sha256(metadata),
      metadata: new Uint8Array(metadata),
    }
  } catch {
    // Not one of ours, or damaged: it is not offered.
    return undefined
  }
}

/** The snapshots in a folder, the latest first. */
export function listSnapshotFiles(folder: string): readonly Snapshot[] {
  if (!fs.existsSync(folder)) return []
  return fs
    .readdirSync(folder)
    .filter((name) => !name.endsWith(PARTIAL))
    .map((name) => readSnapshot(path.join(folder, name)))
    .filter((snapshot) => snapshot !== undefined)
    .sort((a, b) => b.height - a.height)
}

/** One chunk as it was written; undefined when it is missing or damaged. */
export async function readChunk(
  folder: string,
  height: number,
  index: number,
): Promise<Uint8Array | undefined> {
  const of = path.join(folder, nameOf(height))
  try {
    const metadata = decodeMetadata(await fs.promises.readFile(path.join(of, METADATA)))
    const chunk = await fs.promises.readFile(chunkFile(of, index))
    return isChunk(metadata, index, chunk, sha256) ? chunk : undefined
  } catch {
    return undefined
  }
}

/** Removes all but the last `keep` snapshots. Reading one that is being removed yields nothing. */
export function pruneSnapshots(folder: string, keep: number): void {
  for (const { height } of listSnapshotFiles(folder).slice(keep))
    fs.rmSync(path.join(folder, nameOf(height)), { recursive: true, force: true })
}

/** Removes what a process left that ended while writing. */
export function removePartialSnapshots(folder: string): void {
  if (!fs.existsSync(folder)) return
  for (const name of fs.readdirSync(folder))
    if (name.endsWith(PARTIAL)) fs.rmSync(path.join(folder, name), { recursive: true, force: true })
}
