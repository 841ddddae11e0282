import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { afterAll, expect, test } from 'vitest'
import {
  openApplicationNode,
  proposedBlock,
  testGenesis,
  type ApplicationNode,
} from '../../../test/support/applicationNode.ts'
import { senderAddress, signedTransfer } from '../../../test/support/poolRig.ts'
import { chunksOf, restore, SMALL } from '../../../test/support/snapshotRig.ts'
import { EMPTY_BYTES } from '../../base/bytes.ts'
import { fromHex } from '../../base/hex.ts'
import { estimateGas, simulateCall } from '../../chain/call.ts'
import { openBlock, runOn } from '../../ledger/replay.ts'
import { createEngine } from '../../evm/createEngine.ts'
import { eth_config } from '../../rpc/methods/eth/config.ts'
import { createEngines } from '../../rpc/executions/engines.ts'
import { simulate } from '../../rpc/executions/simulate.ts'
import { openKv } from '../../store/kv.ts'

/** Returns CLZ(1) (EIP-7939), which is 255 from Osaka on. */
const CODE = '0x60011e5f5260205ff3'
const CONTRACT = '0x00000000000000000000000000000000000c0de0'
const TO = fromHex(CONTRACT)

/** Cancun at first; Prague and the contract from height 3, Osaka from 5. */
const genesis = testGenesis(
  [0, 1].map((sender) => ({ address: senderAddress(sender) })),
  {
    hardfork: 'cancun',
    upgrades: [
      { height: 3, hardfork: 'prague', code: { [CONTRACT]: CODE } },
      { height: 5, hardfork: 'osaka' },
    ],
  },
)
const LAST = 6

const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'assay-upgrades-'))
const closing: (() => Promise<void>)[] = []
afterAll(async () => {
  for (const close of closing) await close()
  fs.rmSync(folder, { recursive: true })
})

function open(name: string): ApplicationNode {
  const kv = openKv(path.join(folder, name), { isScratch: true })
  const snapshots = { folder: path.join(folder, `${name}-snapshots`), interval: 4, taking: SMALL }
  const node = openApplicationNode({ genesis, kv, snapshots })
  closing.push(async () => {
    await node.stateSync?.idle()
    await kv.close()
  })
  return node
}

/** Block n holds one call of the contract. */
const blockAt = (height: number) =>
  proposedBlock(genesis, height, [
    signedTransfer(0, height - 1, { to: TO, gasLimit: 100_000n }).raw,
  ])

/** A node with all blocks, some of which it validated first. */
async function runAll(name: string, judges: (height: number) => boolean) {
  const node = open(name)
  node.application.initChain(genesis.initChain)
  const responses = []
  for (let height = 1; height <= LAST; height++) {
    const block = blockAt(height)
    if (judges(height)) expect(await node.application.processProposal(block)).toBe('accept')
    responses.push(await node.decide(block))
    await node.stateSync?.idle()
  }
  return { node, responses }
}

const chain = runAll('chain', () => false)
const engine = createEngine()
const heights = Array.from({ length: LAST }, (_, index) => index + 1)

test('forks and system contracts begin at their heights, whether blocks were proposals before or not', async () => {
  const { node, responses } = await chain
  const statuses = heights.map((height) => node.store.reader.receipts(height)?.[0]?.status)
  // Without code, with an undefined opcode, with a defined one.
  expect(statuses).toEqual([1, 1, 0, 0, 1, 1])
  expect((await runAll('judge', (height) => height % 2 === 1)).responses).toEqual(responses)
})

test('calls, estimates and repeated transactions follow the fork of their height', async () => {
  const { node } = await chain
  const { reader } = node.store
  const { rules } = genesis.state
  const outcomes = []
  for (const height of heights) {
    const header = reader.header(height)
    const block = openBlock(reader, rules, height)
    const [transaction] = reader.transactions(height) ?? []
    if (!header || !block || !transaction) throw new Error(`block ${height} is not there`)
    const place = { engine, rules, header, state: reader.stateAt(height) }
    const options = { gasCap: 30_000_000n }
    const call = { to: TO, gas: 100_000n }
    const called = simulateCall(place, call, options)
    const traced = runOn(engine, block, transaction)
    let estimated = 'success'
    try {
      estimateGas(place, call, options)
    } catch {
      estimated = 'halt'
    }
    expect([traced.status, estimated]).toEqual([called.status, called.status])
    outcomes.push(called.output.length === 32 ? called.output[31] : called.status)
  }
  expect(outcomes).toEqual(['success', 'success', 'halt', 'halt', 255, 255])
})

