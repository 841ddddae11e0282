// Holds D110.
import { mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gunzipSync, gzipSync } from 'node:zlib'
import { sql } from 'kysely'
import { pino } from 'pino'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { withClient } from './database.ts'
import { dumpDatabase } from './dump.ts'
import { readDumpFile, writeDumpFile } from './dumpFile.ts'
import { startEmbeddedPostgres, type EmbeddedPostgres } from './embedded.ts'
import { loadDatabase } from './load.ts'
import { migrate, type Migrations } from './migrate.ts'
import { openSql } from './open.ts'

const log = pino({ level: 'silent' })
let folder: string
let postgres: EmbeddedPostgres

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'assay-dump-'))
  postgres = await startEmbeddedPostgres({ folder: join(folder, 'postgres'), log })
})
afterAll(async () => {
  await postgres.stop()
  await rm(folder, { recursive: true, force: true })
})

/** A child before its parent by name, every kind of column, partitions, a trigger that would change rows, a seed. */
const SCHEMA = `
  create table b_parents (id bigint generated always as identity primary key, name text not null);
  create table a_children (
    parent bigint not null references b_parents, at timestamptz not null, body bytea, tags jsonb,
    share double precision, list text[], twice bigint generated always as (parent * 2) stored,
    primary key (parent, at)
  ) partition by range (at);
  create table a_children_2026 partition of a_children for values from ('2026-01-01') to ('2027-01-01');
  create sequence counted;
  insert into b_parents (name) values ('seed');
  create function spoil() returns trigger language plpgsql as $$ begin new.name := 'spoilt'; return new; end $$;
  create trigger spoiling before insert on b_parents for each row execute function spoil();
`
const step = (text: string): Migrations[string] => ({
  async up(db) {
    await sql.raw(text).execute(db)
  },
})
const migrations: Migrations = { '0001-all': step(SCHEMA) }
const newer: Migrations = {
  ...migrations,
  '0002-more': step(`alter table b_parents add column more text not null default 'new'`),
}

const CONTENT = `
  select (select json_agg(p order by id) from b_parents p) as parents,
    (select json_agg(c::text order by parent, at) from a_children c) as children`

async function contentOf(database: string): Promise<unknown> {
  return withClient(postgres.url(database), async (client) => (await client.query(CONTENT)).rows)
}

async function fill(database: string): Promise<void> {
  await postgres.createDatabase(database)
  const { db, close } = openSql<unknown>(postgres.url(database), { log })
  await migrate(db, migrations)
  await close()
  await withClient(postgres.url(database), async (client) => {
    await client.query('alter table b_parents disable trigger user')
    // Other partitions than those of the schema exist in a database that has run for a while.
    await client.query(
      `create table a_children_2027 partition of a_children for values from ('2027-01-01') to ('2028-01-01')`,
    )
    await client.query(`insert into b_parents (name) values ('a"b\\\\,()'), (''), (E'line\\nfeed')`)
    await client.query(
      `insert into a_children (parent, at, body, tags, share, list)
        select 1 + i % 3, timestamptz '2026-03-01 00:00:00.123456+00' + i * interval '1 day',
          decode(repeat('00ff22', i), 'hex'), jsonb_build_object('i', i), random(), array['x', null, '"']
        from generate_series(1, 500) i`,
    )
    await client.query(`select setval('counted', 41)`)
    await client.query('alter table b_parents enable trigger user')
  })
}

async function dump(database: string): Promise<string> {
  const file = join(folder, `${database}.gz`)
  await dumpDatabase(postgres.url(database), '1.2.3', (lines) => writeDumpFile(file, lines))
  return file
}

const load = (database: string, file: string, steps = migrations) =>
  loadDatabase(postgres.url(database), readDumpFile(file), steps)

test('a dump is loaded with every value, sequences beyond what was handed out, and newer steps', async () => {
  await fill('original')
  const file = await dump('original')
  expect((await stat(file)).mode & 0o077).toBe(0)
  expect(await load('copy', file)).toBe(504)
  expect(await contentOf('copy')).toEqual(await contentOf('original'))
  await withClient(postgres.url('copy'), async (client) => {
    const { rows } = await client.query(`select nextval('counted') > 42 as isbeyond`)
    expect(rows).toEqual([{ isbeyond: true }])
    // Triggers act again.
    const inserted = await client.query(`insert into b_parents (name) values ('x') returning name`)
    expect(inserted.rows).toEqual([{ name: 'spoilt' }])
  })
  await load('newer', file, newer)
  expect(JSON.stringify(await contentOf('newer'))).toContain('"more":"new"')
  await expect(load('older', await dump('newer'))).rejects.toThrow(
    'a schema that this version does not know',
  )
})

test('a dump is of one moment, however much is written meanwhile', async () => {
  await fill('busy')
  let rows = 0
  await dumpDatabase(postgres.url('busy'), '1.2.3', async (lines) => {
    for await (const line of lines) {
      if (rows++ === 1)
        await withClient(postgres.url('busy'), async (client) => {
          await client.query('delete from a_children where parent = 1')
          await client.query(
            `insert into b_parents (name) select 'late' from generate_series(1, 9)`,
          )
        })
      expect(line).not.toContain('spoilt')
    }
  })
  // Header, 504 rows, end.
  expect(rows).toBe(506)
})

test('a database with tables is left alone, and a damaged or cut file leaves none', async () => {
  await fill('source')
  const file = await dump('source')
  await expect(load('source', file)).rejects.toThrow('has tables already')
  await expect(dump('source')).rejects.toThrow('already exists')
  const text = gunzipSync(await readFile(file)).toString()
  const lines = text.trimEnd().split('\n')
  const bad = join(folder, 'bad.gz')
  const variants: readonly (readonly [string, Buffer])[] = [
    ['is damaged', gzipSync(text.replace('seed', 'weed'))],
    ['has no valid end', gzipSync(`${lines.slice(0, 300).join('\n')}\n`)],
    ['is damaged', gzipSync(`${lines.toSpliced(300, 1).join('\n')}\n`)],
    ['cannot be read', (await readFile(file)).subarray(0, 4000)],
    ['has no valid header', gzipSync('{}\n')],
  ]
  for (const [reason, content] of variants) {
    await writeFile(bad, content)
    await expect(load('target', bad)).rejects.toThrow(reason)
  }
  // What the failures left is theirs, so the same command completes.
  expect(await load('target', file)).toBe(504)
  expect(await contentOf('target')).toEqual(await contentOf('source'))
  await expect(load('nowhere', join(folder, 'missing.gz'))).rejects.toThrow('does not exist')
})
