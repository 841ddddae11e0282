/**
 * Gives every record of an older program's store its checksum (D86): the store is copied next to itself, in synced parts,
 * and the copy's file then takes its place. A process that ends before that leaves the store as it was, and the next
 * start resumes the copy where it left off.
 */
import fs from 'node:fs'
import path from 'node:path'
import { setImmediate as yieldToOthers } from 'node:timers/promises'
import { utf8 } from '../base/bytes.ts'
import { UserError } from '../base/errors.ts'
import { syncFolder } from '../base/files.ts'
import { openKv, type Kv } from './kv.ts'
import { KvError } from './kvError.ts'
import { lastTransactionOf } from './kvFile.ts'
import { openRoot } from './lmdbRoot.ts'
import { isUnsealedStore, META_TABLE } from './recordFormat.ts'
import { migrateSchema, UNSEALED_STEPS } from './schema.ts'

export type UpgradeOptions = {
  /** Called after each part with the share that is done, from 0 to 1. */
  readonly onProgress?: (done: number) => void
  /** Stops between two parts, with its reason as error. */
  readonly signal?: AbortSignal
  /** Maximum number of bytes of records in a part, which is written in one transaction. */
  readonly partSize?: number
}

const PART_SIZE = 16 << 20

/** What a copy has taken: of the store as its transaction with this number left it, all records up to this one. */
type Cursor = {
  readonly transaction: string
  readonly table: string
  /** In hex; empty before a table's first record. */
  readonly key: string
  readonly records: number
}

const CURSOR_KEY = utf8('upgrade')

const DATA = 'data.mdb'

/** Where the copy is made. */
function copyOf(folder: string): string {
  return `${folder}.upgrade`
}

/** Whether the store in a folder was written by a program from before checksums. */
export async function needsUpgrade(folder: string): Promise<boolean> {
  if (!fs.existsSync(path.join(folder, DATA))) return false
  const root = openRoot(folder, true, false)
  try {
    return isUnsealedStore(root)
  } finally {
    await root.close()
  }
}

/**
 * Upgrades the store in a folder if an older program wrote it; nobody else may have it open. Throws UserError when the
 * disk has too little space, or the store cannot be carried over; then it stays as it was.
 */
export async function upgradeStore(folder: string, options: UpgradeOptions = {}): Promise<void> {
  const copy = copyOf(folder)
  if (await needsUpgrade(folder)) {
    await bringForward(folder)
    requireSpace(folder, copy)
    await copyStore(folder, copy, options)
    fs.renameSync(path.join(copy, DATA), path.join(folder, DATA))
    syncFolder(folder)
  }
  fs.rmSync(copy, { recursive: true, force: true })
}

/** The steps that were there before checksums. */
async function bringForward(folder: string): Promise<void> {
  const kv = openKv(folder, { isUnsealed: true })
  try {
    migrateSchema(kv, UNSEALED_STEPS)
  } finally {
    await kv.close()
  }
}

/** Room for a checksum per record, and for pages that are not quite full. */
const GROWTH = 1.2

function requireSpace(folder: string, copy: string): void {
  const { size } = fs.statSync(path.join(folder, DATA))
  const begun = path.join(copy, DATA)
  const has = fs.existsSync(begun) ? fs.statSync(begun).size : 0
  const { bavail, bsize } = fs.statfsSync(path.dirname(folder))
  const missing = Math.ceil(size * GROWTH) - has - bavail * bsize
  if (missing <= 0) return
  throw new UserError(
    `the store of an older version is upgraded by a copy, for which the disk of ${folder} lacks ${megabytes(missing)}`,
    'Free up space and start again. The store was not changed, and the older version still runs on it.',
  )
}

function megabytes(bytes: number): string {
  return `${Math.ceil(bytes / 1e6)} MB`
}

