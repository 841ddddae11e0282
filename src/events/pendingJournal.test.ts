import { expect, test } from 'vitest'
import { createMemoryPool } from '../../test/support/memoryPool.ts'
import { transactionByAlice } from '../../test/support/rpcNode.ts'
import { createPendingJournal } from './pendingJournal.ts'

test('the journal numbers what becomes pending from its start on', async () => {
  const pool = createMemoryPool()
  const stop = new AbortController()
  const journal = createPendingJournal(pool, stop.signal)
  await pool.add(transactionByAlice().raw)
  journal.start()
  journal.start()
  const first = await pool.add(transactionByAlice({ nonce: 1n }).raw)
  const second = await pool.add(transactionByAlice({ nonce: 2n }).raw)
  expect(journal.since(0)).toEqual([first.hash, second.hash])
  expect(journal.since(1)).toEqual([second.hash])
  expect(journal.since(journal.end())).toEqual([])
  stop.abort()
  await pool.add(transactionByAlice({ nonce: 3n }).raw)
  expect(journal.end()).toBe(2)
})
