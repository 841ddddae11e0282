/** Registering models: connected operators are judged in the same transaction (D143). */
import { sql, type Transaction } from 'kysely'
import { isModelName, MODEL_REFERENCE_HINT } from '../../../base/modelName.ts'
import { UserError } from '../../../base/errors.ts'
import type { KnownModel } from '../../otherFile.ts'
import type { DispatcherSql, DispatcherTables } from '../tables.ts'
import { judgeSessions } from './sessionModels.ts'

/** Maximum number of registered names. */
const MAX_REGISTERED = 10_000

/**
 * Registers a name, or gives it another file. Connected operators that say otherwise get no more jobs for it. Throws UserError for a
 * text that is no name, and where there is no room.
 */
export async function setModel(
  { db }: DispatcherSql,
  name: string,
  { sha256, modelRoot = null, templateHash = null, tokenListHash = null }: KnownModel,
): Promise<void> {
  if (!isModelName(name))
    throw new UserError(`"${name}" cannot be registered`, `Pass ${MODEL_REFERENCE_HINT}, unpinned.`)
  await db.transaction().execute(async (transaction) => {
    await lockRegistry(transaction)
    const values = {
      sha256,
      model_root: modelRoot ?? null,
      template_hash: templateHash ?? null,
      token_list_hash: tokenListHash ?? null,
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
    await judgeSessions(transaction, name)
  })
}

/** Removes a name; resolves with whether it was registered. */
export async function removeModel({ db }: DispatcherSql, name: string): Promise<boolean> {
  return db.transaction().execute(async (transaction) => {
    await lockRegistry(transaction)
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
