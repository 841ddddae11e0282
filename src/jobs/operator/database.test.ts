import { randomUUID } from 'node:crypto'
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { sql } from 'kysely'
import { pino } from 'pino'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startEmbeddedPostgres, type EmbeddedPostgres } from '../../store/sql/embedded.ts'
import type { Result } from '../protocol.ts'
import { initOperatorDatabase, openOperatorDatabase, whileUnavailable } from './database.ts'
import { openOutbox } from './outbox.ts'

const log = pino({ level: 'silent' })
const { signal } = new AbortController()
const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'assay-operator-database-'))
let postgres: EmbeddedPostgres

beforeAll(async () => {
  postgres = await startEmbeddedPostgres({ folder: path.join(folder, 'postgres'), log })
})

afterAll(async () => {
  await postgres.stop()
  fs.rmSync(folder, { recursive: true, force: true })
})

function resultWith(output: string): Result {
  const hash = `0x${'00'.repeat(32)}`
  return {
    type: 'result',
    jobId: '01'.repeat(32),
    lease: randomUUID(),
    selected: true,
    vrf: {
      selected: true,
      vrf_prompt_hash: '',
      vrf_random_value: '',
      vrf_verify_pubkey: '',
      vrf_proof: '',
    },
    clock: { a: '1' },
    answer: {
      output,
      statement: {
        jobId: hash,
        operator: `0x${'02'.repeat(20)}`,
        jobType: 'opml',
        engine: 'x',
        modelHash: hash,
        promptHash: hash,
        paramsHash: hash,
        seed: hash,
        outputHash: hash,
        tokens: 1,
        finishReason: 'stop',
        vrfProofHash: hash,
        clockHash: hash,
        startedAt: 1,
        finishedAt: 2,
      },
      signature: `0x${'03'.repeat(65)}`,
    },
  }
}

test('-i creates database and tables, and run again it keeps what is there', async () => {
  const url = postgres.url('operator_init')
  await initOperatorDatabase(url, log)
  const database = await openOperatorDatabase(url, log, signal)
  const outbox = openOutbox(database)
  const kept = resultWith('x')
  await outbox.put(kept, { a: '1' })
  await initOperatorDatabase(url, log)
  expect(await outbox.leases()).toEqual([kept.lease])
  expect(await outbox.find(kept.lease)).toEqual(kept)
  await database.close()
})

test('results come back as they were, in order, whatever characters they hold', async () => {
  const database = await openOperatorDatabase(postgres.url('operator_outbox'), log, signal)
  const outbox = openOutbox(database)
  expect(await outbox.clock()).toEqual({})
  const results = ['a\0b', '\ud800', "'; drop table operator_outbox; --", '漢🦊'].map(resultWith)
  for (const [index, result] of results.entries()) await outbox.put(result, { a: String(index) })
  expect(await outbox.leases()).toEqual(results.map(({ lease }) => lease))
  for (const each of results) expect(await outbox.find(each.lease)).toEqual(each)
  expect(await outbox.clock()).toEqual({ a: '3' })
  const [first] = results
  const lease = first?.lease ?? ''
  expect(await outbox.find(lease)).toEqual(first)
  expect(await outbox.remove(lease)).toBe(true)
  expect(await outbox.remove(lease)).toBe(false)
  expect(await outbox.find(lease)).toBeUndefined()
  await database.close()
})

// Holds D75.
test('results that no dispatcher takes any more, and such that cannot be read, are not kept for ever', async () => {
  const database = await openOperatorDatabase(postgres.url('operator_stale'), log, signal)
  const outbox = openOutbox(database)
  const [old, unreadable, kept] = [resultWith('old'), resultWith('unreadable'), resultWith('kept')]
  for (const each of [old, unreadable, kept]) await outbox.put(each, {})
  await sql`update operator_outbox set created_at = now() - interval '9 days'
    where lease = ${old.lease}`.execute(database.db)
  await sql`update operator_outbox set message = '{"type":"result"}'
    where lease = ${unreadable.lease}`.execute(database.db)
  await outbox.removeOld()
  expect(await outbox.leases()).toEqual([unreadable.lease, kept.lease])
  expect(await outbox.find(unreadable.lease)).toBeUndefined()
  expect(await outbox.leases()).toEqual([kept.lease])
  await database.close()
})

test('a task is tried again while the database is away, and other errors are not waited out', async () => {
  const away = Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED' })
  const outcomes = [away, away, 'done']
  const task = async () => {
    const outcome = outcomes.shift()
    if (outcome instanceof Error) throw outcome
    return outcome
  }
  expect(await whileUnavailable(task, log, signal)).toBe('done')
  const wrong = new Error('syntax error')
  await expect(whileUnavailable(() => Promise.reject(wrong), log, signal)).rejects.toBe(wrong)
})

test('an operator whose database is away waits for it until it is stopped', async () => {
  const stopping = new AbortController()
  const lines: string[] = []
  const loud = pino({ level: 'error' }, { write: (line: string) => void lines.push(line) })
  const opening = openOperatorDatabase('postgres://u:hunter2@127.0.0.1:9/x', loud, stopping.signal)
  await expect.poll(() => lines.length).toBeGreaterThan(0)
  stopping.abort()
  await expect(opening).rejects.toThrow(/abort/)
  expect(lines[0]).toContain('pg_db_url')
  expect(lines.join('')).not.toContain('hunter2')
})
