import { pino } from 'pino'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startTestChain, type TestChain } from '../../../../test/support/chainNode.ts'
import {
  chainOptions,
  startTestDispatcher,
  startTestPostgres,
  type TestDispatcher,
  type TestPostgres,
} from '../../../../test/support/dispatcher.ts'
import { connectOperator } from '../../../../test/support/scriptedOperator.ts'
import { fromHex } from '../../../base/hex.ts'
import { sha256 } from '../../../base/sha256.ts'
import { merkleProof, merkleRoot } from '../../../proof/comet/merkle.ts'
import { receiptDigest } from '../../../proof/job/receipt.ts'
import { decodeInteger, decodeWords, encodeCall } from '../../onchain/abi.ts'
import { connectChain, type EvmChain } from '../../onchain/chain.ts'
import { anchorReceipts } from './anchor.ts'
import { loadIdentity } from '../key.ts'
import { openDispatcherChain } from '../chain.ts'
import { waitFor } from '../../../../test/support/waitFor.ts'

const { signal } = new AbortController()
const log = pino({ level: 'silent' })

let postgres: TestPostgres
let node: TestChain
let chain: EvmChain

beforeAll(async () => {
  ;[postgres, node] = await Promise.all([startTestPostgres(), startTestChain()])
  chain = connectChain(node.rpc, signal)
})

afterAll(async () => {
  await node.stop()
  await postgres.stop()
})

/** Has one job answered by its own operator. */
async function doJob(dispatcher: TestDispatcher): Promise<string> {
  const operator = await connectOperator(dispatcher)
  const id = await dispatcher.submit({ tag: 'opml', prompt: 'What is AI?', model: 'tiny.gguf' })
  operator.send(await operator.answer(await operator.next('dispatch')))
  await dispatcher.until(id, ({ state }) => state === 'completed')
  operator.socket.close()
  return id
}

const contract = () => chainOptions(node).receiptsContract

/** Roots and counts on the chain, in order. */
async function anchorsOf(dispatcher: TestDispatcher) {
  const address = fromHex(dispatcher.dispatcherAddress)
  const call = (signature: string, ...args: (bigint | Uint8Array)[]) =>
    chain.view(contract(), encodeCall(signature, address, ...args))
  const last = Number(decodeInteger(await call('intervals(address)')))
  return Promise.all(
    Array.from({ length: last }, async (_, at) => {
      const words = await call('anchors(address,uint256)', BigInt(at + 1))
      const [root, count] = decodeWords(words, 3)
      return { root, count: Number(decodeInteger(count as Uint8Array)) }
    }),
  )
}

test('results of an interval are one transaction, and each is proven by its place in the tree', async () => {
  const dispatcher = await startTestDispatcher(postgres, 'anchored', {
    chain: chainOptions(node, { anchorIntervalMs: 3000 }),
  })
  const ids = [await doJob(dispatcher), await doJob(dispatcher), await doJob(dispatcher)]
  await waitFor(async () => {
    const anchored = await anchorsOf(dispatcher)
    expect(anchored.reduce((sum, { count }) => sum + count, 0)).toBe(3)
  }, 100)
  const anchored = await anchorsOf(dispatcher)
  expect(anchored.length).toBeLessThan(3)
  const rows = await dispatcher.sql.db
    .selectFrom('results')
    .innerJoin('receipts', 'receipts.leaf', 'results.leaf')
    .select(['results.receipt', 'receipts.leaf', 'receipts.interval', 'receipts.position'])
    .where('results.job_id', 'in', ids)
    .orderBy('receipts.interval')
    .orderBy('receipts.position')
    .execute()
  const domain = { chainId: 271_828n, dispatcher: dispatcher.dispatcherAddress }
  for (const [at, { root }] of anchored.entries()) {
    const own = rows.filter(({ interval }) => Number(interval) === at + 1)
    const leaves = own.map(({ receipt }) => {
      if (receipt === null) throw new Error('a result has no receipt')
      return receiptDigest(receipt, domain)
    })
    expect(merkleRoot(sha256, leaves)).toEqual(root)
    expect(own.map(({ position }) => position)).toEqual(leaves.map((_, index) => index))
    for (const [index, leaf] of leaves.entries()) {
      const { aunts } = merkleProof(sha256, leaves, index)
      expect(await contains(dispatcher, BigInt(at + 1), leaf, index, aunts)).toBe(true)
      expect(await contains(dispatcher, BigInt(at + 1), leaf, index + 1, aunts)).toBe(false)
    }
  }
  await dispatcher.close()
})

