/** tx_search: finds transactions whose events match a query. */
import { ConsensusError } from '../../consensus/engine.ts'
import type { BlockHits, EventIndex, HeightRange } from '../../consensus/eventIndex.ts'
import { decodeGoHex } from '../../consensus/goHex.ts'
import type { Condition, Query } from '../query/query.ts'
import { TRANSACTION_STEPS, type SearchBudget } from './budget.ts'
import { compileEventMatch } from './matchEvent.ts'
import { planSearch } from './plan.ts'

/** Position of a transaction: its block, and its index among the block's decided transactions. */
export type Place = { readonly height: number; readonly index: number }

/** What the search reads. */
export type TransactionSource = {
  readonly index: EventIndex
  /** By SHA-256 of the transaction. */
  findTransaction(hash: Uint8Array): Place | undefined
  readonly range: HeightRange
}

const HASH_TAG = 'tx.hash'
const HEIGHT_TAG = 'tx.height'

/** Number of blocks read from the index at a time. */
const CHUNK = 500

/** A list of the index that is read chunk by chunk. */
type Reading = {
  readonly hits: BlockHits[]
  /** Reads the next chunk. False at the end of the list. */
  next(): Promise<boolean>
}

function openReading(
  read: (range: HeightRange, limit: number) => readonly BlockHits[],
  { first, last }: HeightRange,
  budget: SearchBudget,
): Reading {
  const hits: BlockHits[] = []
  let from = first
  return {
    hits,
    async next() {
      const chunk = read({ first: from, last }, CHUNK)
      hits.push(...chunk)
      await budget.spend(chunk.reduce((sum, { indexes }) => sum + 1 + indexes.length, 0))
      from = (chunk.at(-1)?.height ?? last) + 1
      return chunk.length === CHUNK
    },
  }
}

/** Reads several lists in turn until the first of them ends: the shortest, and so the best to search by. */
async function readShortest(readings: readonly Reading[]): Promise<readonly BlockHits[]> {
  for (;;) for (const reading of readings) if (!(await reading.next())) return reading.hits
}

function findHash(source: TransactionSource, { operand }: Condition): readonly Place[] {
  const hash = decodeGoHex(operand?.text ?? '')
  if (!(hash instanceof Uint8Array))
    throw new ConsensusError(`error during searching for a hash in the query: ${hash.fault}`)
  if (hash.length === 0)
    throw new ConsensusError('error while retrieving the result: transaction hash cannot be empty')
  const place = source.findTransaction(hash)
  return place === undefined ? [] : [place]
}

async function candidates(
  { index }: TransactionSource,
  range: HeightRange,
  conditions: Query,
  budget: SearchBudget,
): Promise<readonly BlockHits[]> {
  const exact = conditions.filter(({ operator }) => operator === '=')
  const readings = exact.map(({ tag, operand }) =>
    openReading((part, limit) => index.find(tag, operand?.text ?? '', part, limit), range, budget),
  )
  if (readings.length > 0) return readShortest(readings)
  return readShortest([openReading((part, limit) => index.blocks(part, limit), range, budget)])
}

/**
 * Positions of the transactions that a query finds, ascending. A hash alone decides. Throws ConsensusError, also when
 * the budget is used up.
 */
export async function searchTransactions(
  source: TransactionSource,
  query: Query,
  budget: SearchBudget,
): Promise<readonly Place[]> {
  const byHash = query.find(({ tag }) => tag === HASH_TAG)
  if (byHash !== undefined) return findHash(source, byHash)

  const { range, conditions, onHeight, isBounded } = planSearch(query, HEIGHT_TAG, source.range)
  const { index } = source
  if (!isBounded || !conditions.every(({ tag }) => index.isTransactionTag(tag))) return []
  // The height is not an attribute of any event, so no event meets conditions on both.
  if (conditions.length > 0 && onHeight.length > 0) return []
  const hits = (await candidates(source, range, conditions, budget)).filter(({ height }) =>
    onHeight.every(({ operand }) => String(height).includes(operand?.text ?? '')),
  )
  const places = hits.flatMap(({ height, indexes }) => indexes.map((at) => ({ height, index: at })))
  // The index itself has already matched a single exact value.
  const isDecided = conditions.length === 1 && conditions[0]?.operator === '='
  if (conditions.length === 0 || isDecided) return places

  const matches = compileEventMatch(conditions)
  const found: Place[] = []
  for (const place of places) {
    await budget.spend(TRANSACTION_STEPS)
    if (index.transaction(place.height, place.index)?.result.events.some(matches)) found.push(place)
  }
  return found
}
