/**
 * Intervals in the database: which receipts each one covers. Their roots are fixed here, once, whichever replica sends
 * them (D33a).
 */
import { sql } from 'kysely'
import { sha256 } from '../../../base/sha256.ts'
import { merkleRoot } from '../../../proof/comet/merkle.ts'
import type { NewAnchor } from '../../registry/receipts.ts'
import type { DispatcherSql } from '../tables.ts'

/** Maximum number of receipts in an interval; the rest goes into the next one. */
const MAX_RECEIPTS = 16_384
/** Key of the advisory lock that is held while an interval is closed. */
const CLOSING_LOCK = 271_828_001
const CLAIM_SECONDS = 60

/** Number and root of the last interval on the chain; 0 and zeros before the first. */
export type ChainEnd = { readonly interval: bigint; readonly root: Uint8Array }

/** Whether any receipt is not anchored yet. */
export async function hasLooseReceipts({ db }: DispatcherSql): Promise<boolean> {
  const { rows } = await sql<{ any: boolean }>`
    select exists (select from receipts where interval is null)
      or exists (select from anchors where state = 'waiting') as any`.execute(db)
  return rows[0]?.any === true
}

/**
 * Closes an interval over all receipts that are in none, as the successor of the chain's last one, unless another one
 * is waiting to be sent or the last one was closed less than `intervalMs` ago.
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

/**
 * Claims the interval that is waiting to be sent for this replica; undefined if there is none or another replica is
 * sending it.
 */
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

/** Releases the claim, so that any replica can retry. */
export async function releaseInterval({ db }: DispatcherSql, interval: bigint): Promise<void> {
  await db
    .updateTable('anchors')
    .set({ claimed_until: null })
    .where('interval', '=', interval)
    .execute()
}

/** Records that an interval is on the chain; only the replica that sent it knows the block. */
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

/** Moves the receipts of an interval to the next one: its number is already used on the chain. */
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
