/** Receipts, and their anchors on a chain. */
import { sql } from 'kysely'

/**
 * - results.receipt, leaf: what the dispatcher signs about an answer, and its digest.
 * - receipts: every digest, and its position in an interval's tree. They outlive their jobs: proofs of other receipts
 *   need them.
 * - anchors: one row per interval; its root is fixed before it is sent, so that any replica may send it.
 *   `claimed_until`
 *   keeps the other replicas away while one of them does.
 */
export const anchors = sql`
  create table anchors (
    interval bigint primary key,
    root bytea not null,
    previous bytea not null,
    count integer not null,
    state text not null default 'waiting' check (state in ('waiting', 'anchored')),
    claimed_until timestamptz,
    block_number bigint,
    created_at timestamptz not null default now()
  );
  create table receipts (
    leaf bytea primary key,
    interval bigint references anchors,
    position integer,
    recorded_at timestamptz not null default now(),
    unique (interval, position)
  );
  create index receipts_loose on receipts (recorded_at) where interval is null;
  alter table results add column receipt json, add column leaf bytea;
`
