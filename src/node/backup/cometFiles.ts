/**
 * CometBFT's own stores, copied while it runs. They are LevelDB: tables (*.ldb) never change, the journal (*.log) and the
 * manifest only grow, and a start recovers from a journal that ends anywhere. So a copy is consistent if no file came or
 * went, and no manifest grew, while all of them were opened; what is deleted afterwards can still be read
 * (D108).
 */
import fs from 'node:fs'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { UserError } from '../../base/errors.ts'
import type { Manifest } from './manifest.ts'
import type { Repository } from './repository.ts'

/** The state comes before the blocks: a start executes a block that the state lacks, but cannot do without one. */
const STORES = ['state.db', 'evidence.db', 'blockstore.db']

/** LOCK is the running process's, LOG tells of its past. */
const COPIED = /^(CURRENT|MANIFEST-\d+|\d+\.(ldb|log))$/

const PART = 4 << 20
const ATTEMPTS = 100
const PAUSE_MS = 100

type CometFile = Manifest['files'][number]

/** A file of a store as it was when its store was captured. */
type OpenFile = {
  /** Under `data`, with slashes. */
  readonly path: string
  readonly handle: number
  readonly size: number
  /** Time of the last change, in milliseconds. */
  readonly modified: number
}

function listStore(folder: string): ReadonlyMap<string, number> {
  const names = fs.readdirSync(folder).filter((name) => COPIED.test(name))
  return new Map(names.map((name) => [name, fs.statSync(path.join(folder, name)).size]))
}

function isSame(before: ReadonlyMap<string, number>, after: ReadonlyMap<string, number>): boolean {
  return (
    before.size === after.size &&
    [...before].every(([name, size]) =>
      // A journal may have grown since.
      name.endsWith('.log') ? after.has(name) : after.get(name) === size,
    )
  )
}

function closeAll(files: readonly OpenFile[]): void {
  for (const { handle } of files) fs.closeSync(handle)
}

/** Opens every file of a store; undefined if the store changed in between. */
function captureStore(data: string, store: string): readonly OpenFile[] | undefined {
  const folder = path.join(data, store)
  const files: OpenFile[] = []
  try {
    const before = listStore(folder)
    for (const name of before.keys()) {
      const handle = fs.openSync(path.join(folder, name), 'r')
      const { size, mtimeMs } = fs.fstatSync(handle)
      files.push({ path: `${store}/${name}`, handle, size, modified: Math.trunc(mtimeMs) })
    }
    if (isSame(before, listStore(folder))) return files
  } catch (error) {
    // A table was deleted between the list and its opening.
    if (!(error instanceof Error && 'code' in error && error.code === 'ENOENT')) throw error
  }
  closeAll(files)
  return undefined
}

function captureAll(data: string): readonly OpenFile[] | undefined {
  const files: OpenFile[] = []
  for (const store of STORES) {
    const captured = captureStore(data, store)
    if (captured === undefined) {
      closeAll(files)
      return undefined
    }
    files.push(...captured)
  }
  return files
}

/** All stores at one height, which `heightNow` tells. Throws UserError if they never stay the same long enough. */
async function capture(
  data: string,
  heightNow: () => Promise<number>,
): Promise<readonly OpenFile[]> {
  for (const store of STORES)
    if (!fs.existsSync(path.join(data, store)))
      throw new UserError(
        `${path.join(data, store)} is not there: CometBFT runs elsewhere, or keeps its blocks in another kind of store`,
        'Back up the home whose CometBFT has the blocks.',
      )
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    const before = await heightNow()
    const files = captureAll(data)
    if (files !== undefined) {
      if ((await heightNow()) === before) return files
      closeAll(files)
    }
    await sleep(PAUSE_MS)
  }
  throw new UserError(
    "CometBFT's stores changed too fast to be copied",
    'Run the backup again when there is less traffic.',
  )
}

function copyFile(
  { handle, size, path: name, modified }: OpenFile,
  repository: Repository,
): CometFile {
  const chunks = []
  for (let at = 0; at < size; at += PART) {
    const part = Buffer.alloc(Math.min(PART, size - at))
    if (fs.readSync(handle, part, 0, part.length, at) < part.length)
      throw new UserError(`${name} was cut while it was copied`, 'Run the backup again.')
    chunks.push(repository.put(part))
  }
  return { path: name, modified, chunks }
}

/** Whether an earlier backup has this table: its content never changes. */
function isKnown({ path: name, modified }: OpenFile, known: CometFile | undefined): boolean {
  return name.endsWith('.ldb') && known?.modified === modified
}

/**
 * Copies the stores under `data` into the repository. Tables that are in `earlier`, the list of an earlier backup of
 * the same home, are not read again. Throws UserError.
 */
export async function copyCometFiles(
  data: string,
  repository: Repository,
  earlier: readonly CometFile[],
  heightNow: () => Promise<number>,
): Promise<Manifest['files']> {
  const known = new Map(earlier.map((file) => [file.path, file]))
  const files = await capture(data, heightNow)
  try {
    return files.map((file) => {
      const same = known.get(file.path)
      if (same !== undefined && isKnown(file, same) && same.chunks.every(repository.has))
        return same
      return copyFile(file, repository)
    })
  } finally {
    closeAll(files)
  }
}
