/** The models of connected operators, judged by the registry (D144). */
import { sql, type Transaction } from 'kysely'
import { isModelName } from '../../../base/modelName.ts'
import type { ModelIdentity } from '../../protocol.ts'
import type { DispatcherSql, DispatcherTables } from '../tables.ts'
import { judgeOffer, type RefusedModel, type StatedOffer, type StoredOffer } from './judge.ts'
import { holdRegistered, type Registered } from './registry.ts'

type Values = { readonly models: string[]; readonly offered: string; readonly refused: string }

/** The columns of a session for an offer. The registry stays as it is until the end of the transaction. */
export async function judgedOffer(
  transaction: Transaction<DispatcherTables>,
  session: string,
  { workers, models, identities }: StatedOffer,
): Promise<{ readonly values: Values; readonly refused: readonly RefusedModel[] }> {
  const offer = { session, workers, models, identities }
  return valuesOf(offer, await holdRegistered(transaction, models))
}

function valuesOf(offer: StoredOffer, registered: ReadonlyMap<string, Registered>) {
  const { served, refused } = judgeOffer(offer, registered)
  const values = {
    models: [...served],
    offered: JSON.stringify(offer),
    refused: JSON.stringify(refused),
  }
  return { values, refused }
}

type Row = {
  readonly operator: string
  readonly session: string
  readonly workers: readonly string[]
  readonly models: readonly string[]
  readonly offered: StoredOffer | null
}

/** Judges the offers of all sessions again that name a model, after the registry changed in this transaction. */
export async function judgeSessions(
  transaction: Transaction<DispatcherTables>,
  model: string,
): Promise<void> {
  const { rows } = await sql<Row>`
    select operator, session, workers, models, offered from sessions
    where ${model} = any(models) or (offered->'models')::jsonb @> ${JSON.stringify([model])}::jsonb
    order by operator for update`.execute(transaction)
  for (const row of rows) await rewrite(transaction, row)
}

/**
 * Notes which file an operator's answer was from, instead of what it says: the registry then refuses the model until the operator
 * offers again. If it has done so since the job was assigned, nothing is noted: the answer says nothing about what it has now.
 */
export async function noteIdentity(
  { db }: DispatcherSql,
  { operator, lease }: { readonly operator: string; readonly lease: string },
  found: ModelIdentity,
): Promise<void> {
  await db.transaction().execute(async (transaction) => {
    // In the order of `setModel`: registry, then sessions.
    await holdRegistered(transaction, [])
    const { rows } = await sql<Row>`
      select operator, session, workers, models, offered from sessions
      where operator = ${operator} and changed_at <= (
        select created_at from assignments where lease = ${lease})
      for update`.execute(transaction)
    for (const row of rows) await rewrite(transaction, row, found)
  })
}

async function rewrite(
  transaction: Transaction<DispatcherTables>,
  row: Row,
  found?: ModelIdentity,
): Promise<void> {
  const { session, workers } = row
  const stored = row.offered?.session === session ? row.offered : undefined
  const models = stored?.models ?? row.models.filter(isModelName)
  const others = (stored?.identities ?? []).filter(
    ({ model, type }) => found === undefined || model !== found.model || type !== found.type,
  )
  const identities = found === undefined ? stored?.identities : [...others, found]
  const offer = { session, workers, models, identities }
  const { values } = valuesOf(offer, await holdRegistered(transaction, models))
  await transaction
    .updateTable('sessions')
    .set({ ...values, changed_at: sql`now()` })
    .where('session', '=', session)
    .execute()
}