test('a simulation on an old block goes through the forks that come', async () => {
  const { node } = await chain
  const blockStateCalls = Array.from({ length: 4 }, () => ({
    blockOverrides: {},
    stateOverrides: new Map(),
    calls: [{ to: TO, gas: 100_000n }],
  }))
  const blocks = simulate(
    {
      chain: node.store.reader,
      rules: genesis.state.rules,
      gasCap: 30_000_000n,
      timeoutMs: 10_000,
      engines: createEngines(0n),
    },
    {
      payload: {
        blockStateCalls,
        validation: false,
        traceTransfers: false,
        returnFullTransactions: false,
      },
      height: 1,
      profile: 'ethereum',
    },
  )
  const statuses = blocks.map(
    (block) => (block as { calls: { status: string }[] }).calls[0]?.status,
  )
  expect(statuses).toEqual(['0x1', '0x0', '0x0', '0x1'])
})

test('the pool and proposals follow the fork of the next block', async () => {
  const node = open('pool')
  node.application.initChain(genesis.initChain)
  const delegation = signedTransfer(1, 1, {
    type: 4,
    gasLimit: 100_000n,
    authorizationList: [{ chainId: 0n, address: TO, nonce: 0n, yParity: 0n, r: 1n, s: 1n }],
  }).raw
  const large = signedTransfer(1, 0, { gasLimit: 20_000_000n }).raw
  await expect(node.pool.add(delegation)).rejects.toThrow('transaction type not supported')
  for (const height of [1, 2]) await node.decide(blockAt(height))
  await node.pool.add(delegation)
  await node.pool.add(large)
  const withLarge = (height: number) => ({ ...blockAt(height), txs: [large] })
  await node.decide(blockAt(3))
  expect(await node.application.processProposal(withLarge(4))).toBe('accept')
  expect(node.pool.counts()).toEqual({ pending: 2, queued: 0 })
  await node.decide(blockAt(4))
  // EIP-7825: the next block is Osaka's.
  expect(await node.application.processProposal(withLarge(5))).toBe('reject')
  expect(node.pool.counts()).toEqual({ pending: 0, queued: 1 })
  await expect(node.pool.add(large)).rejects.toThrow('transaction gas limit too high')
})

const caller = {
  transport: 'ipc',
  authorized: true,
  principal: undefined,
  client: 'test',
  profile: 'ethereum',
  connection: undefined,
} as const
type Config = Record<'current' | 'next' | 'last', unknown>

const configOf = ({ store: { reader } }: ApplicationNode) =>
  eth_config.call({ chain: reader, rules: genesis.state.rules }, {}, caller) as Config

/** Number of precompiles of a fork. */
const names = (fork: unknown) => Object.keys((fork as { precompiles: object }).precompiles).length

test('a node that begins with a snapshot goes on through the forks as the others do', async () => {
  const { node: source, responses } = await chain
  const snapshot = source.application.listSnapshots().find(({ height }) => height === 4)
  if (snapshot === undefined) throw new Error('there is no snapshot')
  const node = open('restored')
  const appHash = responses[3]?.appHash ?? EMPTY_BYTES
  const answers = await restore(node, snapshot, await chunksOf(source, snapshot), appHash)
  expect(new Set(answers)).toEqual(new Set(['accept']))
  const { current, next } = configOf(node)
  expect([names(current), names(next)]).toEqual([17, 18])
  for (const height of [5, 6])
    expect(await node.decide(blockAt(height))).toEqual(responses[height - 1])
})

test('eth_config tells the fork in force, the next and the last, and what tells them apart', async () => {
  const node = open('config')
  const config = () => configOf(node)
  node.application.initChain(genesis.initChain)
  const begin = config()
  expect([begin.current, begin.next, begin.last].map(names)).toEqual([10, 17, 18])
  expect(begin).toMatchObject({
    current: { activationTime: 0 },
    next: { activationTime: null, activationHeight: 3 },
    last: { activationTime: null, activationHeight: 5 },
  })
  for (let height = 1; height <= LAST; height++) await node.decide(blockAt(height))
  const end = config()
  const { activationTime: _, ...last } = begin.last as { activationTime: null }
  expect(end).toEqual({
    current: { ...last, activationTime: 1_700_000_004 },
    next: null,
    last: null,
  })
})
