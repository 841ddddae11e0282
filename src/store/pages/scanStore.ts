/** Reads the whole file of a store without mapping it (D89): all tables, all records that can be read, all damage. */
import { messageOf } from '../../base/errors.ts'
import { KvCorruptionError } from '../kvError.ts'
import { openPageFile, readTree, type PageFile, type Tree } from './pageFile.ts'
import { walkTree, type PageFault } from './walkTree.ts'

/** Damage of the store's file. */
export type StoreFault = {
  /** The table that lost records; undefined for what is not of one table. */
  readonly table: string | undefined
  /** What is wrong, as the end of a sentence. */
  readonly reason: string
  /** Keys that are lost: from the first up to, without, the second; undefined at the ends of a table. */
  readonly from?: Uint8Array | undefined
  readonly to?: Uint8Array | undefined
}

export type StoreScan = {
  /** Number of records read, by table. */
  readonly records: ReadonlyMap<string, number>
  readonly faults: readonly StoreFault[]
}

export type ScanOptions = {
  /** Called with every record that can be read; throws for one that is damaged. */
  readonly onRecord?: (table: string, key: Uint8Array, value: Uint8Array) => void
  /** Called with the table that is read next, and with the number of pages read of all. */
  readonly onProgress?: (table: string, pages: number, of: number) => void
}

/** Faults that are named; a file of noise has as many as it has pages. */
const MAX_FAULTS = 1000

const FREE_PAGES = 'the list of free pages'
const TABLES = 'the list of tables'
const PROGRESS_PAGES = 256

const compareKeys = (a: Buffer, b: Buffer): number => Buffer.compare(a, b)
const compareNumbers = (a: Buffer, b: Buffer): number =>
  Number(a.readBigUInt64LE(0) - b.readBigUInt64LE(0))

/** The pages of a record of the free list: single ones, and blocks as a negative length before their first page. */
function* freePages(value: Buffer): Generator<readonly [page: number, count: number]> {
  const count = Math.min(Number(value.readBigUInt64LE(0)), value.length / 8 - 1)
  for (let i = 1; i <= count; i++) {
    const entry = value.readBigInt64LE(i * 8)
    if (entry > 0n) yield [Number(entry), 1]
    if (entry < 0n && ++i <= count) yield [Number(value.readBigInt64LE(i * 8)), -Number(entry)]
  }
}

/** Completes "table t is damaged: …"; the record itself is named beside it. */
function reasonOf(error: unknown): string {
  return error instanceof KvCorruptionError ? `a record ${error.reason}` : messageOf(error)
}

function scanPages(file: PageFile, { onRecord, onProgress }: ScanOptions): StoreScan {
  const { meta } = file
  const used = new Set<number>()
  const faults: StoreFault[] = []
  const records = new Map<string, number>()
  let table = TABLES

  const add = (fault: StoreFault): void => {
    if (faults.length < MAX_FAULTS) faults.push(fault)
  }
  const addPage = (name: string | undefined, { page, reason, from, to }: PageFault): void =>
    add({ table: name, reason: `page ${page} ${reason}`, from, to })

  function claim(page: number, count: number): boolean {
    for (let i = page; i < page + count; i++) {
      if (used.has(i)) return false
      used.add(i)
      if (used.size % PROGRESS_PAGES === 0) onProgress?.(table, used.size, meta.lastPage + 1)
    }
    return true
  }

  function scanTable(name: string, tree: Tree): void {
    table = name
    onProgress?.(name, used.size, meta.lastPage + 1)
    const before = faults.length
    const found = walkTree(file, tree, {
      compare: compareKeys,
      claim,
      record(key, value) {
        try {
          onRecord?.(name, key, value)
        } catch (error) {
          add({ table: name, reason: reasonOf(error), from: key, to: key })
        }
      },
      fault: (fault) => addPage(name, fault),
    })
    records.set(name, found)
    if (found !== tree.entries && faults.length === before)
      add({ table: name, reason: `it has ${found} of ${tree.entries} records` })
  }

  const tables = new Map<string, Tree>()
  walkTree(file, meta.main, {
    compare: compareKeys,
    claim,
    record(key, value, isTree) {
      // lmdb ends names with a zero byte.
      if (isTree) tables.set(key.toString('latin1').replace(/\0$/, ''), readTree(value))
    },
    fault: (fault) => addPage(undefined, { ...fault, reason: `${fault.reason} (${TABLES})` }),
  })
  for (const [name, tree] of tables) scanTable(name, tree)

  table = FREE_PAGES
  const free = new Set<number>()
  walkTree(file, meta.free, {
    compare: compareNumbers,
    claim,
    record(_key, value) {
      for (const [page, count] of freePages(value))
        for (let i = page; i < page + count; i++) {
          if (i > meta.lastPage || used.has(i) || free.has(i))
            add({ table: undefined, reason: `page ${i} is in use and in ${FREE_PAGES}` })
          if (faults.length >= MAX_FAULTS) return
          free.add(i)
        }
    },
    fault: (fault) => addPage(undefined, { ...fault, reason: `${fault.reason} (${FREE_PAGES})` }),
  })
  return { records, faults }
}

/**
 * Scans the store in a folder, whose node is stopped. Any file can be scanned: it ends with faults, never with an error
 * or a signal.
 */
export function scanStore(folder: string, options: ScanOptions = {}): StoreScan {
  const nothing = (reason: string): StoreScan => ({
    records: new Map(),
    faults: [{ table: undefined, reason }],
  })
  let file: PageFile | undefined
  try {
    file = openPageFile(folder)
    if (file === undefined) return nothing('data.mdb does not begin as a file of LMDB')
    return scanPages(file, options)
  } catch (error) {
    return nothing(messageOf(error))
  } finally {
    file?.close()
  }
}
