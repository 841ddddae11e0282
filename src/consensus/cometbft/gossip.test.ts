import { pino } from 'pino'
import { afterEach, expect, test } from 'vitest'
import { createGossip } from './gossip.ts'
import { CometRpcError } from './rpc.ts'
import { waitFor } from '../../../test/support/waitFor.ts'

const log = pino({ level: 'silent' })
const stopping: AbortController[] = []
afterEach(() => {
  for (const controller of stopping.splice(0)) controller.abort()
})

/** A CometBFT that answers as the test says; 'away' means that it is unreachable. */
function open(answer: (tx: number) => string | undefined, wanted = new Set<number>()) {
  const batches: number[][] = []
  const controller = new AbortController()
  stopping.push(controller)
  const gossip = createGossip(
    {
      async broadcast(txs) {
        const numbers = txs.map((tx) => tx[0] ?? 0)
        batches.push(numbers)
        if (numbers.some((tx) => answer(tx) === 'away')) throw new CometRpcError('away')
        return numbers.map(answer)
      },
    },
    (hash) => wanted.has(hash[0] ?? 0),
    log,
    controller.signal,
  )
  const send = (tx: number) => {
    wanted.add(tx)
    gossip.send(Uint8Array.of(tx), Uint8Array.of(tx))
  }
  return { batches, send, wanted }
}

test('what comes in the same turn goes in batches, and a transaction that is there already is fine', async () => {
  const { batches, send } = open((tx) => (tx === 3 ? 'tx already exists in cache' : undefined))
  for (let tx = 0; tx < 25; tx++) send(tx)
  await waitFor(() => expect(batches.map((batch) => batch.length)).toEqual([10, 10, 5]))
})

test('what CometBFT has no room for is tried again, and nobody waits for it', async () => {
  let isFull = true
  const { batches, send } = open((tx) => (isFull && tx === 1 ? 'mempool is full' : undefined))
  send(1)
  send(2)
  await waitFor(() => expect(batches).toEqual([[1, 2]]))
  isFull = false
  await waitFor(() => expect(batches.flat().filter((tx) => tx === 1)).toHaveLength(2))
})

test('while CometBFT is away transactions wait, and those that leave the pool are forgotten', async () => {
  let isAway = true
  const { batches, send, wanted } = open(() => (isAway ? 'away' : undefined))
  send(1)
  await waitFor(() => expect(batches).toEqual([[1]]))
  send(2)
  send(3)
  wanted.delete(2)
  isAway = false
  await waitFor(() => expect(batches.at(-1)).toEqual([1, 3]))
})