/** What the contract says about a receipt's position. */
async function contains(
  dispatcher: TestDispatcher,
  interval: bigint,
  leaf: Uint8Array,
  index: number,
  aunts: readonly Uint8Array[],
): Promise<boolean> {
  const head = [fromHex(dispatcher.dispatcherAddress), interval, leaf, index, 160, aunts.length]
  const signature = 'contains(address,uint256,bytes32,uint256,bytes32[])'
  const answer = await chain.view(contract(), encodeCall(signature, ...head, ...aunts))
  return decodeInteger(answer) === 1n
}

// Holds D33a.
test('several replicas make one anchor per interval, and a chain that was away is caught up with', async () => {
  const dispatcher = await startTestDispatcher(postgres, 'replicas')
  const options = chainOptions(node, { anchorIntervalMs: 1 })
  const identity = loadIdentity(dispatcher.options.keyFile)
  const replica = (rpcUrl = node.rpc) => {
    const { receipts } = openDispatcherChain({ ...options, rpcUrl }, identity, signal)
    if (receipts === undefined) throw new Error('nothing is anchored')
    return { sql: dispatcher.sql, contract: receipts, intervalMs: 1, log }
  }
  await doJob(dispatcher)
  await expect(anchorReceipts(replica('http://127.0.0.1:9'))).rejects.toThrow('the chain')
  for (let round = 1; round <= 3; round++) {
    await doJob(dispatcher)
    const counts = await Promise.allSettled([
      anchorReceipts(replica()),
      anchorReceipts(replica()),
      anchorReceipts(replica()),
    ])
    const sent = counts.filter((each) => each.status === 'fulfilled' && each.value > 0)
    expect(sent).toHaveLength(1)
    expect(await anchorsOf(dispatcher)).toHaveLength(round)
  }
  expect(await anchorReceipts(replica())).toBe(0)
  const loose = await dispatcher.sql.db
    .selectFrom('receipts')
    .select('leaf')
    .where('interval', 'is', null)
    .execute()
  expect(loose).toEqual([])
  await dispatcher.close()
})

test('an anchor that was sent and never noted is found again, not sent twice', async () => {
  const dispatcher = await startTestDispatcher(postgres, 'found')
  const options = chainOptions(node, { anchorIntervalMs: 1 })
  const identity = loadIdentity(dispatcher.options.keyFile)
  const { receipts } = openDispatcherChain(options, identity, signal)
  if (receipts === undefined) throw new Error('nothing is anchored')
  const anchoring = { sql: dispatcher.sql, contract: receipts, intervalMs: 1, log }
  await doJob(dispatcher)
  expect(await anchorReceipts(anchoring)).toBe(1)
  await dispatcher.sql.db.updateTable('anchors').set({ state: 'waiting' }).execute()
  expect(await anchorReceipts(anchoring)).toBe(1)
  expect(await anchorsOf(dispatcher)).toHaveLength(1)
  // Another database has used the number in the meantime: the receipts go into the next interval.
  await doJob(dispatcher)
  await dispatcher.sql.db
    .insertInto('anchors')
    .values({ interval: 2n, root: Buffer.alloc(32, 1), previous: Buffer.alloc(32), count: 1 })
    .execute()
  const root = new Uint8Array(32).fill(7)
  const { root: previous } = await receipts.anchorAt(1n)
  await receipts.anchor({ interval: 2n, root, count: 9, previous })
  expect(await anchorReceipts(anchoring)).toBe(0)
  expect(await anchorReceipts(anchoring)).toBe(1)
  expect((await anchorsOf(dispatcher)).map(({ count }) => count)).toEqual([1, 9, 1])
  await dispatcher.close()
})
