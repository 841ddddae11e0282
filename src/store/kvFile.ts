/**
 * Checks LMDB's file before it is mapped into memory: a page missing from the file would end the process with SIGBUS
 * instead of an error. The layout is that of LMDB's meta pages (lmdb.h, struct MDB_meta).
 */
import fs from 'node:fs'
import path from 'node:path'

const MAGIC = 0xbeefc0de
const META_SIZE = 0xa0

/** Offsets in a meta page. */
const AT = {
  magic: 0x18,
  pageSize: 0x30,
  freeRoot: 0x58,
  mainRoot: 0x88,
  lastPage: 0x90,
  transaction: 0x98,
} as const

/** The root of a tree without pages. */
const NO_PAGE = 2n ** 64n - 1n

/** A transaction may end with pages that it allocated and freed: those are counted, but never written. */
const UNWRITTEN_PAGES = 256n

type Meta = {
  readonly pageSize: number
  readonly neededPages: bigint
  readonly transaction: bigint
}

function neededPages(meta: Buffer): bigint {
  const roots = [AT.freeRoot, AT.mainRoot].map((at) => meta.readBigUInt64LE(at))
  const pages = [
    ...roots.filter((root) => root !== NO_PAGE),
    meta.readBigUInt64LE(AT.lastPage) - UNWRITTEN_PAGES,
  ]
  return pages.reduce((most, page) => (page > most ? page : most), 0n) + 1n
}

function readMeta(handle: number, offset: number): Meta | undefined {
  const bytes = Buffer.alloc(META_SIZE)
  if (fs.readSync(handle, bytes, 0, META_SIZE, offset) < META_SIZE) return undefined
  if (bytes.readUInt32LE(AT.magic) !== MAGIC) return undefined
  return {
    pageSize: bytes.readUInt32LE(AT.pageSize),
    neededPages: neededPages(bytes),
    transaction: bytes.readBigUInt64LE(AT.transaction),
  }
}

/** The number of the last transaction in the store's file in a folder, which must be an LMDB file. */
export function lastTransactionOf(folder: string): bigint {
  const handle = fs.openSync(path.join(folder, 'data.mdb'), 'r')
  try {
    const first = readMeta(handle, 0)
    const second = first && readMeta(handle, first.pageSize)
    const [a, b] = [first?.transaction ?? 0n, second?.transaction ?? 0n]
    return a > b ? a : b
  } finally {
    fs.closeSync(handle)
  }
}

/** What is wrong with the store's file in a folder, as the end of a sentence; undefined if it can be opened. */
export function faultOfStoreFile(folder: string): string | undefined {
  const file = path.join(folder, 'data.mdb')
  // LMDB initializes an empty file, which a crash right after creation leaves.
  if (!fs.existsSync(file) || fs.statSync(file).size === 0) return undefined
  const handle = fs.openSync(file, 'r')
  try {
    const first = readMeta(handle, 0)
    const second = first && readMeta(handle, first.pageSize)
    if (first === undefined || second === undefined) return `${file} is not an LMDB file`
    const latest = first.transaction > second.transaction ? first : second
    const needed = latest.neededPages * BigInt(latest.pageSize)
    const { size } = fs.fstatSync(handle)
    return BigInt(size) < needed
      ? `${file} is truncated: it has ${size} of at least ${needed} bytes`
      : undefined
  } finally {
    fs.closeSync(handle)
  }
}
