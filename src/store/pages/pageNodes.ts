/** The nodes of one page of the store's file, checked against the page's own bounds. */
import { PAGE_HEADER, PAGE_KIND } from './pageFile.ts'

/** Where a value too large for its page is. */
export type Overflow = { readonly page: number; readonly count: number }

export type PageNode = {
  readonly key: Buffer
  /** In a branch, the number of the page below. */
  readonly child: number
  /** In a leaf: the value, or the size of one that is elsewhere. */
  readonly value: Buffer
  readonly size: number
  readonly overflow: Overflow | undefined
  /** Whether the value is a tree: LMDB's record of a table. */
  readonly isTree: boolean
}

const NODE_HEADER = 8
const FLAG_OVERFLOW = 1
const FLAG_TREE = 2
const OVERFLOW_SIZE = 24
const NOTHING = Buffer.alloc(0)

/** What is wrong with a page's header, or undefined. `transaction` is the last one that was committed. */
export function headerFault(bytes: Buffer, page: number, transaction: number): string | undefined {
  if (bytes.readBigUInt64LE(0) !== BigInt(page))
    return bytes.every((byte) => byte === 0) ? 'is all zeros' : 'is another page'
  if (bytes.readBigUInt64LE(8) > BigInt(transaction)) return 'is of a later transaction'
  return undefined
}

/** The page's kind, from its flags; undefined for none of a tree. */
export function kindOf(bytes: Buffer): number {
  return bytes.readUInt16LE(18) & (PAGE_KIND.branch | PAGE_KIND.leaf | PAGE_KIND.overflow)
}

function readOverflow(data: Buffer): Overflow {
  return { page: Number(data.readBigUInt64LE(0)), count: Number(data.readBigUInt64LE(16)) }
}

/** The nodes of a branch or a leaf; undefined if one lies outside of the page. */
export function pageNodes(bytes: Buffer): readonly PageNode[] | undefined {
  const isBranch = kindOf(bytes) === PAGE_KIND.branch
  const [lower, upper] = [bytes.readUInt16LE(20), bytes.readUInt16LE(22)]
  const end = bytes.length - PAGE_HEADER
  if (lower % 2 !== 0 || lower > upper || upper > end) return undefined
  const nodes: PageNode[] = []
  for (let i = 0; i < lower / 2; i++) {
    const offset = bytes.readUInt16LE(PAGE_HEADER + 2 * i)
    if (offset < upper || offset + NODE_HEADER > end) return undefined
    const node = bytes.subarray(PAGE_HEADER + offset)
    const word = node.readUInt32LE(0)
    const flags = node.readUInt16LE(4)
    const dataStart = NODE_HEADER + node.readUInt16LE(6)
    if (dataStart > node.length) return undefined
    const key = node.subarray(NODE_HEADER, dataStart)
    if (isBranch) {
      const child = word + flags * 2 ** 32
      nodes.push({ key, child, value: NOTHING, size: 0, overflow: undefined, isTree: false })
      continue
    }
    const isOverflow = (flags & FLAG_OVERFLOW) !== 0
    const dataEnd = dataStart + (isOverflow ? OVERFLOW_SIZE : word)
    if (dataEnd > node.length) return undefined
    const value = node.subarray(dataStart, dataEnd)
    nodes.push({
      key,
      child: 0,
      value,
      size: word,
      overflow: isOverflow ? readOverflow(value) : undefined,
      isTree: (flags & FLAG_TREE) !== 0,
    })
  }
  return nodes
}
