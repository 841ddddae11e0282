/** Intervals in the database: which receipts each stands for. Their roots are settled here, once, whoever sends them. */
import { sql } from 'kysely'
import { sha256 } from '../../../base/sha256.ts'
import { merkleRoot } from '../../../proof/comet/merkle.ts'
import type { NewAnchor } from '../../registry/receipts.ts'
import type { DispatcherSql } from '../tables.ts'

/** Most receipts of an interval; the rest waits for the next one. */
const MAX_RECEIPTS = 16_384
/** Names the lock under which intervals are closed, among the database's advisory locks. */
const CLOSING_LOCK = 271_828_001
const CLAIM_SECONDS = 60

/** The end of the list on the chain: number and root of its last interval; 0 and zeros before the first. */
export type ChainEnd = { readonly interval: bigint; readonly root: Uint8Array }

/** Whether there is anything that is not anchored yet. */
export async function hasLooseReceipts({ db }: DispatcherSql): Promise<boolean> {
  const { rows } = await sql<{ any: boolean }>`
    select exists (select from receipts where interval is null)
      or exists (select from anchors where state = 'waiting') as any`.execute(db)
  return rows[0]?.any === true
}

/**
 * Closes an interval over all receipts that have none, behind the chain's last one, unless another one waits to be sent or
 * the last one was closed less than `intervalMs` ago.
 */
export async function closeInterval(
  { db }: DispatcherSql,
  end: ChainEnd,
  intervalMs: number,
): Promise<void> {
  await db.transaction().execute(async (transaction) => {
    await sql`select pg_advisory_xact_lock(${CLOSING_LOCK})`.execute(transaction)
    const { rows } = await sql<{ leaf: Buffer }>`
      select leaf from receipts where interval is null
        and not exists (select from anchors where state = 'waiting'
          or interval > ${end.interval}
          or (count < ${MAX_RECEIPTS}
            and created_at > now() - ${intervalMs} * interval '1 millisecond'))
      order by recorded_at, leaf limit ${MAX_RECEIPTS}`.execute(transaction)
    if (rows.length === 0) return
    const leaves = rows.map(({ leaf }) => leaf)
    const interval = end.interval + 1n
    await transaction
      .insertInto('anchors')
      .values({
        interval,
        root: Buffer.from(merkleRoot(sha256, leaves)),
        previous: Buffer.from(end.root),
        count: leaves.length,
      })
      .execute()
    await sql`
      update receipts set interval = ${interval}, position = placed.at - 1
      from unnest(${leaves}::bytea[]) with ordinality as placed(leaf, at)
      where receipts.leaf = placed.leaf`.execute(transaction)
  })
}

/** The interval that waits to be sent, for this replica alone; undefined when there is none or another replica sends it. */
export async function claimInterval({ db }: DispatcherSql): Promise<NewAnchor | undefined> {
  const { rows } = await sql<{ interval: bigint; root: Buffer; previous: Buffer; count: number }>`
    update anchors set claimed_until = now() + ${CLAIM_SECONDS} * interval '1 second'
    where interval in (
      select interval from anchors
      where state = 'waiting' and (claimed_until is null or claimed_until < now())
      order by interval limit 1 for update skip locked)
    returning interval, root, previous, count`.execute(db)
  return rows[0]
}

/** Lets any replica try again. */
export async function releaseInterval({ db }: DispatcherSql, interval: bigint): Promise<void> {
  await db
    .updateTable('anchors')
    .set({ claimed_until: null })
    .where('interval', '=', interval)
    .execute()
}

/** Notes that an interval stands on the chain; the block is known to whoever sent it. */
export async function noteAnchored(
  { db }: DispatcherSql,
  interval: bigint,
  blockNumber?: number,
): Promise<void> {
  await db
    .updateTable('anchors')
    .set({
      state: 'anchored',
      claimed_until: null,
      block_number: blockNumber === undefined ? null : BigInt(blockNumber),
    })
    .where('interval', '=', interval)
    .execute()
}

/** Gives the receipts of an interval back to the next one: its number was taken on the chain. */
export async function dissolveInterval({ db }: DispatcherSql, interval: bigint): Promise<void> {
  await db.transaction().execute(async (transaction) => {
    await transaction
      .updateTable('receipts')
      .set({ interval: null, position: null })
      .where('interval', '=', interval)
      .execute()
    await transaction.deleteFrom('anchors').where('interval', '=', interval).execute()
  })
}
