/** Blocks as the page follows them. */

/** What the page keeps of a block. */
export type Head = {
  readonly height: number
  readonly hash: string
  /** Seconds since 1970. */
  readonly time: number
  readonly gasUsed: number
  readonly gasLimit: number
  readonly baseFee: bigint
  readonly transactions: readonly string[]
}

type Json = Readonly<Record<string, unknown>>

/** Reads a block or a header of a subscription; undefined when it is neither. */
export function readHead(value: unknown): Head | undefined {
  if (typeof value !== 'object' || value === null) return undefined
  const { number, hash, timestamp, gasUsed, gasLimit, baseFeePerGas, transactions } = value as Json
  if (typeof number !== 'string' || typeof hash !== 'string') return undefined
  return {
    height: Number(number),
    hash,
    time: Number(timestamp),
    gasUsed: Number(gasUsed),
    gasLimit: Number(gasLimit),
    baseFee: typeof baseFeePerGas === 'string' ? BigInt(baseFeePerGas) : 0n,
    transactions: Array.isArray(transactions) ? transactions.map(hashOf) : [],
  }
}

/** A transaction is a hash, or an object that has one. */
function hashOf(transaction: unknown): string {
  return typeof transaction === 'string' ? transaction : String((transaction as Json)['hash'])
}

/** Puts new heads before known ones: the latest first, one of each height, at most `limit`. */
export function mergeHeads(
  known: readonly Head[],
  news: readonly Head[],
  limit: number,
): readonly Head[] {
  const byHeight = new Map([...known, ...news].map((head) => [head.height, head]))
  return [...byHeight.values()].sort((a, b) => b.height - a.height).slice(0, limit)
}

/** Sums over the last `seconds` of chain time, the oldest first. The current second is not over and is omitted. */
export function perSecond(
  heads: readonly Head[],
  seconds: number,
  amount: (head: Head) => number,
): readonly number[] {
  const now = heads[0]?.time ?? 0
  const sums = Array.from({ length: seconds }, () => 0)
  for (const head of heads) {
    const index = seconds - (now - head.time)
    if (index >= 0 && index < seconds) sums[index] = (sums[index] ?? 0) + amount(head)
  }
  return sums
}
