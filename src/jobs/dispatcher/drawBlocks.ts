/**
 * The blocks that draws are bound to (D32). Each new seed is first assigned the number of a block that does not exist
 * yet, and that block's hash once it exists: so the dispatcher cannot try out seeds, and block producers do not know
 * whose seed it is. Jobs wait while the chain cannot be reached.
 */
import { sql } from 'kysely'
import type { EvmChain } from '../onchain/chain.ts'
import { jobIs } from './lifecycle/predicates.ts'
import type { DispatcherSql } from './tables.ts'

const BATCH = 1000

/** Result of one pass. */
export type Bindings = {
  /** Number of jobs that are still waiting for their block. */
  readonly waiting: number
  /** Whether some jobs got the hash of their block. */
  readonly anyBound: boolean
}

/** Assigns jobs that wait for a block its number, or its hash once it exists. Rejects when the chain client does. */
export async function bindDrawBlocks({ db }: DispatcherSql, chain: EvmChain): Promise<Bindings> {
  const { rows: waiting } = await sql<{ id: string; draw_block: bigint | null }>`
    select id, draw_block from jobs
    where not planned and ${jobIs('unfinished')} and draw_block_hash is null
    order by run_at limit ${BATCH}`.execute(db)
  if (waiting.length === 0) return { waiting: 0, anyBound: false }
  // Requested only now, so that the next block comes after everything that was found.
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
        and ${jobIs('unfinished')}`.execute(db)
    anyBound = true
  }
  return { waiting: waiting.length, anyBound }
}
