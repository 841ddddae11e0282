/** Reads a store's tables a part at a time, while the node goes on (D92). */
import { messageOf } from '../../base/errors.ts'
import { readTree, type PageFile, type Tree } from './pageFile.ts'
import type { StoreFault } from './scanStore.ts'
import { walkTree } from './walkTree.ts'

/** Where the next part begins. */
export type ScanPosition = { readonly table: string; readonly key: Buffer | undefined }

export type ScannedPart = {
  readonly faults: readonly StoreFault[]
  /** Number of pages of tables read. */
  readonly pages: number
  /** Undefined when all tables were read. */
  readonly next: ScanPosition | undefined
}

const TABLES = 'the list of tables'

const compare = (a: Buffer, b: Buffer): number => Buffer.compare(a, b)

/**
 * Reads some `maxPages` pages from a position on, undefined for the first. Meanwhile the caller holds a snapshot of the
 * store, so that no page of the file's last transaction is used again. `onRecord` throws for a damaged record.
 */
export function scanPart(
  file: PageFile,
  position: ScanPosition | undefined,
  maxPages: number,
  onRecord: (table: string, key: Uint8Array, value: Uint8Array) => void,
): ScannedPart {
  const faults: StoreFault[] = []
  let pages = 0

  const claim = (_page: number, count: number): boolean => {
    pages += count
    return true
  }
  const tables: (readonly [name: string, tree: Tree])[] = []
  walkTree(file, file.meta.main, {
    compare,
    claim,
    record(key, value, isTree) {
      // lmdb ends names with a zero byte.
      if (isTree) tables.push([key.toString('latin1').replace(/\0$/, ''), readTree(value)])
    },
    fault: ({ page, reason }) =>
      faults.push({ table: undefined, reason: `page ${page} ${reason} (${TABLES})` }),
  })

  pages = 0
  for (const [name, tree] of tables) {
    if (position !== undefined && name < position.table) continue
    if (pages >= maxPages) return { faults, pages, next: { table: name, key: undefined } }
    let stop: ScanPosition | undefined
    const before = pages
    walkTree(file, tree, {
      compare,
      claim,
      start: position?.table === name ? position.key : undefined,
      isOver(from) {
        // At least the way down to one leaf, so that every part gets on.
        if (stop === undefined && pages >= maxPages && pages - before > tree.depth)
          stop = { table: name, key: from }
        return stop !== undefined
      },
      record(key, value) {
        try {
          onRecord(name, key, value)
        } catch (error) {
          faults.push({ table: name, reason: messageOf(error), from: key, to: key })
        }
      },
      fault: ({ page, reason, from, to }) =>
        faults.push({ table: name, reason: `page ${page} ${reason}`, from, to }),
    })
    if (stop !== undefined) return { faults, pages, next: stop }
  }
  return { faults, pages, next: undefined }
}
