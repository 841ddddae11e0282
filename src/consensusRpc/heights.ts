/** Heights and pages requested by callers. Light clients match the messages by regular expression. */
import { ConsensusError, type ConsensusReader } from '../consensus/engine.ts'

const DEFAULT_PER_PAGE = 30
const MAX_PER_PAGE = 100

/**
 * The height to answer for: `latest` by default. `latest` is the last block, or one more where the next height is
 * already known. Throws ConsensusError for a height that does not exist.
 */
export function selectHeight(
  reader: Pick<ConsensusReader, 'earliestHeight'>,
  latest: number,
  requested: bigint | undefined,
): number {
  if (requested === undefined) return latest
  if (requested <= 0n) {
    throw new ConsensusError(`height must be greater than 0, but got ${requested}`)
  }
  if (requested > BigInt(latest)) {
    throw new ConsensusError(
      `height ${requested} must be less than or equal to the current blockchain height ${latest}`,
    )
  }
  const earliest = reader.earliestHeight()
  if (requested < BigInt(earliest)) {
    throw new ConsensusError(`height ${requested} is not available, lowest height is ${earliest}`)
  }
  return Number(requested)
}

/** Entries per page: 30 unless the caller requests 1 to 100. */
export function selectPerPage(requested: bigint | undefined): number {
  if (requested === undefined || requested < 1n) return DEFAULT_PER_PAGE
  return requested > BigInt(MAX_PER_PAGE) ? MAX_PER_PAGE : Number(requested)
}

/**
 * Which entries of a list a page shows: start…end. Pages count from 1. Throws ConsensusError for a page that does not
 * exist.
 */
export function selectPage(
  total: number,
  page: bigint | undefined,
  perPage: bigint | undefined,
): { readonly start: number; readonly end: number } {
  const size = selectPerPage(perPage)
  const pages = Math.max(1, Math.ceil(total / size))
  if (page !== undefined && (page < 1n || page > BigInt(pages))) {
    throw new ConsensusError(`page should be within [1, ${pages}] range, given ${page}`)
  }
  const start = (Number(page ?? 1n) - 1) * size
  return { start, end: Math.min(total, start + size) }
}

/**
 * Positions of a page in an ascending list that is shown in either order. Throws ConsensusError for an unknown order.
 */
export function selectOrdered(
  total: number,
  order: { readonly orderBy: string; readonly absent: 'asc' | 'desc' },
  page: bigint | undefined,
  perPage: bigint | undefined,
): readonly number[] {
  const orderBy = order.orderBy === '' ? order.absent : order.orderBy
  if (orderBy !== 'asc' && orderBy !== 'desc')
    throw new ConsensusError('expected order_by to be either `asc` or `desc` or empty')
  const { start, end } = selectPage(total, page, perPage)
  return Array.from({ length: end - start }, (_, i) =>
    orderBy === 'asc' ? start + i : total - 1 - start - i,
  )
}
