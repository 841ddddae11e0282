import { expect, test } from 'vitest'
import { createMemoryChain } from '../../../../test/support/memoryChain.ts'
import { transactionByAlice } from '../../../../test/support/rpcNode.ts'
import { createExecutions } from '../../executions/executor.ts'
import { tracesOfBlock } from './flat.ts'

test('only blocks with transactions are run again', async () => {
  const chain = createMemoryChain()
  chain.append([])
  chain.append([{ transaction: transactionByAlice(), logs: [] }])
  const asked: unknown[] = []
  const executions = createExecutions(
    async (execution) => {
      asked.push(execution)
      return { type: 'value', value: [{ result: [] }] }
    },
    (message) => expect.fail(message),
  )
  for (const height of [1, 2]) await tracesOfBlock({ chain, executions }, height)
  expect(asked).toMatchObject([{ kind: 'traceBlock', height: 2 }])
})
