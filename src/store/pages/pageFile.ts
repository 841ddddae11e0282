/**
 * The store's file read page by page with plain reads. A memory map of a damaged file ends the process with SIGBUS or
 * SIGSEGV, which cannot be caught; this reader reports what is wrong instead. The layout is that of LMDB's mdb.c (data
 * format of lmdb-js 3: pages with a header of 24 bytes).
 */
import fs from 'node:fs'
import path from 'node:path'
import { openDirect } from './directFile.ts'

/** Size of a page's header: number, transaction, flags, bounds. */
export const PAGE_HEADER = 24

/** Kinds of pages, from their flags. */
export const PAGE_KIND = { branch: 1, leaf: 2, overflow: 4 } as const

const storeFile = (folder: string): string => path.join(folder, 'data.mdb')

/** The number that stands for no page. */
const NO_PAGE = 2n ** 64n - 1n

const MAGIC = 0xbeefc0de
const META_SIZE = 0xa0
const MIN_PAGE_SIZE = 512
const MAX_PAGE_SIZE = 65_536

/** A tree of pages: a table, the table of tables, or the list of free pages. */
export type Tree = {
  /** Number of the root's page; undefined for an empty tree. */
  readonly root: number | undefined
  readonly depth: number
  /** How many records the tree has. */
  readonly entries: number
}

/** One of the two roots of the store; a transaction replaces the older one. */
export type StoreMeta = {
  readonly pageSize: number
  readonly transaction: number
  readonly lastPage: number
  readonly free: Tree
  readonly main: Tree
}

export type PageFile = {
  readonly meta: StoreMeta
  /** `count` pages; undefined where the file ends before. */
  read(page: number, count?: number): Buffer | undefined
  close(): void
}

/** LMDB's struct MDB_db: 48 bytes. */
export function readTree(bytes: Buffer): Tree {
  const root = bytes.readBigUInt64LE(40)
  return {
    root: root === NO_PAGE ? undefined : Number(root),
    depth: bytes.readUInt16LE(6),
    entries: Number(bytes.readBigUInt64LE(32)),
  }
}

function readMeta(handle: number, offset: number): StoreMeta | undefined {
  const bytes = Buffer.alloc(META_SIZE)
  if (fs.readSync(handle, bytes, 0, META_SIZE, offset) < META_SIZE) return undefined
  if (bytes.readUInt32LE(PAGE_HEADER) !== MAGIC) return undefined
  const pageSize = bytes.readUInt32LE(0x30)
  if (pageSize < MIN_PAGE_SIZE || pageSize > MAX_PAGE_SIZE || (pageSize & (pageSize - 1)) !== 0)
    return undefined
  return {
    pageSize,
    transaction: Number(bytes.readBigUInt64LE(0x98)),
    lastPage: Number(bytes.readBigUInt64LE(0x90)),
    free: readTree(bytes.subarray(0x30, 0x60)),
    main: readTree(bytes.subarray(0x60, 0x90)),
  }
}

/**
 * Opens the file of a store; undefined if it does not begin as one. `isDirect` reads the disk itself, past the system's
 * cache of it, where the file system can. The caller closes it.
 */
export function openPageFile(folder: string, isDirect = false): PageFile | undefined {
  const file = storeFile(folder)
  const handle = fs.openSync(file, 'r')
  const first = readMeta(handle, 0)
  const second = first && readMeta(handle, first.pageSize)
  if (first === undefined || second === undefined || first.pageSize !== second.pageSize) {
    fs.closeSync(handle)
    return undefined
  }
  const meta = first.transaction > second.transaction ? first : second
  const { pageSize } = meta
  const direct = isDirect ? openDirect(file, pageSize) : undefined
  return {
    meta,
    read(page, count = 1) {
      if (direct !== undefined) return direct.read(page * pageSize, count * pageSize)
      const bytes = Buffer.alloc(pageSize * count)
      const read = fs.readSync(handle, bytes, 0, bytes.length, page * pageSize)
      return read === bytes.length ? bytes : undefined
    },
    close() {
      direct?.close()
      fs.closeSync(handle)
    },
  }
}
