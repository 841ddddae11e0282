import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import fc from 'fast-check'
import { afterAll, expect, test } from 'vitest'
import {
  openApplicationNode,
  proposedBlock,
  testGenesis,
} from '../../../test/support/applicationNode.ts'
import { senderAddress, signedTransfer } from '../../../test/support/poolRig.ts'
import { UserError } from '../../base/errors.ts'
import { openKv } from '../../store/kv.ts'
import { dispatch } from '../abci/dispatch.ts'
import type { AbciRequest } from '../abci/request.ts'
import { encodeResponse } from '../abci/response.ts'
import { createRemoteApplication, OutOfOrderError } from './application.ts'

const genesis = testGenesis(
  [0, 1].map((sender) => ({
    privateKey: new Uint8Array(32).fill(sender + 1),
    address: senderAddress(sender),
  })),
)

const cleanUp: (() => Promise<void>)[] = []
afterAll(async () => {
  for (const action of cleanUp) await action()
})

async function open() {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'assay-remote-'))
  const kv = openKv(folder, { isScratch: true })
  const close = async () => {
    await kv.close()
    fs.rmSync(folder, { recursive: true, force: true })
  }
  cleanUp.push(close)
  const node = openApplicationNode({ genesis, kv })
  const committed: number[] = []
  const gossip = { isAppMempool: false, taken: [] as Uint8Array[] }
  const application = createRemoteApplication({
    ...node,
    kv,
    appState: genesis.initChain.appState,
    onCommitted: (height) => committed.push(height),
    gossip: {
      isAppMempool: () => gossip.isAppMempool,
      onTaken: (raw) => gossip.taken.push(raw),
      reap: () => gossip.taken,
    },
  })
  return { ...node, application, committed, gossip, close }
}

const block = (height: number, ...txs: readonly Uint8Array[]) => proposedBlock(genesis, height, txs)

test('steps that do not follow from the ones before are refused, and leave the chain as it is', async () => {
  const { application, committed, pool } = await open()
  await application.initChain(genesis.initChain)
  await expect(application.commit()).rejects.toThrow('Commit before FinalizeBlock')
  await expect(application.finalizeBlock(block(2))).rejects.toThrow(
    new OutOfOrderError('FinalizeBlock of height 2, where height 1 is the next one'),
  )
  const transfer = signedTransfer(0, 0)
  await pool.add(transfer.raw)
  await application.finalizeBlock(block(1, transfer.raw))
  expect((await application.info()).lastBlockHeight).toBe(0)
  await application.commit()
  expect(pool.counts()).toEqual({ pending: 0, queued: 0 })
  await expect(application.commit()).rejects.toBeInstanceOf(OutOfOrderError)
  await expect(application.initChain(genesis.initChain)).rejects.toBeInstanceOf(OutOfOrderError)
  expect(await application.processProposal(block(1))).toBe('reject')
  expect(committed).toEqual([1])
  expect((await application.info()).lastBlockHeight).toBe(1)
})

test('whoever asks during a commit is told of that commit', async () => {
  const { application } = await open()
  await application.initChain(genesis.initChain)
  await application.finalizeBlock(block(1))
  const [, info] = await Promise.all([application.commit(), application.info()])
  expect(info.lastBlockHeight).toBe(1)
})

test('a genesis with another state is refused; its layout does not matter', async () => {
  const { application } = await open()
  const appState = new TextDecoder().decode(genesis.initChain.appState)
  const other = { ...genesis.initChain, appState: new TextEncoder().encode('{"evm":{}}') }
  await expect(application.initChain(other)).rejects.toBeInstanceOf(UserError)
  const spaced = JSON.stringify(JSON.parse(appState), undefined, 4)
  const same = { ...genesis.initChain, appState: new TextEncoder().encode(spaced) }
  expect((await application.initChain(same)).appHash).toHaveLength(32)
})

const raw = fc.oneof(
  fc.uint8Array({ maxLength: 60 }).map((bytes) => Uint8Array.from(bytes)),
  fc
    .record({ sender: fc.nat({ max: 1 }), nonce: fc.nat({ max: 3 }), gas: fc.nat({ max: 20 }) })
    .map(
      ({ sender, nonce, gas }) =>
        signedTransfer(sender, nonce, { gasLimit: 21_000n + BigInt(gas) * 1_000_000n }).raw,
    ),
)
const anyBlock = fc
  .record({ height: fc.integer({ min: 0, max: 5 }), txs: fc.array(raw, { maxLength: 4 }) })
  .map(({ height, txs }) => block(height, ...txs))

const anyRequest: fc.Arbitrary<AbciRequest> = fc.oneof(
  fc.constantFrom<AbciRequest>({ type: 'info' }, { type: 'flush' }, { type: 'listSnapshots' }),
  fc.constant<AbciRequest>({ type: 'initChain', request: genesis.initChain }),
  raw.map((tx): AbciRequest => ({ type: 'checkTx', tx, recheck: false })),
  raw.map((tx): AbciRequest => ({ type: 'checkTx', tx, recheck: true })),
  anyBlock.map(({ decidedLastCommit: localLastCommit, ...rest }): AbciRequest => ({
    type: 'prepareProposal',
    request: { ...rest, localLastCommit, maxTxBytes: 500 },
  })),
  anyBlock.map((decided): AbciRequest => ({ type: 'processProposal', block: decided })),
  {
    weight: 3,
    arbitrary: anyBlock.map((decided): AbciRequest => ({ type: 'finalizeBlock', block: decided })),
  },
  { weight: 3, arbitrary: fc.constant<AbciRequest>({ type: 'commit' }) },
)

test('whatever comes in whatever order, two applications answer the same and none fails', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(anyRequest, { maxLength: 30 }), async (requests) => {
      const nodes = [await open(), await open()] as const
      try {
        for (const request of [
          { type: 'initChain', request: genesis.initChain } as const,
          ...requests,
        ]) {
          const answers = await Promise.all(
            nodes.map(({ application }) =>
              dispatch(application, request).then(
                (response) => Buffer.from(encodeResponse(response)).toString('hex'),
                (error: unknown) => {
                  expect(error).toBeInstanceOf(OutOfOrderError)
                  return String(error)
                },
              ),
            ),
          )
          expect(answers[1]).toBe(answers[0])
        }
      } finally {
        for (const { close } of nodes) await close()
      }
    }),
    { numRuns: Number(process.env['ASSAY_FUZZ_RUNS'] ?? 30) },
  )
}, 600_000)

// Holds D99.
test('where the pool is the application’s, what peers insert is pooled and goes on to their peers', async () => {
  const { application, gossip, pool } = await open()
  await application.initChain(genesis.initChain)
  await application.finalizeBlock(block(1))
  await application.commit()
  const [sent, inserted] = [signedTransfer(0, 0), signedTransfer(0, 1)]
  await application.checkTx(sent.raw, false)
  expect(pool.isHeld(sent.hash)).toBe(true)
  expect(gossip.taken).toHaveLength(0)

  gossip.isAppMempool = true
  expect((await application.checkTx(sent.raw, false)).code).toBe(0)
  expect(pool.isHeld(sent.hash)).toBe(false)
  expect(await application.insertTx(inserted.raw)).toBe(0)
  expect(application.reapTxs(0)).toEqual([sent.raw, inserted.raw])
  // CometBFT takes it again later: the reason may be gone then.
  expect(await application.insertTx(Uint8Array.of(1, 2, 3))).toBeGreaterThanOrEqual(32_000)
  expect(gossip.taken).toHaveLength(2)
})
