/** The registry of models: what names mean, whoever serves them (D143). */
import { sql, type Transaction } from 'kysely'
import type { KnownModel } from '../../otherFile.ts'
import type { DispatcherSql, DispatcherTables } from '../tables.ts'

/** What a name means. Null: anything will do. */
export type Registered = Required<{ readonly [Part in keyof KnownModel]: KnownModel[Part] }>

export type NamedModel = Registered & {
  readonly name: string
  readonly source: 'database' | 'chain'
  readonly registeredAt: string
}

const COLUMNS = sql`name, sha256, model_root as "modelRoot", template_hash as "templateHash",
  token_list_hash as "tokenListHash", source,
  to_char(registered_at at time zone 'utc', 'YYYY-MM-DD HH24:MI:SS') as "registeredAt"`

const byName = (rows: readonly NamedModel[]): ReadonlyMap<string, NamedModel> =>
  new Map(rows.map((row) => [row.name, row]))

/** The registered ones among some names. */
export async function findRegistered(
  { db }: Pick<DispatcherSql, 'db'>,
  names: readonly string[],
): Promise<ReadonlyMap<string, NamedModel>> {
  const { rows } = await sql<NamedModel>`
    select ${COLUMNS} from model_registry where name = any(${names}::text[])`.execute(db)
  return byName(rows)
}

/** The same, and the registry stays as it is until the end of the transaction: `setModel` (register.ts) waits for it, and reads what it wrote. */
export async function holdRegistered(
  transaction: Transaction<DispatcherTables>,
  names: readonly string[],
): Promise<ReadonlyMap<string, NamedModel>> {
  await sql`lock table model_registry in row share mode`.execute(transaction)
  return findRegistered({ db: transaction }, names)
}

/** All registered models by name. */
export async function listRegistered({ db }: DispatcherSql): Promise<readonly NamedModel[]> {
  const { rows } = await sql<NamedModel>`
    select ${COLUMNS} from model_registry order by name`.execute(db)
  return rows
}
