import { expect, test } from 'vitest'
import { createMemoryChain } from '../../../test/support/memoryChain.ts'
import { CONTRACT, TOPIC, transactionByAlice } from '../../../test/support/rpcNode.ts'
import { encodeLog, locateLogs, logShape } from './log.ts'

test('logs of a receipt and logs of a query are the same objects', () => {
  const chain = createMemoryChain()
  const log = { address: CONTRACT, topics: [TOPIC], data: Uint8Array.of(7) }
  const header = chain.append([
    { transaction: transactionByAlice(), logs: [log] },
    { transaction: transactionByAlice({ nonce: 1n }), logs: [log, log] },
  ])
  const [receipt] = (chain.receipts(1) ?? []).slice(1)
  const [transaction] = (chain.transactions(1) ?? []).slice(1)
  if (!receipt || !transaction) throw new Error('the block has two transactions')
  const located = locateLogs(header, { hash: transaction.hash, index: 1 }, receipt)
  const queried = [...chain.logs(1, 1, { addresses: [], topics: [] })].slice(1)
  expect(located.map(encodeLog)).toEqual(queried.map(encodeLog))
  expect(located.map(({ logIndex }) => logIndex)).toEqual([1, 2])
  for (const one of located) expect(logShape.parse(encodeLog(one))).toEqual(encodeLog(one))
})
