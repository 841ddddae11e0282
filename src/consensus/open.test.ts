import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterEach, expect, test } from 'vitest'
import { createFakeClock } from '../../test/support/fakeClock.ts'
import {
  CONFIGURED_LIMITS,
  GWEI,
  POOL_CHAIN_ID,
  senderAddress,
  signedTransfer,
} from '../../test/support/poolRig.ts'
import { toChecksumAddress } from '../base/checksumAddress.ts'
import { verifyEd25519 } from '../base/ed25519.ts'
import { fromHex, toHex } from '../base/hex.ts'
import { sha256 } from '../base/sha256.ts'
import { defaultAppState } from '../chain/defaultGenesis.ts'
import { openChainStore, type ChainStoreOptions } from '../ledger/store.ts'
import { createEngine } from '../evm/createEngine.ts'
import { identifyBlock } from '../proof/comet/block.ts'
import { resultsHash } from '../proof/comet/data.ts'
import { verifyCommit } from '../proof/comet/verifyCommit.ts'
import { openKv } from '../store/kv.ts'
import type { PublishedBlock } from './embedded/produce.ts'
import { APP_VERSION } from './evm/application.ts'
import { createConsensusFiles } from './files/create.ts'
import { loadGenesis } from './files/genesis.ts'
import { openConsensus, type Consensus, type ConsensusOptions } from './open.ts'

const GENESIS_TIME = 1_800_000_000_000_000_000n
const REWARD = new Uint8Array(20).fill(0x77)

const cleanUp: (() => Promise<void>)[] = []
afterEach(async () => {
  for (const action of cleanUp.splice(0)) await action()
})

function createHome() {
  const folder = mkdtempSync(path.join(tmpdir(), 'assay-consensus-'))
  const at = (name: string) => path.join(folder, name)
  const files = {
    genesis: at('config/genesis.json'),
    validatorKey: at('config/priv_validator_key.json'),
    nodeKey: at('config/node_key.json'),
    validatorState: at('data/priv_validator_state.json'),
  }
  createConsensusFiles(files, {
    chainId: `assay_${POOL_CHAIN_ID}-1`,
    moniker: 'test',
    genesisTimeNs: GENESIS_TIME,
    appVersion: APP_VERSION,
    appState: (publicKey) =>
      defaultAppState({
        accounts: [{ address: senderAddress(0), balance: 10n ** 20n }],
        validators: [{ publicKey, rewardAddress: REWARD }],
      }),
  })
  cleanUp.push(async () => rmSync(folder, { recursive: true }))
  return { folder, files }
}

type Home = ReturnType<typeof createHome>

function start(
  home: Home,
  changes: Partial<ConsensusOptions> = {},
  storeOptions: Partial<ChainStoreOptions> = {},
) {
  const kv = openKv(path.join(home.folder, 'data/chain'))
  const store = openChainStore(kv, { chainId: POOL_CHAIN_ID, sha256, ...storeOptions })
  const published: PublishedBlock[] = []
  const clock = createFakeClock(GENESIS_TIME)
  const consensus = openConsensus({
    files: home.files,
    genesis: loadGenesis(home.files.genesis),
    kv,
    store,
    evm: createEngine(),
    limits: CONFIGURED_LIMITS,
    production: 'manual',
    node: { moniker: 'test', listenAddress: 'tcp://127.0.0.1:26656', rpcAddress: '' },
    publish: (block) => published.push(block),
    fatal: (error) => {
      throw error
    },
    clock,
    ...changes,
  })
  const stop = async () => {
    await consensus.engine.stop()
    await kv.close()
  }
  return { ...consensus, store, published, clock, stop }
}

function checkHeaders({ engine }: Consensus, store: ReturnType<typeof openChainStore>): void {
  const { reader } = engine
  for (let height = 1; height <= reader.height(); height++) {
    const stored = reader.block(height)
    const validators = reader.validators(height)
    const commit = reader.commit(height)?.commit
    if (!stored || !validators || !commit) throw new Error(`height ${height} is incomplete`)
    const { header } = stored.block
    expect(identifyBlock(sha256, stored.block).blockId).toEqual(stored.blockId)
    expect(header.appHash).toEqual(store.reader.header(height - 1)?.stateRoot)
    expect(store.reader.header(height)?.hash).toEqual(stored.blockId.hash)
    const results = height === 1 ? [] : (reader.results(height - 1)?.txResults ?? [])
    expect(header.lastResultsHash).toEqual(resultsHash(sha256, results))
    const crypto = { sha256, verifyEd25519 }
    verifyCommit(crypto, reader.chainId, validators, { height, blockId: stored.blockId }, commit)
  }
}

