/**
 * The blocks that draws bind (D32). First the number of a block that does not exist yet is settled for each new seed, and once
 * the block is there its hash: so the dispatcher cannot try seeds, and whoever makes blocks does not know the seed's owner.
 * While the chain is away, jobs wait.
 */
import { sql } from 'kysely'
import type { EvmChain } from '../onchain/chain.ts'
import type { DispatcherSql } from './tables.ts'

const BATCH = 1000

/** What one look has come to. */
export type Bindings = {
  /** Jobs that still wait for their block. */
  readonly waiting: number
  /** Whether the block of some was there. */
  readonly anyBound: boolean
}

/** Settles numbers and hashes for jobs that wait for theirs. Rejects as the chain does. */
export async function bindDrawBlocks({ db }: DispatcherSql, chain: EvmChain): Promise<Bindings> {
  const { rows: waiting } = await sql<{ id: string; draw_block: bigint | null }>`
    select id, draw_block from jobs
    where not planned and state in ('created', 'dispatched') and draw_block_hash is null
    order by run_at limit ${BATCH}`.execute(db)
  if (waiting.length === 0) return { waiting: 0, anyBound: false }
  // Asked only now: the next block comes after everything that was found.
  const head = await chain.head()
  const fresh = waiting.filter((job) => job.draw_block === null).map(({ id }) => id)
  if (fresh.length > 0)
    await sql`
      update jobs set draw_block = ${head + 1}
      where id = any(${fresh}::text[]) and draw_block is null`.execute(db)
  const due = new Set(waiting.flatMap((job) => job.draw_block ?? []))
  let anyBound = false
  for (const number of due) {
    if (number > head) continue
    const hash = await chain.blockHash(Number(number))
    if (hash === undefined) continue
    await sql`
      update jobs set draw_block_hash = ${hash}
      where draw_block = ${number} and draw_block_hash is null and not planned
        and state in ('created', 'dispatched')`.execute(db)
    anyBound = true
  }
  return { waiting: waiting.length, anyBound }
}
