import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { sql } from 'kysely'
import { pino } from 'pino'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { isUnavailable } from './database.ts'
import { startEmbeddedPostgres, type EmbeddedPostgres } from './embedded.ts'
import { migrate, type Migrations } from './migrate.ts'
import { openSql, type Sql } from './open.ts'

type Tables = { counts: { n: bigint } }

const log = pino({ level: 'silent' })
let folder: string
let postgres: EmbeddedPostgres

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'assay-sql-'))
  postgres = await startEmbeddedPostgres({ folder: join(folder, 'postgres'), log })
})

afterAll(async () => {
  await postgres.stop()
  await rm(folder, { recursive: true, force: true })
})

async function open(database: string, statementTimeout = 5000): Promise<Sql<Tables>> {
  await postgres.createDatabase(database)
  return openSql<Tables>(postgres.url(database), { log, statementTimeout })
}

const first: Migrations = {
  '0001-counts': {
    async up(db) {
      await sql`create table counts (n bigint not null)`.execute(db)
      await sql`insert into counts values (9007199254740993)`.execute(db)
    },
  },
}

test('several programs that migrate at once run each step once, and later ones add theirs', async () => {
  const programs = await Promise.all([1, 2, 3].map(() => open('migrated')))
  await Promise.all(programs.map(({ db }) => migrate(db, first)))
  const [program] = programs
  const second: Migrations = {
    ...first,
    '0002-more': {
      async up(db) {
        await sql`insert into counts values (2)`.execute(db)
      },
    },
  }
  if (program === undefined) throw new Error('no program')
  await migrate(program.db, second)
  await migrate(program.db, second)
  // Beyond 2^53: an int8 is a bigint, exactly.
  expect(await program.db.selectFrom('counts').select('n').orderBy('n').execute()).toEqual([
    { n: 2n },
    { n: 9_007_199_254_740_993n },
  ])
  await expect(migrate(program.db, first)).rejects.toThrow(/does not know.*0002-more/)
  await Promise.all(programs.map((each) => each.close()))
})

test('a step that fails leaves nothing behind', async () => {
  const program = await open('failing')
  const broken: Migrations = {
    ...first,
    '0002-broken': { up: async (db) => void (await sql`select nonsense`.execute(db)) },
  }
  await expect(migrate(program.db, broken)).rejects.toThrow(/nonsense/)
  await migrate(program.db, first)
  expect(await program.db.selectFrom('counts').selectAll().execute()).toHaveLength(1)
  await program.close()
})

test('a statement that runs too long is cut off and counts as a passing trouble', async () => {
  const program = await open('slow', 200)
  const error: unknown = await sql`select pg_sleep(5)`.execute(program.db).catch((e: unknown) => e)
  expect(String(error)).toMatch(/statement timeout/)
  expect(isUnavailable(error)).toBe(true)
  expect(
    isUnavailable(await sql`select nonsense`.execute(program.db).catch((e: unknown) => e)),
  ).toBe(false)
  await program.close()
})
