import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { afterEach, expect, test } from 'vitest'
import {
  openApplicationNode,
  proposedBlock,
  testGenesis,
  type ApplicationNode,
} from '../../../test/support/applicationNode.ts'
import { senderAddress, signedTransfer } from '../../../test/support/poolRig.ts'
import { createEngine } from '../../evm/createEngine.ts'
import type { Engine } from '../../evm/types.ts'
import { openKv } from '../../store/kv.ts'

const genesis = testGenesis(
  [0, 1].map((sender) => ({
    privateKey: new Uint8Array(32).fill(sender + 1),
    address: senderAddress(sender),
  })),
)

const cleanUp: (() => Promise<void>)[] = []
afterEach(async () => {
  for (const action of cleanUp.splice(0)) await action()
})

function open(evm?: Engine): ApplicationNode {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'assay-proposals-'))
  const kv = openKv(folder, { isScratch: true })
  cleanUp.push(async () => {
    await kv.close()
    fs.rmSync(folder, { recursive: true })
  })
  const node = openApplicationNode({ genesis, kv, ...(evm && { evm }) })
  node.application.initChain(genesis.initChain)
  return node
}

const prepare = ({ application }: ApplicationNode, txs: readonly Uint8Array[] = []) =>
  application.prepareProposal({
    ...proposedBlock(genesis, 1, []),
    txs,
    maxTxBytes: 1_000_000,
    localLastCommit: { round: 0, votes: [] },
  })

const process = ({ application }: ApplicationNode, txs: readonly Uint8Array[], height = 1) =>
  application.processProposal(proposedBlock(genesis, height, txs))

const [first, second] = [signedTransfer(0, 0), signedTransfer(0, 1)]
const other = signedTransfer(1, 0)

// Holds D21a.
test('a proposal is what the pool holds and what the request adds to it, each sender in order', async () => {
  const node = open()
  await node.pool.add(second.raw)
  // Only now is the pooled one executable; garbage is never proposed.
  const txs = await prepare(node, [Uint8Array.of(1, 2, 3), first.raw, other.raw, second.raw])
  expect(txs).toHaveLength(3)
  expect(new Set(txs)).toEqual(new Set([first.raw, second.raw, other.raw]))
  expect(txs.indexOf(first.raw)).toBeLessThan(txs.indexOf(second.raw))
  expect(await process(node, txs)).toBe('accept')
})

// Holds D21a.
test('proposals that break the rules are rejected, and the application goes on', async () => {
  const node = open()
  const heavy = (nonce: number) => signedTransfer(0, nonce, { gasLimit: 16_000_000n }).raw
  const rich = signedTransfer(1, 0, { value: 10n ** 25n }).raw
  const bad: Record<string, readonly Uint8Array[]> = {
    'nonces out of order': [second.raw, first.raw],
    'a nonce gap': [second.raw],
    'the same transaction twice': [first.raw, first.raw],
    'more gas than a block has': [heavy(0), heavy(1)],
    garbage: [first.raw, Uint8Array.of(0xc0, 0xff)],
    'an empty transaction': [new Uint8Array(0)],
    'more money than there is': [rich],
  }
  for (const [what, txs] of Object.entries(bad))
    expect([what, await process(node, txs)]).toEqual([what, 'reject'])
  expect(await process(node, [first.raw], 2)).toBe('reject')
  expect(await process(node, [first.raw, second.raw])).toBe('accept')
})

test('what is decided all the same is executed, and what cannot be gets code 2', async () => {
  const node = open()
  const txs = [second.raw, Uint8Array.of(0xc0, 0xff), first.raw]
  expect(await process(node, txs)).toBe('reject')
  const { txResults } = await node.decide(proposedBlock(genesis, 1, txs))
  expect(txResults.map(({ code }) => code)).toEqual([2, 2, 0])
  expect(node.application.info().lastBlockHeight).toBe(1)
})

test('a block gives the same when it was prepared, when it was judged, and when it comes unannounced', async () => {
  const proposer = open()
  const txs = [first.raw, second.raw, other.raw]
  const proposed = await prepare(proposer, txs)
  expect(await process(proposer, proposed)).toBe('accept')

  const validator = open()
  // Proposals of other rounds have no effect.
  await process(validator, [other.raw])
  await process(validator, [second.raw])
  expect(await process(validator, proposed)).toBe('accept')

  const follower = open()
  const block = proposedBlock(genesis, 1, proposed)
  const answers = []
  for (const node of [proposer, validator, follower]) answers.push(await node.decide(block))
  expect(answers[1]).toEqual(answers[0])
  expect(answers[2]).toEqual(answers[0])
  expect(validator.store.reader.header(1)).toEqual(follower.store.reader.header(1))
  expect(proposer.store.reader.header(1)).toEqual(follower.store.reader.header(1))
  expect(follower.store.reader.header(1)?.hash).toEqual(block.hash)
})

test('a transaction of a proposal is executed once, from its preparation to its decision', async () => {
  let messages = 0
  const engine = createEngine()
  const counting: Engine = {
    ...engine,
    execute: (...args) => {
      messages++
      return engine.execute(...args)
    },
  }
  const node = open(counting)
  const txs = await prepare(node, [first.raw, other.raw])
  const once = messages
  expect(once).toBeGreaterThanOrEqual(2)
  await process(node, txs)
  // A separate copy of the bytes, as if received over a socket.
  await node.decide(
    proposedBlock(
      genesis,
      1,
      txs.map((tx) => Uint8Array.from(tx)),
    ),
  )
  expect(node.store.reader.transactionCount(1)).toBe(2)
  expect(messages).toBe(once)
})

test('after a block, a recheck tells what is still good', async () => {
  const { application, decide, pool } = open()
  await pool.add(first.raw)
  await pool.add(second.raw)
  expect(await application.checkTx(first.raw, false)).toMatchObject({ code: 0, gasWanted: 21_000n })
  await decide(proposedBlock(genesis, 1, [signedTransfer(0, 0, { value: 1n }).raw]))
  expect((await application.checkTx(first.raw, true)).code).toBe(2)
  expect((await application.checkTx(second.raw, true)).code).toBe(0)
  expect(await application.checkTx(first.raw, false)).toMatchObject({
    code: 2,
    log: 'nonce too low: next nonce 1, tx nonce 0',
  })
})
