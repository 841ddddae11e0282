import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { createMemoryPool } from '../../../test/support/memoryPool.ts'
import { ALICE, nodeOver, transactionByAlice } from '../../../test/support/rpcNode.ts'
import { createStoredChain, type StoredChain } from '../../../test/support/storedChain.ts'
import type { WorkerPoolLoad } from '../workers/workerPool.ts'
import { createExecutionWorkers } from './executionWorkers.ts'
import { createExecutions } from './executor.ts'

let stored: StoredChain

beforeAll(() => {
  stored = createStoredChain([{ address: ALICE, balance: 10n ** 20n }])
})
afterAll(() => stored.close())

/** A node whose transactions may take this long. */
function nodeWithWorkers(timeoutMs: number) {
  const stop = new AbortController()
  onTestFinished(() => stop.abort())
  const { folder, rules, reader } = stored
  const onFault = (message: string): never => expect.fail(message)
  let load = (): WorkerPoolLoad => expect.fail('the load was not exposed')
  const run = createExecutionWorkers({
    folder,
    rules,
    gasCap: 10n ** 12n,
    workers: 1,
    timeoutMs,
    signal: stop.signal,
    exposeLoad: (read) => (load = read),
    onFault,
  })
  const executions = createExecutions(run, onFault)
  const node = nodeOver(reader, createMemoryPool(), { executions })
  return { request: node.request, load: () => load() }
}

const CALL_TRACER = { tracer: 'callTracer' }

test('a thread traces each block as soon as it is committed, and hands over the JSON', async () => {
  const node = nodeWithWorkers(60_000)
  for (const nonce of [0n, 1n]) {
    const { height } = await stored.mine(transactionByAlice({ nonce, value: 5n }))
    expect(
      await node.request('debug_traceBlockByNumber', `0x${height.toString(16)}`, CALL_TRACER),
    ).toMatchObject([{ result: { type: 'CALL', value: '0x5' } }])
  }
})

test('a transaction that takes too long ends, and its thread does not', async () => {
  const node = nodeWithWorkers(50)
  // JUMPDEST, PUSH0, JUMP, with more gas than can be used up in hours.
  const loop = { data: '0x5b5f56' }
  await expect(node.request('debug_traceCall', loop, 'latest', CALL_TRACER)).rejects.toMatchObject({
    code: -32000,
    message: 'execution timeout',
  })
  expect(node.load()).toEqual({ threads: 1, busy: 0, waiting: 0 })
})
