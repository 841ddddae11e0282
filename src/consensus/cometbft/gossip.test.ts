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
  const gossip = createGossip({
    client: {
      async broadcast(txs) {
        const numbers = txs.map((tx) => tx[0] ?? 0)
        batches.push(numbers)
        if (numbers.some((tx) => answer(tx) === 'away')) throw new CometRpcError('away')
        return numbers.map(answer)
      },
    },
    isWanted: (hash) => wanted.has(hash[0] ?? 0),
    batchLimit: 10,
    log,
    signal: controller.signal,
  })
  const send = (tx: number, size = 1) => {
    wanted.add(tx)
    gossip.send(Uint8Array.of(tx), new Uint8Array(size).fill(tx))
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

// Holds D96.
test('no batch is larger than CometBFT takes, or the same one would be refused for ever', async () => {
  const { batches, send } = open(() => undefined)
  for (let tx = 0; tx < 12; tx++) send(tx, 131_072)
  await waitFor(() => expect(batches.map((batch) => batch.length)).toEqual([5, 5, 2]))
})

test('one that waits already is not sent twice, and one that was delivered may be sent again', async () => {
  let isAway = true
  const { batches, send } = open(() => (isAway ? 'away' : undefined))
  send(1)
  await waitFor(() => expect(batches).toEqual([[1]]))
  for (let i = 0; i < 3; i++) send(1)
  send(2)
  isAway = false
  await waitFor(() => expect(batches).toEqual([[1], [1, 2]]))
  // CometBFT was started again.
  await waitFor(() => {
    send(1)
    expect(batches).toHaveLength(3)
  })
})
