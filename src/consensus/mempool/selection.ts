/** Which pending transactions the next block includes: the best paying first, each sender's in nonce order. */
import type { Transaction } from '../../chain/transaction.ts'
import type { PooledTransaction, SenderQueue } from './senderQueue.ts'

/** What the proposer earns per gas; negative when the transaction cannot pay the base fee. */
export function effectiveTip(transaction: Transaction, baseFee: bigint): bigint {
  const { maxFeePerGas, maxPriorityFeePerGas } = transaction
  const room = maxFeePerGas - baseFee
  return room < maxPriorityFeePerGas ? room : maxPriorityFeePerGas
}

/** Size of a transaction inside a block's Data record: a tag, the length as a varint, and the transaction itself. */
export function proposalSize(raw: Uint8Array): number {
  let size = 2 + raw.length
  for (let rest = raw.length; rest >= 0x80; rest = Math.floor(rest / 0x80)) size++
  return size
}

/** Whether a transaction pays the base fee, and in all at least the minimum price per gas (D81). */
export function paysEnough(
  transaction: Transaction,
  baseFee: bigint,
  minGasPrice: bigint,
): boolean {
  const tip = effectiveTip(transaction, baseFee)
  return tip >= 0n && baseFee + tip >= minGasPrice
}

export type SelectionLimits = {
  readonly baseFee: bigint
  /** Minimum price per gas, base fee and tip together. */
  readonly minGasPrice: bigint
  readonly maxGas: bigint
  /** Maximum total size of the transactions in protobuf encoding. */
  readonly maxBytes: number
}

type Head = {
  readonly tip: bigint
  readonly entry: PooledTransaction
  readonly index: number
  readonly queue: Pick<SenderQueue, 'entries' | 'pendingCount'>
}

const isBetter = (a: Head, b: Head) =>
  a.tip === b.tip ? a.entry.arrival < b.entry.arrival : a.tip > b.tip

/** A binary heap with the best head first: senders are ordered once, and again only when one is taken from. */
function createHeap() {
  const heap: Head[] = []
  const at = (index: number) => heap[index] as Head
  function swap(a: number, b: number): void {
    const held = at(a)
    heap[a] = at(b)
    heap[b] = held
  }
  return {
    push(head: Head): void {
      let index = heap.push(head) - 1
      while (index > 0) {
        const parent = (index - 1) >>> 1
        if (!isBetter(at(index), at(parent))) return
        swap(index, parent)
        index = parent
      }
    },
    pop(): Head | undefined {
      const best = heap[0]
      const last = heap.pop()
      if (best === undefined || last === undefined || heap.length === 0) return best
      heap[0] = last
      for (let index = 0; ;) {
        let child = 2 * index + 1
        if (child >= heap.length) return best
        if (child + 1 < heap.length && isBetter(at(child + 1), at(child))) child++
        if (!isBetter(at(child), at(index))) return best
        swap(index, child)
        index = child
      }
    },
  }
}

/**
 * Selects transactions from the senders' pending ones, in the order of a block. A sender whose next transaction pays too
 * little, is held back (D21a), or no longer fits, is skipped from there on.
 */
export function selectTransactions(
  senders: Iterable<Pick<SenderQueue, 'entries' | 'pendingCount'>>,
  limits: SelectionLimits,
): readonly PooledTransaction[] {
  const heap = createHeap()
  const enter = (queue: Head['queue'], index: number) => {
    const entry = queue.entries[index]
    if (entry === undefined || index >= queue.pendingCount() || entry.heldAt !== undefined) return
    const { baseFee, minGasPrice } = limits
    if (!paysEnough(entry.transaction, baseFee, minGasPrice)) return
    heap.push({ tip: effectiveTip(entry.transaction, baseFee), entry, index, queue })
  }
  for (const queue of senders) enter(queue, 0)

  const chosen: PooledTransaction[] = []
  let gas = limits.maxGas
  let bytes = limits.maxBytes
  for (let head = heap.pop(); head !== undefined; head = heap.pop()) {
    const { transaction } = head.entry
    const size = proposalSize(transaction.raw)
    if (transaction.gasLimit > gas || size > bytes) continue
    gas -= transaction.gasLimit
    bytes -= size
    chosen.push(head.entry)
    enter(head.queue, head.index + 1)
  }
  return chosen
}
