import { setTimeout as sleep } from 'node:timers/promises'
import { pino } from 'pino'
import { afterAll, beforeAll, expect, test } from 'vitest'
import {
  startTestDispatcher,
  startTestPostgres,
  type TestPostgres,
} from '../../../test/support/dispatcher.ts'
import { connectOperator } from '../../../test/support/scriptedOperator.ts'
import { withClient } from '../../store/sql/database.ts'
import { openWakeups } from './wakeups.ts'
import { waitFor } from '../../../test/support/waitFor.ts'

const log = pino({ level: 'silent' })

let postgres: TestPostgres

beforeAll(async () => {
  postgres = await startTestPostgres()
})

afterAll(() => postgres.stop())

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
  await waitFor(async () => expect(await listeners(url)).toHaveLength(2))
  for (let i = 0; i < 50; i++) a?.send()
  await waitFor(() => expect(heard[1]).toBe(1))
  b?.send()
  await waitFor(() => expect(heard[0]).toBe(1))
  expect(heard).toEqual([1, 1])
  // A connection that is cut is re-established.
  const old = await listeners(url)
  await withClient(url, async (client) => {
    for (const pid of old) await client.query('select pg_terminate_backend($1)', [pid])
  })
  await waitFor(async () => {
    const now = await listeners(url)
    expect(now).toHaveLength(2)
    expect(now.some((pid) => old.includes(pid))).toBe(false)
  })
  a?.send()
  await waitFor(() => expect(heard[1]).toBe(2))
  await Promise.all([a?.close(), b?.close()])
})

test('hints for which the server has no time are told by one, and none waits for another', async () => {
  const url = postgres.url('postgres')
  let heard = 0
  const teller = openWakeups(url, log, () => undefined)
  const [pid] = await waitFor(async () => {
    const pids = await listeners(url)
    expect(pids).toHaveLength(1)
    return pids
  })
  const listener = openWakeups(url, log, () => heard++)
  await waitFor(async () => expect(await listeners(url)).toHaveLength(2))
  process.kill(pid ?? Number.NaN, 'SIGSTOP')
  for (let i = 0; i < 10; i++) {
    teller.send()
    await sleep(30)
  }
  process.kill(pid ?? Number.NaN, 'SIGCONT')
  await waitFor(() => expect(heard).toBeGreaterThan(1))
  await teller.close()
  await listener.close()
  // The first may have got through before the server's process was paused.
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
