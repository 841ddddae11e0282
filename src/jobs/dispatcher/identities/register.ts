/** Registering models: connected operators are judged in the same transaction (D143). */
import { sql, type Transaction } from 'kysely'
import { isModelName, MODEL_REFERENCE_HINT } from '../../../base/modelName.ts'
import { UserError } from '../../../base/errors.ts'
import type { KnownModel } from '../../otherFile.ts'
import type { ChainModel } from '../../registry/models.ts'
import type { DispatcherSql, DispatcherTables } from '../tables.ts'
import { judgeSessions } from './sessionModels.ts'

/** Maximum number of registered names. */
const MAX_REGISTERED = 10_000

/**
 * Registers a name, or gives it another file. Connected operators that say otherwise get no more jobs for it. Throws UserError for a
 * text that is no name, for a name of the chain, and where there is no room.
 */
export async function setModel(
  { db }: DispatcherSql,
  name: string,
  model: KnownModel,
): Promise<void> {
  if (!isModelName(name))
    throw new UserError(`"${name}" cannot be registered`, `Pass ${MODEL_REFERENCE_HINT}, unpinned.`)
  await db.transaction().execute(async (transaction) => {
    await lockRegistry(transaction)
    await requireOwn(transaction, name)
    await write(transaction, name, model, 'database')
    await judgeSessions(transaction, name)
  })
}

/** Makes the names of the chain those of a list, which comes before what the database has of its own (D147). */
export async function setChainModels(
  { db }: DispatcherSql,
  models: readonly ChainModel[],
): Promise<void> {
  await db.transaction().execute(async (transaction) => {
    await lockRegistry(transaction)
    const former = await transaction
      .deleteFrom('model_registry')
      .where('source', '=', 'chain')
      .returning('name')
      .execute()
    for (const { name, model } of models)
      if (model !== undefined) await write(transaction, name, model, 'chain')
    const names = [...former, ...models].map(({ name }) => name)
    for (const name of new Set(names)) await judgeSessions(transaction, name)
  })
}

async function requireOwn(transaction: Transaction<DispatcherTables>, name: string): Promise<void> {
  const row = await transaction
    .selectFrom('model_registry')
    .select('source')
    .where('name', '=', name)
    .executeTakeFirst()
  if (row?.source === 'chain')
    throw new UserError(
      `"${name}" is registered on the chain`,
      'Change it there: assay registry model.',
    )
}

async function write(
  transaction: Transaction<DispatcherTables>,
  name: string,
  { sha256, modelRoot, templateHash, tokenListHash }: KnownModel,
  source: 'database' | 'chain',
): Promise<void> {
  const values = {
    sha256,
    model_root: modelRoot ?? null,
    template_hash: templateHash ?? null,
    token_list_hash: tokenListHash ?? null,
    source,
  }
  await transaction
    .insertInto('model_registry')
    .values({ name, ...values })
    .onConflict((conflict) =>
      conflict.column('name').doUpdateSet({ ...values, registered_at: sql`now()` }),
    )
    .execute()
  const { rows } = await sql<{ count: bigint }>`
    select count(*) as count from model_registry`.execute(transaction)
  if (Number(rows[0]?.count) > MAX_REGISTERED)
    throw new UserError(`the registry has room for ${MAX_REGISTERED} names`)
}

/** Removes a name; resolves with whether it was registered. Throws UserError for a name of the chain. */
export async function removeModel({ db }: DispatcherSql, name: string): Promise<boolean> {
  return db.transaction().execute(async (transaction) => {
    await lockRegistry(transaction)
    await requireOwn(transaction, name)
    const { numDeletedRows } = await transaction
      .deleteFrom('model_registry')
      .where('name', '=', name)
      .executeTakeFirstOrThrow()
    await judgeSessions(transaction, name)
    return numDeletedRows > 0n
  })
}

/** Waits for offers that are being judged; the next ones wait for this transaction. Others may read. */
async function lockRegistry(transaction: Transaction<DispatcherTables>): Promise<void> {
  await sql`lock table model_registry in exclusive mode`.execute(transaction)
}
