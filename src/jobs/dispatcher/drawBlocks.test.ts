import { afterAll, beforeAll, expect, test } from 'vitest'
import { startTestChain, type TestChain } from '../../../test/support/chainNode.ts'
import {
  chainOptions,
  startTestDispatcher,
  startTestPostgres,
  type TestPostgres,
} from '../../../test/support/dispatcher.ts'
import { connectOperator } from '../../../test/support/scriptedOperator.ts'
import { fromHex } from '../../base/hex.ts'
import { sha256 } from '../../base/sha256.ts'
import { concatBytes } from '../../base/bytes.ts'
import { connectChain } from '../onchain/chain.ts'

const JOB = { tag: 'opml', prompt: 'What is AI?', model: 'tiny.gguf' }

let postgres: TestPostgres
let node: TestChain

beforeAll(async () => {
  ;[postgres, node] = await Promise.all([startTestPostgres(), startTestChain()])
})

afterAll(async () => {
  await node.stop()
  await postgres.stop()
})

// Holds D25, D32.
test('a draw binds the first block after the submission, and a job id the seed', async () => {
  const chain = connectChain(node.rpc, new AbortController().signal)
  const dispatcher = await startTestDispatcher(postgres, 'bound', { chain: chainOptions(node) })
  const operator = await connectOperator(dispatcher)
  const before = await chain.head()
  const id = await dispatcher.submit(JOB)
  const dispatch = await operator.next('dispatch')
  const { block, seed } = dispatch
  if (block === undefined) throw new Error('the hand-out names no block')
  expect(block.number).toBeGreaterThan(before)
  expect(block.hash).toBe(await chain.blockHash(block.number))
  operator.send(await operator.answer(dispatch))
  await operator.next('recorded')
  await dispatcher.until(id, ({ state }) => state === 'completed')

  const row = await dispatcher.sql.db
    .selectFrom('jobs')
    .select(['request_hash'])
    .where('id', '=', id)
    .executeTakeFirstOrThrow()
  const hash = row.request_hash ?? new Uint8Array(0)
  expect(sha256(concatBytes(fromHex(`0x${seed}`), hash))).toEqual(fromHex(`0x${id}`))
  operator.socket.close()
  await dispatcher.close()
})

test('a new seed is bound to a new block', async () => {
  const dispatcher = await startTestDispatcher(postgres, 'again', { chain: chainOptions(node) })
  const operator = await connectOperator(dispatcher)
  const id = await dispatcher.submit(JOB)
  const first = await operator.next('dispatch')
  const { lease } = first
  operator.send({ type: 'refused', jobId: id, lease, reason: 'not now', retry: true })
  const second = await operator.next('dispatch')
  expect(second.seed).not.toBe(first.seed)
  expect(second.block?.number).toBeGreaterThan(first.block?.number ?? Infinity)
  operator.socket.close()
  await dispatcher.close()
})

test('an operator of the first protocol draws without a block', async () => {
  const dispatcher = await startTestDispatcher(postgres, 'older', { chain: chainOptions(node) })
  const operator = await connectOperator(dispatcher, { protocol: 1 })
  const id = await dispatcher.submit(JOB)
  const dispatch = await operator.next('dispatch')
  expect(dispatch).not.toHaveProperty('block')
  operator.send(await operator.answer(dispatch))
  await dispatcher.until(id, ({ state }) => state === 'completed')
  operator.socket.close()
  await dispatcher.close()
})

test('while the chain is away jobs wait, and expire with that reason', async () => {
  const dispatcher = await startTestDispatcher(postgres, 'away', {
    chain: chainOptions(node, { rpcUrl: 'http://127.0.0.1:9' }),
  })
  const operator = await connectOperator(dispatcher)
  const id = await dispatcher.submit(JOB, { deadline: 1 })
  const { reason } = await dispatcher.until(id, ({ state }) => state === 'expired')
  expect(reason).toBe('the chain had no new block for the draw')
  expect(operator.received).toEqual([])
  operator.socket.close()
  await dispatcher.close()
})
