import { afterAll, beforeAll, expect, test } from 'vitest'
import {
  startTestDispatcher,
  startTestPostgres,
  type TestPostgres,
} from '../../../test/support/dispatcher.ts'
import { connectOperator } from '../../../test/support/scriptedOperator.ts'

let postgres: TestPostgres

beforeAll(async () => {
  postgres = await startTestPostgres()
})

afterAll(() => postgres.stop())

// Holds D33b.
test('an operator of the former protocol works beside one of the present', async () => {
  const server = await startTestDispatcher(postgres, 'former')
  const former = await connectOperator(server, { isFormer: true })
  const present = await connectOperator(server)
  const id = await server.submit({ tag: 'opml', prompt: 'both', model: 'tiny.gguf' })
  for (const operator of [former, present]) {
    const dispatch = await operator.next('dispatch')
    operator.send(await operator.answer(dispatch))
    await operator.next('recorded')
  }
  await server.until(id, ({ state }) => state === 'completed')
  const rows = await server.sql.db
    .selectFrom('results')
    .select(['operator', 'statement'])
    .where('job_id', '=', id)
    .execute()
  const byOperator = new Map(rows.map((row) => [row.operator, row.statement]))
  expect(byOperator.get(former.address)).not.toHaveProperty('traceRoot')
  expect(byOperator.get(present.address)).toHaveProperty('traceRoot')
  // A version that was never handed out is not accepted.
  const again = await server.submit({ tag: 'opml', prompt: 'mixed', model: 'tiny.gguf' })
  const dispatch = await former.next('dispatch')
  expect(dispatch.jobId).toBe(again)
  former.send(await present.answer(dispatch))
  expect((await former.next('rejected')).reason).toMatch('key')
  former.socket.close()
  present.socket.close()
  await server.close()
})
