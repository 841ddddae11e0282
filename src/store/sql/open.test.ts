import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { sql } from 'kysely'
import { pino } from 'pino'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { isUnavailable } from './database.ts'
import { startEmbeddedPostgres, type EmbeddedPostgres } from './embedded.ts'
import { openSql } from './open.ts'

const log = pino({ level: 'silent' })
const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'assay-sql-'))
let postgres: EmbeddedPostgres

beforeAll(async () => {
  postgres = await startEmbeddedPostgres({ folder: path.join(folder, 'postgres'), log })
})

afterAll(async () => {
  await postgres.stop()
  fs.rmSync(folder, { recursive: true, force: true })
})

test('a connection that breaks in the middle of a transaction fails that transaction alone', async () => {
  const store = openSql<Record<string, never>>(postgres.url('postgres'), { log })
  const broken = store.db.transaction().execute(async (transaction) => {
    const { rows } = await sql<{ pid: number }>`select pg_backend_pid() as pid`.execute(transaction)
    await sql`select pg_terminate_backend(${rows[0]?.pid}, 5000)`.execute(store.db)
    // Everything that the server has sent is read before the next statement.
    await new Promise((resolve) => setImmediate(resolve))
    await sql`select 1`.execute(transaction)
  })
  const error = await broken.catch((thrown: unknown) => thrown)
  expect(isUnavailable(error), String(error)).toBe(true)
  expect((await sql<{ one: number }>`select 1 as one`.execute(store.db)).rows).toEqual([{ one: 1 }])
  await store.close()
})

test('a server that stands still is away, and serves again when it goes on', async () => {
  const store = openSql<Record<string, never>>(postgres.url('postgres'), {
    log,
    connections: 1,
    statementTimeout: 1000,
  })
  const read = () => sql<{ pid: number }>`select pg_backend_pid() as pid`.execute(store.db)
  const pid = (await read()).rows[0]?.pid ?? Number.NaN
  process.kill(pid, 'SIGSTOP')
  const error = await read().catch((thrown: unknown) => thrown)
  process.kill(pid, 'SIGCONT')
  expect(isUnavailable(error), String(error)).toBe(true)
  expect((await read()).rows).toHaveLength(1)
  await store.close()
})