/** The tables to copy, by name, and their number of records. */
async function tablesOf(folder: string): Promise<{ names: string[]; records: number }> {
  const root = openRoot(folder, true, false)
  try {
    // lmdb keeps the zero byte that ends a name.
    const names = Array.from(root.getKeys({}), (key) =>
      new TextDecoder().decode(key).replace(/\0$/, ''),
    )
    let records = 0
    for (const name of names) {
      const table = root.openDB({ name, encoding: 'binary', keyEncoding: 'binary' })
      records += (table.getStats() as { readonly entryCount: number }).entryCount
    }
    return { names: names.filter((name) => name !== META_TABLE), records }
  } finally {
    await root.close()
  }
}

/** Undefined for a copy that was not begun, or is damaged. */
function readCursor(target: Kv): Cursor | undefined {
  try {
    const record = target.table(META_TABLE).get(CURSOR_KEY)
    return record && (JSON.parse(new TextDecoder().decode(record)) as Cursor)
  } catch (error) {
    if (error instanceof KvError) return undefined
    throw error
  }
}

/** Undefined for what is no store. */
function openBegun(copy: string): Kv | undefined {
  try {
    return openKv(copy)
  } catch (error) {
    if (error instanceof KvError) return undefined
    throw error
  }
}

/** Opens the copy, and begins it again if it is of another state of the store. */
async function openCopy(copy: string, transaction: string): Promise<{ kv: Kv; from: Cursor }> {
  const begun = openBegun(copy)
  const cursor = begun && readCursor(begun)
  if (cursor?.transaction === transaction) return { kv: begun as Kv, from: cursor }
  await begun?.close()
  fs.rmSync(copy, { recursive: true, force: true })
  return { kv: openKv(copy), from: { transaction, table: '', key: '', records: 0 } }
}

async function copyStore(folder: string, copy: string, options: UpgradeOptions): Promise<void> {
  const { names, records } = await tablesOf(folder)
  const transaction = String(lastTransactionOf(folder))
  const { kv, from } = await openCopy(copy, transaction)
  const source = openKv(folder, { isUnsealed: true, readOnly: true })
  try {
    let cursor = from
    const begun = names.indexOf(from.table)
    for (const name of begun < 0 ? names : names.slice(begun)) {
      if (cursor.table !== name)
        cursor = { transaction, table: name, key: '', records: cursor.records }
      for (let rest: Cursor | undefined = cursor; rest !== undefined;) {
        rest = copyPart(source, kv, rest, options.partSize ?? PART_SIZE)
        cursor = rest ?? cursor
        options.onProgress?.(Math.min(1, cursor.records / Math.max(1, records)))
        // A stop is noticed here.
        await yieldToOthers()
        options.signal?.throwIfAborted()
      }
    }
    kv.write(() => kv.table(META_TABLE).remove(CURSOR_KEY))
    // This commit syncs the copy as a whole.
    migrateSchema(kv)
  } finally {
    await source.close()
    await kv.close()
  }
}

/** Copies records behind the cursor, in one transaction with the next cursor; undefined at the end of the table. */
function copyPart(source: Kv, target: Kv, cursor: Cursor, partSize: number): Cursor | undefined {
  const [from, to, meta] = [
    source.table(cursor.table),
    target.table(cursor.table),
    target.table(META_TABLE),
  ]
  const last = Buffer.from(cursor.key, 'hex')
  let { key: reached, records } = cursor
  let size = 0
  let isAtEnd = true
  target.write(() => {
    for (const { key, value } of from.range(last.length === 0 ? {} : { start: last })) {
      if (last.equals(key)) continue
      to.put(key, value)
      records++
      reached = Buffer.from(key).toString('hex')
      size += key.length + value.length
      if (size < partSize) continue
      isAtEnd = false
      break
    }
    const next: Cursor = { ...cursor, key: reached, records }
    meta.put(CURSOR_KEY, utf8(JSON.stringify(next)))
  })
  return isAtEnd ? undefined : { ...cursor, key: reached, records }
}
