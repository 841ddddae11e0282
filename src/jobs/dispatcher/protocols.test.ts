import { afterAll, beforeAll, expect, test } from 'vitest'
import {
  startTestDispatcher,
  startTestPostgres,
  type TestPostgres,
} from '../../../test/support/dispatcher.ts'
import { RECEIPTS_ADDRESS, REGISTRY_ADDRESS } from '../../config/contracts.ts'
import { verifyBundle } from '../../proof/bundle/verify.ts'
import { nodeContext } from '../bundleContext.ts'
import { connectOperator } from '../../../test/support/scriptedOperator.ts'

let postgres: TestPostgres

beforeAll(async () => {
  postgres = await startTestPostgres()
})

afterAll(() => postgres.stop())

// Holds D33b, D79.
test('operators of all versions work beside each other, each with its own statement', async () => {
  const server = await startTestDispatcher(postgres, 'former')
  const former = await connectOperator(server, { protocol: 1 })
  const second = await connectOperator(server, { protocol: 2 })
  const present = await connectOperator(server)
  const id = await server.submit({ tag: 'opml', prompt: 'all', model: 'tiny.gguf' })
  for (const operator of [former, second, present]) {
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
  expect(byOperator.get(second.address)).toHaveProperty('traceRoot')
  expect(byOperator.get(second.address)).not.toHaveProperty('createdAt')
  expect(byOperator.get(present.address)).toMatchObject({ promptTokens: 4, renderer: '' })
  expect(byOperator.get(present.address)?.createdAt).toBeGreaterThan(1_700_000_000)
  const bundle: unknown = await (
    await fetch(`http://${server.httpAddress}/api/job/receipt/${id}`)
  ).json()
  const evidence = { software: 'any' } as const
  const contracts = { receiptsContract: RECEIPTS_ADDRESS, registryContract: REGISTRY_ADDRESS }
  const trust = { ...contracts, evidence, dispatcher: server.dispatcherAddress }
  const report = await verifyBundle((bundle as { result: unknown }).result, trust, nodeContext)
  expect(report.facts).toEqual([['signed'], ['signed'], ['signed']])
  // A version that was never handed out is not accepted.
  const again = await server.submit({ tag: 'opml', prompt: 'mixed', model: 'tiny.gguf' })
  const dispatch = await former.next('dispatch')
  expect(dispatch.jobId).toBe(again)
  former.send(await present.answer(dispatch))
  expect((await former.next('rejected')).reason).toMatch('key')
  former.socket.close()
  second.socket.close()
  present.socket.close()
  await server.close()
})