// Stores and returns one byte of code (STOP).
const INIT_CODE = fromHex('600160005360016000f3')

// Holds D3, D6.
test('transactions go through pool, block, state and results, and the next header commits to them', async () => {
  const home = createHome()
  const node = start(home)
  const { engine, pool, store, published } = node
  await engine.produceBlock()
  const transfer = signedTransfer(0, 0, { value: 5n })
  const creation = signedTransfer(0, 1, { to: undefined, data: INIT_CODE, gasLimit: 100_000n })
  await pool.add(creation.raw)
  expect((await engine.broadcast(transfer.raw)).code).toBe(0)
  await engine.produceBlock()
  await engine.produceBlock()

  expect(store.reader.transactions(2)).toHaveLength(2)
  expect(store.reader.receipts(2)?.map(({ status }) => status)).toEqual([1, 1])
  expect(store.latest().account(REWARD)?.balance).toBeGreaterThan(0n)
  expect(pool.counts()).toEqual({ pending: 0, queued: 0 })
  expect(engine.reader.findTransaction(sha256(creation.raw))).toEqual({ height: 2, index: 1 })
  expect(engine.reader.results(2)).toEqual(published[1]?.result)
  checkHeaders(node, store)

  const events = published[1]?.result.txResults[0]?.events ?? []
  expect(events.map(({ type }) => type)).toEqual(['assay', 'ethereum_tx', 'message'])
  expect(
    events[0]?.attributes.filter(({ key }) => key === 'sender').map(({ value }) => value),
  ).toEqual([toChecksumAddress(transfer.sender), toHex(transfer.sender)])
  const created = store.reader.receipts(2)?.[1]?.contractAddress ?? new Uint8Array(0)
  const recipients = published[1]?.result.txResults[1]?.events[0]?.attributes
    .filter(({ key }) => key === 'recipient')
    .map(({ value }) => value)
  expect(recipients).toEqual([toChecksumAddress(created), toHex(created)])
  await node.stop()
})

test('a failed transaction has code 1 and says why; one that cannot be paid is not taken', async () => {
  const node = start(createHome())
  const { engine, pool, published } = node
  await engine.produceBlock()
  // PUSH0 PUSH0 REVERT
  const reverting = { to: undefined, data: fromHex('5f5ffd'), gasLimit: 100_000n }
  await pool.add(signedTransfer(0, 0, reverting).raw)
  const poor = await engine.broadcast(signedTransfer(1, 0).raw)
  expect(poor).toMatchObject({ code: 2, codespace: 'evm' })
  expect(poor.log).toMatch(/^insufficient funds for gas \* price \+ value: balance 0, tx cost /)
  await engine.produceBlock()
  const [result] = published[1]?.result.txResults ?? []
  expect(result).toMatchObject({ code: 1, codespace: 'evm', log: 'execution reverted' })
  const failed = result?.events[1]?.attributes.find(({ key }) => key === 'ethereumTxFailed')
  expect(failed?.value).toBe('execution reverted')
  await node.stop()
})

test('everything is found again after a restart, and the chain goes on', async () => {
  const home = createHome()
  const first = start(home)
  await first.engine.produceBlock()
  const transfer = signedTransfer(0, 0)
  await first.pool.add(transfer.raw)
  await first.engine.produceBlock()
  const result = first.published[1]?.result
  await first.stop()

  const second = start(home)
  expect(second.engine.reader.height()).toBe(2)
  expect(second.engine.reader.results(2)).toEqual(result)
  await second.pool.add(signedTransfer(0, 1).raw)
  await second.engine.produceBlock()
  expect(second.store.reader.transactions(3)).toHaveLength(1)
  checkHeaders(second, second.store)
  await second.stop()
})

test('a start that ended before the first block is repeated', async () => {
  const home = createHome()
  const first = start(home)
  await first.stop()
  const second = start(home)
  await second.engine.produceBlock()
  expect(second.engine.reader.height()).toBe(1)
  await second.stop()
})

// Holds D44.
test('block 0 is the genesis, whose hash is the SHA-256 of genesis.json', async () => {
  const home = createHome()
  const node = start(home)
  const genesis = node.store.reader.header(0)
  expect(genesis?.hash).toEqual(sha256(readFileSync(home.files.genesis)))
  await node.engine.produceBlock()
  expect(node.engine.reader.block(1)?.block.header.appHash).toEqual(genesis?.stateRoot)
  await node.stop()
})

