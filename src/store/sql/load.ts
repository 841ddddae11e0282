/** Loads a dump into an empty database: the schema that it was made of first, then all rows in one transaction (D110). */
import { createHash } from 'node:crypto'
import pg from 'pg'
import { Kysely, Migrator, PostgresDialect } from 'kysely'
import { z } from 'zod'
import { UserError } from '../../base/errors.ts'
import { ensureDatabase, withClient } from './database.ts'
import { digested, DUMP_FORMAT, listTables, type DumpHeader, type DumpTable } from './dump.ts'
import { migrate, type Migrations } from './migrate.ts'

const header = z.object({
  format: z.literal(DUMP_FORMAT),
  program: z.string(),
  migrations: z.array(z.string()),
  tables: z.array(z.object({ name: z.string(), columns: z.array(z.string()) })),
  partitions: z.array(z.object({ name: z.string(), parent: z.string(), bound: z.string() })),
})
const trailer = z.object({
  rows: z.number(),
  sequences: z.record(z.string(), z.string().nullable()),
  sha256: z.string(),
})
const row = z.tuple([z.int().min(0), z.string()])

/** A table that says that everything else in the database is of a load that did not finish. */
const MARK = 'assay_restoring'

const ROWS = 200

/**
 * How far sequences are moved beyond what the dump says: what was handed out after it, and signed by others, is not
 * handed out again.
 */
const SEQUENCE_MARGIN = 1_000_000_000n

function damaged(what: string): UserError {
  return new UserError(`the dump ${what}`, 'Restore an earlier one.')
}

function parsed<T>(schema: z.ZodType<T>, line: string | undefined, what: string): T {
  try {
    return schema.parse(JSON.parse(line ?? ''))
  } catch {
    throw damaged(`has no valid ${what}: it is damaged, or of another format`)
  }
}

async function requireEmpty(url: string): Promise<void> {
  await withClient(url, async (client) => {
    const tables = await listTables(client)
    if (tables.length > 0 && !tables.some(({ name }) => name === MARK))
      throw new UserError(
        'the database has tables already',
        'A dump is restored into a new, empty database only: create one, or name another.',
      )
    await client.query(`create table if not exists ${MARK} ()`)
  })
}

/** Runs `work` with a query builder of its own. */
async function withKysely<T>(url: string, work: (db: Kysely<unknown>) => Promise<T>): Promise<T> {
  const pool = new pg.Pool({ connectionString: url, max: 2 })
  const db = new Kysely<unknown>({ dialect: new PostgresDialect({ pool }) })
  try {
    return await work(db)
  } finally {
    await db.destroy()
  }
}

/** Runs the steps up to those of the dump. Throws UserError when this program does not know them. */
async function migrateAsDumped(
  url: string,
  { migrations: dumped, program }: DumpHeader,
  migrations: Migrations,
): Promise<void> {
  const known = Object.keys(migrations).sort()
  const last = dumped.at(-1)
  if (last === undefined || dumped.some((name, index) => known[index] !== name))
    throw new UserError(
      'the dump has a schema that this version does not know',
      `Restore it with version ${program}, which wrote it, or a newer one.`,
    )
  const { error } = await withKysely(url, (db) =>
    new Migrator({ db, provider: { getMigrations: async () => migrations } }).migrateTo(last),
  )
  if (error !== undefined) throw error instanceof Error ? error : new Error('the migration failed')
}

async function prepareTables(client: pg.Client, dump: DumpHeader): Promise<void> {
  const name = (text: string): string => client.escapeIdentifier(text)
  const present = new Map((await listTables(client)).map((table) => [table.name, table.columns]))
  for (const { name: table, columns } of dump.tables)
    if (present.get(table)?.join() !== columns.join())
      throw damaged(`has other columns of ${table} than its schema`)
  for (const { name: partition, parent, bound } of dump.partitions) {
    // The bound is an expression: it is PostgreSQL's own text of one.
    if (!/^(?:FOR VALUES [^;]*|DEFAULT)$/.test(bound))
      throw damaged(`has a partition without bound`)
    const statement = `create table if not exists ${name(partition)} partition of ${name(parent)} ${bound}`
    await client.query(statement)
  }
  for (const { name: table } of dump.tables.toReversed()) {
    await client.query(`alter table ${name(table)} disable trigger user`)
    // What migrations put in is in the dump, too.
    await client.query(`delete from ${name(table)}`)
  }
}

async function insert(
  client: pg.Client,
  { name, columns }: DumpTable,
  rows: readonly string[],
): Promise<void> {
  const table = client.escapeIdentifier(name)
  const list = columns.map((column) => client.escapeIdentifier(column))
  await client.query(
    `insert into ${table} (${list.join(', ')}) overriding system value
      select ${list.map((column) => `(r).${column}`).join(', ')}
      from (select line::${table} as r from unnest($1::text[]) as line offset 0) as rows`,
    [rows],
  )
}

async function restoreSequences(
  client: pg.Client,
  sequences: Readonly<Record<string, string | null>>,
): Promise<void> {
  for (const [name, last] of Object.entries(sequences))
    if (last !== null)
      await client.query('select setval($1::regclass, $2::bigint)', [
        client.escapeIdentifier(name),
        (BigInt(last) + SEQUENCE_MARGIN).toString(),
      ])
}

/** The rows of the dump, in batches of one table. The last line, which is none, is returned. */
async function loadRows(
  client: pg.Client,
  dump: DumpHeader,
  lines: AsyncIterator<string>,
  onLine: (line: string) => void,
): Promise<{ readonly rows: number; readonly last: string | undefined }> {
  let [rows, at, batch] = [0, 0, [] as string[]]
  const flush = async (): Promise<void> => {
    const table = dump.tables[at]
    if (table === undefined) throw damaged(`names table ${at}, which it does not have`)
    if (batch.length > 0) await insert(client, table, batch)
    batch = []
  }
  for (;;) {
    const { value: line, done } = await lines.next()
    if (done === true || !line.startsWith('[')) {
      await flush()
      return { rows, last: done === true ? undefined : line }
    }
    onLine(line)
    const [table, text] = parsed(row, line, 'row')
    if (table !== at || batch.length === ROWS) await flush()
    at = table
    batch.push(text)
    rows++
  }
}

/**
 * Creates the database unless it exists, and loads a dump into it: its schema, all rows and sequences, then the steps of
 * `migrations` that are newer. Nothing is visible unless all of it is right; after an interruption, run it again. Returns
 * the number of rows. Throws UserError.
 */
export async function loadDatabase(
  url: string,
  source: AsyncIterable<string>,
  migrations: Migrations,
): Promise<number> {
  const lines = source[Symbol.asyncIterator]()
  const hash = createHash('sha256')
  const first = await lines.next()
  const dump = parsed(header, first.done === true ? undefined : first.value, 'header')
  digested(hash, first.value)
  await ensureDatabase(url)
  await requireEmpty(url)
  await migrateAsDumped(url, dump, migrations)
  const count = await withClient(url, async (client) => {
    await client.query('begin')
    await prepareTables(client, dump)
    const { rows, last } = await loadRows(client, dump, lines, (line) => digested(hash, line))
    const end = parsed(trailer, last, 'end')
    if (end.rows !== rows || end.sha256 !== hash.digest('hex')) throw damaged('is damaged')
    await restoreSequences(client, end.sequences)
    for (const { name } of dump.tables)
      await client.query(`alter table ${client.escapeIdentifier(name)} enable trigger user`)
    await client.query(`drop table ${MARK}`)
    await client.query('commit')
    return rows
  })
  await withKysely(url, (db) => migrate(db, migrations))
  return count
}
