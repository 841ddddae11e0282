/** Walks a tree of the store's file: every record that can be read, and every page that cannot. */
import { PAGE_HEADER, PAGE_KIND, type PageFile, type Tree } from './pageFile.ts'
import { headerFault, kindOf, pageNodes, type PageNode } from './pageNodes.ts'

/** A page that cannot be read, and which keys are lost with it: from `from` up to, without, `to`. */
export type PageFault = {
  readonly page: number
  /** Completes "page 7 …". */
  readonly reason: string
  readonly from: Buffer | undefined
  readonly to: Buffer | undefined
}

export type Visitor = {
  readonly compare: (a: Buffer, b: Buffer) => number
  /** Takes pages for the tree; false if one has been taken before. */
  claim(page: number, count: number): boolean
  record(key: Buffer, value: Buffer, isTree: boolean): void
  fault(fault: PageFault): void
  /** Where to begin: pages whose keys are all lower are left out. */
  readonly start?: Buffer | undefined
  /** Asked before each page: whether to stop there. */
  isOver?(from: Buffer | undefined): boolean
}

type Span = { readonly from: Buffer | undefined; readonly to: Buffer | undefined }

/** Whether keys ascend and stay inside of what the page above says. A branch has no key before its first child. */
function areInOrder(
  nodes: readonly PageNode[],
  { from, to }: Span,
  isBranch: boolean,
  compare: Visitor['compare'],
): boolean {
  return nodes.every(({ key }, i) => {
    if (isBranch && i === 0) return true
    const before = i > (isBranch ? 1 : 0) ? nodes[i - 1]?.key : undefined
    if (before !== undefined && compare(before, key) >= 0) return false
    if (from !== undefined && compare(key, from) < 0) return false
    return to === undefined || compare(key, to) < 0
  })
}

/** Walks a tree and returns how many records it read. */
export function walkTree(file: PageFile, tree: Tree, visitor: Visitor): number {
  const { transaction, lastPage, pageSize } = file.meta
  const { start } = visitor
  let records = 0

  function pageFault(bytes: Buffer, page: number, kind: number): string | undefined {
    const fault = headerFault(bytes, page, transaction)
    if (fault !== undefined) return fault
    return kindOf(bytes) === kind ? undefined : 'is of another kind'
  }

  function readOverflow({ size, overflow }: PageNode): Buffer | string {
    const { page, count } = overflow ?? { page: 0, count: 0 }
    const needed = Math.floor((PAGE_HEADER - 1 + size) / pageSize) + 1
    if (page > lastPage || count !== needed) return 'is not where its record says'
    const bytes = file.read(page, count)
    if (bytes === undefined) return 'lies beyond the end of the file'
    const fault = pageFault(bytes, page, PAGE_KIND.overflow)
    if (fault !== undefined) return fault
    if (bytes.readUInt32LE(20) !== count) return 'has another length than its record says'
    if (!visitor.claim(page, count)) return 'belongs to two records'
    return bytes.subarray(PAGE_HEADER, PAGE_HEADER + size)
  }

  function visitLeaf(nodes: readonly PageNode[], to: Buffer | undefined): void {
    for (const [i, node] of nodes.entries()) {
      const { key, value, overflow, isTree } = node
      const data = overflow === undefined ? value : readOverflow(node)
      if (typeof data !== 'string') {
        records++
        visitor.record(key, data, isTree)
      } else {
        const page = overflow?.page ?? 0
        visitor.fault({ page, reason: data, from: key, to: nodes[i + 1]?.key ?? to })
      }
    }
  }

  function visit(page: number, level: number, span: Span): void {
    if (visitor.isOver?.(span.from) === true) return
    const fail = (reason: string): void => visitor.fault({ page, reason, ...span })
    if (page > lastPage) return fail('is none of this file')
    const bytes = file.read(page)
    if (bytes === undefined) return fail('lies beyond the end of the file')
    const isBranch = level < tree.depth
    const fault = pageFault(bytes, page, isBranch ? PAGE_KIND.branch : PAGE_KIND.leaf)
    if (fault !== undefined) return fail(fault)
    const nodes = pageNodes(bytes)
    if (nodes === undefined) return fail('has records outside of its bounds')
    if (!areInOrder(nodes, span, isBranch, visitor.compare)) return fail('has keys out of order')
    if (!visitor.claim(page, 1)) return fail('is in two places')
    if (!isBranch) return visitLeaf(nodes, span.to)
    for (const [i, { key, child }] of nodes.entries()) {
      const to = nodes[i + 1]?.key ?? span.to
      const isBefore = start !== undefined && to !== undefined && visitor.compare(to, start) <= 0
      if (!isBefore) visit(child, level + 1, { from: i === 0 ? span.from : key, to })
    }
  }

  if (tree.root !== undefined) visit(tree.root, 1, { from: undefined, to: undefined })
  return records
}
