/**
 * A consistent dump of a database as lines of text, read in one snapshot while programs go on writing. A row is PostgreSQL's
 * own text of it, which reads back exactly. The programs of PostgreSQL that do this are not part of an embedded one (D110).
 */
import { createHash, type Hash } from 'node:crypto'
import type pg from 'pg'
import { withClient } from './database.ts'

/** Version of the lines. */
export const DUMP_FORMAT = 1

export type DumpTable = { readonly name: string; readonly columns: readonly string[] }

/** The first line. */
export type DumpHeader = {
  readonly format: number
  /** Version of the program that wrote it. */
  readonly program: string
  /** Names of the migrations that the database has, in order. */
  readonly migrations: readonly string[]
  /** Tables in an order in which none refers to a later one. */
  readonly tables: readonly DumpTable[]
  readonly partitions: readonly { readonly name: string; readonly parent: string; bound: string }[]
}

/** The last line. */
export type DumpTrailer = {
  readonly rows: number
  /** Last values of sequences; null for one that was never used. */
  readonly sequences: Readonly<Record<string, string | null>>
  /** SHA-256 of all lines before, with their line feeds, as hex digits. */
  readonly sha256: string
}

/** Rows that are fetched at once: each may hold a prompt. */
const ROWS = 200

/** The tables of migrations themselves. */
const OWN = ['kysely_migration', 'kysely_migration_lock']

async function column<T>(client: pg.Client, text: string, values: unknown[] = []): Promise<T[]> {
  const { rows } = await client.query<{ value: T }>(text, values)
  return rows.map(({ value }) => value)
}

/** Tables and columns; of a partitioned table, the whole. Columns that the database computes are left out. */
export function listTables(client: pg.Client): Promise<DumpTable[]> {
  return column<DumpTable>(
    client,
    `select json_build_object('name', c.relname, 'columns', (
        select json_agg(a.attname order by a.attnum) from pg_attribute a
          where a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped and a.attgenerated = ''
      )) as value
      from pg_class c where c.relnamespace = 'public'::regnamespace
        and c.relkind in ('r', 'p') and not c.relispartition and c.relname <> all($1)
      order by c.relname`,
    [OWN],
  )
}

/** Sorted so that none refers to a later one. Throws RangeError for tables that refer to each other. */
function inOrder(
  tables: readonly DumpTable[],
  references: readonly { readonly from: string; readonly to: string }[],
): DumpTable[] {
  const sorted: DumpTable[] = []
  const rest = new Set(tables)
  while (rest.size > 0) {
    const names = new Set([...rest].map(({ name }) => name))
    const next = [...rest].find(({ name }) =>
      references.every(({ from, to }) => from !== name || to === name || !names.has(to)),
    )
    if (next === undefined) throw new RangeError('the tables refer to each other in a circle')
    sorted.push(next)
    rest.delete(next)
  }
  return sorted
}

async function readHeader(client: pg.Client, program: string): Promise<DumpHeader> {
  const references = await column<{ from: string; to: string }>(
    client,
    `select distinct json_build_object('from', f.relname, 'to', t.relname)::jsonb as value
      from pg_constraint c join pg_class f on f.oid = c.conrelid join pg_class t on t.oid = c.confrelid
      where c.contype = 'f' and c.connamespace = 'public'::regnamespace`,
  )
  return {
    format: DUMP_FORMAT,
    program,
    migrations: await column(client, 'select name as value from kysely_migration order by name'),
    tables: inOrder(await listTables(client), references),
    partitions: await column(
      client,
      `select json_build_object('name', c.relname, 'parent', p.relname,
          'bound', pg_get_expr(c.relpartbound, c.oid)) as value
        from pg_class c join pg_inherits i on i.inhrelid = c.oid join pg_class p on p.oid = i.inhparent
        where c.relispartition and c.relkind in ('r', 'p') and c.relnamespace = 'public'::regnamespace
        order by c.oid`,
    ),
  }
}

async function* rowsOf(client: pg.Client, { name }: DumpTable): AsyncGenerator<string> {
  const table = client.escapeIdentifier(name)
  await client.query(`declare dumped no scroll cursor for select t::text as value from ${table} t`)
  for (;;) {
    const rows = await column<string>(client, `fetch ${ROWS} from dumped`)
    yield* rows
    if (rows.length < ROWS) break
  }
  await client.query('close dumped')
}

/** Sequences are outside snapshots: read last, none is behind a row. */
async function readSequences(client: pg.Client): Promise<Record<string, string | null>> {
  const pairs = await column<[string, string | null]>(
    client,
    `select json_build_array(sequencename, last_value::text) as value
      from pg_sequences where schemaname = 'public' order by sequencename`,
  )
  return Object.fromEntries(pairs)
}

/** A line, counted into the digest. */
export function digested(hash: Hash, line: string): string {
  hash.update(line).update('\n')
  return line
}

async function* linesOf(client: pg.Client, program: string): AsyncGenerator<string> {
  const hash = createHash('sha256')
  const header = await readHeader(client, program)
  yield digested(hash, JSON.stringify(header))
  let rows = 0
  for (const [index, table] of header.tables.entries())
    for await (const row of rowsOf(client, table)) {
      yield digested(hash, JSON.stringify([index, row]))
      rows++
    }
  const sequences = await readSequences(client)
  const trailer: DumpTrailer = { rows, sequences, sha256: hash.digest('hex') }
  yield JSON.stringify(trailer)
}

/**
 * Hands the lines of a dump to `take`, which writes them: header, rows, trailer. The rows hold what the database holds,
 * results of private jobs included. `program` is the version of this program. Rejects with PostgreSQL's errors.
 */
export async function dumpDatabase(
  url: string,
  program: string,
  take: (lines: AsyncIterable<string>) => Promise<void>,
): Promise<void> {
  await withClient(url, async (client) => {
    await client.query('begin transaction isolation level repeatable read read only')
    await take(linesOf(client, program))
    await client.query('commit')
  })
}
