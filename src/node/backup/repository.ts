/**
 * The folder of a home's backups. Chunks are files named after their SHA-256, in 256 folders, shared by all backups; a
 * backup exists once its manifest does, which is written last. So a process that ends at any moment leaves the earlier
 * backups as they were, and chunks that the next one uses or removes.
 */
import fs from 'node:fs'
import path from 'node:path'
import { codeOf, UserError } from '../../base/errors.ts'
import { syncFolder, writeFileAtomic } from '../../base/files.ts'
import { toHexDigits } from '../../base/hex.ts'
import { takeLock } from '../../base/lock.ts'
import { sha256 } from '../../base/sha256.ts'
import {
  chunksOf,
  decodeManifest,
  encodeManifest,
  heightOfName,
  type Chunk,
  type Manifest,
  type NewManifest,
} from './manifest.ts'

/** Chunks and bytes that a backup added. */
export type Added = { chunks: number; bytes: number }

export type Repository = {
  /** Stores a chunk that is not there yet, and reads it back. Throws UserError when the disk does not hold what was written. */
  put(bytes: Uint8Array): Chunk
  /** Throws UserError that names a chunk which is missing or damaged. */
  get(chunk: Chunk): Uint8Array
  /** Whether a chunk is there, by its size, or in a verifying repository by its content. */
  has(chunk: Chunk): boolean
  /** Heights of the backups, ascending. */
  heights(): readonly number[]
  /** The backup of a height, or the latest one. Throws UserError. */
  manifest(height?: number): Manifest
  /** Makes a backup valid, then removes all but the last `keep` and the chunks that only those needed. */
  finish(manifest: NewManifest, keep: number | undefined): void
  readonly added: Readonly<Added>
  close(): void
}

const CHUNKS = 'chunks'
const MANIFESTS = 'backups'

function namesIn(folder: string): readonly string[] {
  try {
    return fs.readdirSync(folder)
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return []
    throw error
  }
}

export type RepositoryOptions = {
  /** Creates the folder, and keeps a second backup away. */
  readonly isWriting: boolean
  /** Reads chunks that are there already, and replaces damaged ones. */
  readonly isVerifying?: boolean
}

/** Opens the folder. Throws UserError. */
export function openRepository(
  folder: string,
  { isWriting, isVerifying = false }: RepositoryOptions,
): Repository {
  const manifests = path.join(folder, MANIFESTS)
  const chunkFile = (hash: string): string => path.join(folder, CHUNKS, hash.slice(0, 2), hash)
  const names = (): readonly string[] =>
    namesIn(manifests)
      .filter((name) => heightOfName(name) !== undefined)
      .sort()
  if (isWriting) fs.mkdirSync(manifests, { recursive: true, mode: 0o700 })
  else if (names().length === 0)
    throw new UserError(`${folder} has no backup`, 'Make one with: assay node backup FOLDER')
  const lock = isWriting ? takeLock(path.join(folder, 'lock'), folder) : undefined
  const added: Added = { chunks: 0, bytes: 0 }

  const read = (name: string): Manifest =>
    decodeManifest(name, fs.readFileSync(path.join(manifests, name), 'utf8'))

  function has({ hash, size }: Chunk): boolean {
    const file = chunkFile(hash)
    if (fs.statSync(file, { throwIfNoEntry: false })?.size !== size) return false
    return !isVerifying || toHexDigits(sha256(fs.readFileSync(file))) === hash
  }

  function get({ hash }: Chunk): Uint8Array {
    const file = chunkFile(hash)
    const advice =
      'Restore an earlier backup, or make a new one with --verify: it writes the chunk again.'
    let bytes: Uint8Array
    try {
      bytes = fs.readFileSync(file)
    } catch (error) {
      if (codeOf(error) !== 'ENOENT') throw error
      throw new UserError(`the chunk ${file} is missing`, advice)
    }
    if (toHexDigits(sha256(bytes)) !== hash)
      throw new UserError(`the chunk ${file} is damaged`, advice)
    return bytes
  }

  function removeUnneeded(keep: number): void {
    const kept = names().slice(-keep)
    for (const name of names().slice(0, -keep)) fs.rmSync(path.join(manifests, name))
    syncFolder(manifests)
    const needed = new Set(kept.flatMap((name) => [...chunksOf(read(name)).keys()]))
    for (const part of namesIn(path.join(folder, CHUNKS)))
      for (const name of namesIn(path.join(folder, CHUNKS, part)))
        if (!needed.has(name)) fs.rmSync(path.join(folder, CHUNKS, part, name))
  }

  return {
    added,
    has,
    get,
    put(bytes) {
      const chunk = { hash: toHexDigits(sha256(bytes)), size: bytes.length }
      if (has(chunk)) return chunk
      const file = chunkFile(chunk.hash)
      const created = fs.mkdirSync(path.dirname(file), { recursive: true, mode: 0o700 })
      if (created !== undefined) syncFolder(path.dirname(created))
      writeFileAtomic(file, bytes)
      get(chunk)
      added.chunks++
      added.bytes += bytes.length
      return chunk
    },
    heights: () => names().map((name) => heightOfName(name) ?? 0),
    manifest(height) {
      const name = names().findLast((each) => height === undefined || heightOfName(each) === height)
      if (name !== undefined) return read(name)
      throw new UserError(
        `there is no backup of height ${height}`,
        `There are those of: ${names()
          .map((each) => heightOfName(each))
          .join(', ')}.`,
      )
    },
    finish(manifest, keep) {
      const { name, text } = encodeManifest(manifest)
      writeFileAtomic(path.join(manifests, name), text)
      if (keep !== undefined) removeUnneeded(keep)
    },
    close: () => lock?.release(),
  }
}
