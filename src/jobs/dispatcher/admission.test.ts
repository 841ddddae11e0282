import { afterAll, beforeAll, expect, test } from 'vitest'
import { startTestChain, type TestChain } from '../../../test/support/chainNode.ts'
import {
  chainOptions,
  startTestDispatcher,
  startTestPostgres,
  type TestPostgres,
} from '../../../test/support/dispatcher.ts'
import { connectOperator } from '../../../test/support/scriptedOperator.ts'
import { developmentKeys } from '../../accounts/development.ts'
import { sendTransaction } from '../onchain/account.ts'
import { connectChain, type EvmChain } from '../onchain/chain.ts'
import { CLOSE } from '../protocol.ts'
import { registerCall } from '../registry/registry.ts'

const { signal } = new AbortController()
const [registeredKey, strangerKey] = developmentKeys().slice(7) as [Uint8Array, Uint8Array]

let postgres: TestPostgres
let node: TestChain
let chain: EvmChain

beforeAll(async () => {
  ;[postgres, node] = await Promise.all([startTestPostgres(), startTestChain()])
  chain = connectChain(node.rpc, signal)
  const to = chainOptions(node).registryContract
  const part = { start: 0, end: 1, types: ['opml'] } as const
  const sending = { to, data: registerCall(part, registeredKey), value: 10n ** 15n }
  await sendTransaction(chain, registeredKey, sending, signal)
})

afterAll(async () => {
  await node.stop()
  await postgres.stop()
})

test('a registered operator draws in its part, which both sides read from the chain', async () => {
  const dispatcher = await startTestDispatcher(postgres, 'part', { chain: chainOptions(node) })
  const operator = await connectOperator(dispatcher, { privateKey: registeredKey })
  await dispatcher.submit({ tag: 'opml', prompt: 'What is AI?', model: 'tiny.gguf' })
  const result = await operator.answer(await operator.next('dispatch'))
  // One in 600,000 would be selected.
  expect(result.selected).toBe(false)
  operator.send(result)
  await operator.next('recorded')
  const { range_end: end } = await dispatcher.sql.db
    .selectFrom('operators')
    .select('range_end')
    .executeTakeFirstOrThrow()
  expect(end).toBe(1n)
  operator.socket.close()
  await dispatcher.close()
})

test('where only registered operators are admitted, others are told why they are not', async () => {
  const dispatcher = await startTestDispatcher(postgres, 'strict', {
    chain: chainOptions(node, { operators: 'registered' }),
  })
  const code = (script: Parameters<typeof connectOperator>[1]) =>
    connectOperator(dispatcher, script).then(
      () => 0,
      (error: Error) => Number(/\d+/.exec(error.message)?.[0]),
    )
  expect(await code({ privateKey: strangerKey })).toBe(CLOSE.unauthenticated)
  // Registered, but not for this job type.
  expect(await code({ privateKey: registeredKey, workers: ['tee'] })).toBe(CLOSE.unauthenticated)
  const operator = await connectOperator(dispatcher, { privateKey: registeredKey })
  operator.socket.close()
  await dispatcher.close()
})

test('while the chain is away, the last known part goes on; nobody is admitted where registration is asked for', async () => {
  const open = await startTestDispatcher(postgres, 'part', {
    chain: chainOptions(node, { rpcUrl: 'http://127.0.0.1:9' }),
  })
  const operator = await connectOperator(open, { privateKey: registeredKey })
  operator.socket.close()
  const rows = await open.sql.db.selectFrom('operators').select('range_end').execute()
  expect(rows).toEqual([{ range_end: 1n }])
  await open.close()
  const strict = await startTestDispatcher(postgres, 'strict', {
    chain: chainOptions(node, { rpcUrl: 'http://127.0.0.1:9', operators: 'registered' }),
  })
  await expect(connectOperator(strict, { privateKey: registeredKey })).rejects.toThrow('1011')
  await strict.close()
})