test('a chain goes on with its own genesis.json alone', async () => {
  const home = createHome()
  const first = start(home)
  await first.engine.produceBlock()
  await first.stop()
  const { genesis } = home.files
  writeFileSync(
    genesis,
    readFileSync(genesis, 'utf8').replace('"genesis_time": "2', '"genesis_time": "3'),
  )
  expect(() => start(home)).toThrow(
    'genesis.json is not the one that this data folder was created from',
  )
})

test("CometBFT's words for what was seen before", async () => {
  const node = start(createHome())
  const { engine, pool } = node
  await engine.produceBlock()
  const { raw } = signedTransfer(0, 0)
  await pool.add(raw)
  await expect(engine.broadcast(raw)).rejects.toThrow('tx already exists in cache')
  await engine.produceBlock()
  await expect(engine.broadcast(raw)).rejects.toThrow('tx already exists in cache')
  expect((await engine.broadcast(Uint8Array.of(1, 2))).code).toBe(2)
  await node.stop()
})

test('a transaction below the base fee waits without making blocks', async () => {
  const node = start(createHome(), { production: { gatherWindow: 20, blockInterval: 1000 } })
  const { engine, pool, clock } = node
  await clock.advance(0)
  await engine.ready
  const height = engine.reader.height()
  const cheap = { maxFeePerGas: GWEI / 5n, maxPriorityFeePerGas: 0n }
  await pool.add(signedTransfer(0, 0, cheap).raw)
  await clock.advance(500)
  expect(engine.reader.height()).toBe(height)
  expect(pool.counts()).toEqual({ pending: 1, queued: 0 })
  await node.stop()
})

test('a block is rejected when a transaction cannot be decoded or gas exceeds the limit', async () => {
  const node = start(createHome())
  const { application, engine } = node
  await engine.produceBlock()
  const judge = (txs: readonly Uint8Array[]) =>
    application.processProposal({
      txs,
      decidedLastCommit: { round: 0, votes: [] },
      misbehavior: [],
      hash: new Uint8Array(32),
      height: 2,
      time: GENESIS_TIME,
      nextValidatorsHash: new Uint8Array(32),
      proposerAddress: new Uint8Array(20),
    })
  const big = signedTransfer(0, 0, { gasLimit: 16_000_000n }).raw
  expect(await judge([big])).toBe('accept')
  expect(await judge([big, big])).toBe('reject')
  expect(await judge([Uint8Array.of(1, 2)])).toBe('reject')
  expect(application.query({ path: '/store', data: big, height: 0, prove: false }).code).toBe(6)
  await node.stop()
})

test('pruned blocks leave the consensus side too, and what is kept stays provable after a restart', async () => {
  const home = createHome()
  const pruning = { states: 10, blocks: 256 }
  const first = start(home, {}, { pruning })
  const transfer = signedTransfer(0, 0)
  await first.pool.add(transfer.raw)
  for (let i = 0; i < 540; i++) await first.engine.produceBlock()
  await first.stop()

  const node = start(home, {}, { pruning })
  const { reader } = node.engine
  const earliest = reader.earliestHeight()
  expect(earliest).toBe(node.store.reader.earliestHeight())
  expect(earliest).toBeGreaterThan(200)
  expect(reader.block(earliest - 1)).toBeUndefined()
  expect(reader.commit(earliest - 1)).toBeUndefined()
  expect(reader.results(earliest - 1)).toBeUndefined()
  expect(reader.findTransaction(sha256(transfer.raw))).toBeUndefined()
  const everywhere = { first: 1, last: 1000 }
  expect(node.index.find('assay.sender', toHex(transfer.sender), everywhere, 10)).toEqual([])
  expect(node.index.blocks(everywhere, 10)).toEqual([])
  expect(reader.validators(earliest)).toHaveLength(1)
  const block = reader.block(earliest)
  expect(identifyBlock(sha256, block?.block ?? raise()).blockId).toEqual(block?.blockId)
  expect(reader.heightOfBlock(block?.blockId.hash ?? raise())).toBe(earliest)
  await node.engine.produceBlock()
  expect(reader.height()).toBe(541)
  await node.stop()

  const { genesis } = home.files
  writeFileSync(genesis, readFileSync(genesis, 'utf8').replace('"power": "10"', '"power": "11"'))
  expect(() => start(home, {}, { pruning })).toThrow(
    'not the one that this data folder was created',
  )
})

function raise(): never {
  throw new Error('missing')
}
