import { setTimeout as sleep } from 'node:timers/promises'
import { pino } from 'pino'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import {
  startTestDispatcher,
  startTestPostgres,
  type TestPostgres,
} from '../../../test/support/dispatcher.ts'
import { connectOperator } from '../../../test/support/scriptedOperator.ts'
import { withClient } from '../../store/sql/database.ts'
import { openWakeups } from './wakeups.ts'

const log = pino({ level: 'silent' })
const PATIENCE = { timeout: 10_000 }

let postgres: TestPostgres

beforeAll(async () => {
  postgres = await startTestPostgres()
}, 60_000)

afterAll(() => postgres.stop(), 30_000)

const listeners = (url: string) =>
  withClient(url, async (client) => {
    const { rows } = await client.query(
      "select pid from pg_stat_activity where application_name = 'assay_news'",
    )
    return rows.map(({ pid }) => Number((pid as number | bigint).toString()))
  })

test('hints reach the others, many at once as one, and the sender not at all', async () => {
  const url = postgres.url('postgres')
  const heard = [0, 0]
  const [a, b] = [0, 1].map((at) =>
    openWakeups(url, log, () => {
      heard[at] = (heard[at] ?? 0) + 1
    }),
  )
  await vi.waitFor(async () => expect(await listeners(url)).toHaveLength(2), PATIENCE)
  for (let i = 0; i < 50; i++) a?.send()
  await vi.waitFor(() => expect(heard[1]).toBe(1), PATIENCE)
  b?.send()
  await vi.waitFor(() => expect(heard[0]).toBe(1), PATIENCE)
  expect(heard).toEqual([1, 1])
  // A connection that is cut is made again.
  const old = await listeners(url)
  await withClient(url, async (client) => {
    for (const pid of old) await client.query('select pg_terminate_backend($1)', [pid])
  })
  await vi.waitFor(async () => {
    const now = await listeners(url)
    expect(now).toHaveLength(2)
    expect(now.some((pid) => old.includes(pid))).toBe(false)
  }, PATIENCE)
  a?.send()
  await vi.waitFor(() => expect(heard[1]).toBe(2), PATIENCE)
  await Promise.all([a?.close(), b?.close()])
})

test('hints for which the server has no time are told by one, and none waits for another', async () => {
  const url = postgres.url('postgres')
  let heard = 0
  const teller = openWakeups(url, log, () => undefined)
  const [pid] = await vi.waitFor(async () => {
    const pids = await listeners(url)
    expect(pids).toHaveLength(1)
    return pids
  }, PATIENCE)
  const listener = openWakeups(url, log, () => heard++)
  await vi.waitFor(async () => expect(await listeners(url)).toHaveLength(2), PATIENCE)
  process.kill(pid ?? Number.NaN, 'SIGSTOP')
  for (let i = 0; i < 10; i++) {
    teller.send()
    await sleep(30)
  }
  process.kill(pid ?? Number.NaN, 'SIGCONT')
  await vi.waitFor(() => expect(heard).toBeGreaterThan(1), PATIENCE)
  await teller.close()
  await listener.close()
  // The first may have come through before the server's process stood still.
  expect(heard).toBeLessThan(4)
})

test('a job that is submitted at one replica is followed at the other as it goes', async () => {
  const first = await startTestDispatcher(postgres, 'shared')
  const second = await startTestDispatcher(postgres, 'shared')
  const operator = await connectOperator(second)
  const id = await first.submit({ tag: 'opml', prompt: 'What is AI?', model: 'tiny.gguf' })
  const events = await fetch(`http://${first.httpAddress}/api/job/events/${id}`)
  operator.send(await operator.answer(await operator.next('dispatch')))
  expect(await events.text()).toMatch(/event: draw[^]*event: completed/)
  operator.socket.close()
  await first.close()
  await second.close()
})
