import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { createMPT, verifyMPTWithMerkleProof } from '@ethereumjs/mpt'
import { afterEach, beforeEach, expect, test } from 'vitest'
import {
  addressOf,
  createRandom,
  modelBlock,
  modelChain,
  modelRoot,
  randomEffects,
  slotOf,
  statesOf,
  type ModelState,
} from '../../test/support/chainModel.ts'
import { fromHex, toHex, toHexDigits } from '../base/hex.ts'
import { keccak256 } from '../base/keccak.ts'
import { verifyAccountClaim, verifyAccountProof, verifyStorageProof } from '../proof/mptAccount.ts'
import { openKv, type Kv } from '../store/kv.ts'
import { heightKey } from './blocks/heightKey.ts'
import type { ExecutedBlock } from '../chain/executed.ts'
import { StateUnavailableError, type ChainReader } from '../chain/reader.ts'
import {
  openChainReader,
  openChainStore,
  type ChainStore,
  type ChainStoreOptions,
} from './store.ts'
import { openChainTables, readFact } from './tables.ts'

const OPTIONS: ChainStoreOptions = { chainId: 271828n, checkpointEvery: 7 }
const ACCOUNTS = 14

let folder: string
let kv: Kv
beforeEach(() => {
  folder = fs.mkdtempSync(path.join(os.tmpdir(), 'assay-chain-'))
  kv = openKv(folder)
})
afterEach(async () => {
  await kv.close()
  fs.rmSync(folder, { recursive: true, force: true })
})

function append(store: ChainStore, blocks: readonly ExecutedBlock[]): void {
  for (const block of blocks)
    if (block.header.height === 0) store.initialise(block)
    else store.commit(store.stage(block))
}

/** The state at a height as the reader returns it, in the model's form, for all addresses and slots that tests use. */
function readState(reader: ChainReader, height: number): ModelState {
  const view = reader.stateAt(height)
  const state = new Map()
  for (let i = 0; i < ACCOUNTS; i++) {
    const address = addressOf(i)
    const account = view.account(address)
    const storage = new Map<string, Uint8Array>()
    for (let slot = 0; slot < 12; slot++) {
      const value = view.storage(address, slotOf(slot))
      if (value.some((byte) => byte !== 0)) storage.set(toHexDigits(slotOf(slot)), value)
    }
    expect(view.hasStorage(address)).toBe(storage.size > 0)
    if (account === undefined) expect(storage.size).toBe(0)
    else {
      const { nonce, balance, codeHash } = account
      state.set(toHexDigits(address), { nonce, balance, codeHash, storage })
    }
  }
  return state
}

function expectStates(reader: ChainReader, states: readonly ModelState[]): void {
  expect(reader.latestHeight()).toBe(states.length - 1)
  for (const [height, state] of states.entries()) expect(readState(reader, height)).toEqual(state)
}

test('state roots equal an independent trie over random blocks with deletions, clears and re-creations', async () => {
  const blocks = modelChain(1, 60, ACCOUNTS)
  const store = openChainStore(kv, OPTIONS)
  expect(store.isEmpty()).toBe(true)
  append(store, blocks)
  expect(store.isEmpty()).toBe(false)
  for (const [height, state] of statesOf(blocks).entries())
    expect(toHex(store.reader.header(height)?.stateRoot as Uint8Array)).toBe(
      toHex(await modelRoot(state)),
    )
})

test('every height reads as a model does, before and after a restart', async () => {
  const blocks = modelChain(2, 80, ACCOUNTS)
  const states = statesOf(blocks)
  const store = openChainStore(kv, OPTIONS)
  append(store, blocks)
  expectStates(store.reader, states)
  await kv.close()
  kv = openKv(folder)
  const reopened = openChainStore(kv, OPTIONS)
  expectStates(reopened.reader, states)
  // The chain resumes where it was.
  const next = modelBlock(createRandom(9), 80, { effects: randomEffects(createRandom(8), 14, 8) })
  reopened.commit(reopened.stage(next))
  const last = statesOf([...blocks, next])
  expect(toHex(reopened.reader.header(80)?.stateRoot as Uint8Array)).toBe(
    toHex(await modelRoot(last[80] as ModelState)),
  )
})

test('history reads through posting lists as through the tail, over many batches of blocks', async () => {
  const blocks = modelChain(3, 600, ACCOUNTS)
  const store = openChainStore(kv, { ...OPTIONS, checkpointEvery: 50 })
  append(store, blocks)
  const states = statesOf(blocks)
  for (const height of [0, 1, 100, 254, 255, 256, 257, 400, 511, 512, 513, 598, 599])
    expect(readState(store.reader, height)).toEqual(states[height])
  await kv.close()
  kv = openKv(folder)
  const { reader } = openChainStore(kv, OPTIONS)
  for (const height of [0, 256, 300, 512, 550, 599])
    expect(readState(reader, height)).toEqual(states[height])
})

test('proofs verify here and independently, for present and absent accounts and slots, at old and new heights', async () => {
  const blocks = modelChain(4, 40, ACCOUNTS)
  const states = statesOf(blocks)
  const store = openChainStore(kv, OPTIONS)
  append(store, blocks)
  const mpt = await createMPT()
  const slots = Array.from({ length: 12 }, (_, slot) => slotOf(slot))
  for (const height of [0, 5, 20, 38, 39]) {
    const root = store.reader.header(height)?.stateRoot as Uint8Array
    for (let i = 0; i < ACCOUNTS + 3; i++) {
      const address = addressOf(i)
      const proof = store.reader.proof(height, address, slots)
      const expected = states[height]?.get(toHexDigits(address))
      verifyAccountClaim(root, address, proof)
      const proven = verifyAccountProof(root, address, proof.accountProof)
      expect(proven?.balance).toBe(expected?.balance)
      expect(proven?.nonce).toBe(expected?.nonce)
      const leaf = await verifyMPTWithMerkleProof(mpt, root, keccak256(address), [
        ...proof.accountProof,
      ])
      expect(leaf === null).toBe(expected === undefined)
      for (const { slot, value, proof: nodes } of proof.storageProof) {
        const word = expected?.storage.get(toHexDigits(slot)) ?? new Uint8Array(32)
        expect(value).toEqual(word)
        expect(verifyStorageProof(proof.storageRoot, slot, nodes)).toEqual(word)
        if (nodes.length > 0)
          expect(
            (await verifyMPTWithMerkleProof(mpt, proof.storageRoot, keccak256(slot), [
              ...nodes,
            ])) === null,
          ).toBe(word.every((byte) => byte === 0))
      }
    }
  }
})

// Holds D6.
test('a proof outside of the window is refused, and an archive gives it', async () => {
  const blocks = modelChain(5, 30, ACCOUNTS)
  const store = openChainStore(kv, { ...OPTIONS, proofWindow: 10 })
  append(store, blocks)
  expect(() => store.reader.proof(18, addressOf(0), [])).toThrow(
    new StateUnavailableError('proof window exceeded'),
  )
  verifyAccountClaim(
    store.reader.header(19)?.stateRoot as Uint8Array,
    addressOf(0),
    store.reader.proof(19, addressOf(0), []),
  )
  const archive = openChainStore(kv, OPTIONS)
  verifyAccountClaim(
    archive.reader.header(2)?.stateRoot as Uint8Array,
    addressOf(0),
    archive.reader.proof(2, addressOf(0), []),
  )
})

test('a transaction that is undone leaves memory and disk as they were', async () => {
  const blocks = modelChain(6, 30, ACCOUNTS)
  const states = statesOf(blocks)
  const store = openChainStore(kv, OPTIONS)
  append(store, blocks.slice(0, 14))
  for (const block of blocks.slice(14)) {
    // Heights 14 and 21 have a checkpoint, which is rolled back with the rest.
    const staged = store.stage(block)
    expect(() =>
      kv.write(() => {
        store.commit(staged)
        expect(store.reader.latestHeight()).toBe(block.header.height - 1)
        expect(readState(store.reader, block.header.height - 1)).toEqual(
          states[block.header.height - 1],
        )
        throw new Error('undo')
      }),
    ).toThrow('undo')
    expect(store.reader.latestHeight()).toBe(block.header.height - 1)
    expect(store.reader.header(block.header.height)).toBeUndefined()
    kv.write(() => store.commit(staged))
  }
  expectStates(store.reader, states)
  expect(toHex(store.reader.header(29)?.stateRoot as Uint8Array)).toBe(
    toHex(await modelRoot(states[29] as ModelState)),
  )
})

test('staged blocks that are dropped leave no trace', () => {
  const blocks = modelChain(7, 25, ACCOUNTS)
  const store = openChainStore(kv, OPTIONS)
  append(store, blocks.slice(0, 10))
  for (const block of blocks.slice(10)) {
    const { height } = block.header
    const random = createRandom(height)
    const before = kv.statistics()
    for (let i = 0; i < 3; i++)
      store.stage(modelBlock(random, height, { effects: randomEffects(random, ACCOUNTS, 10) }))
    expect(kv.statistics()).toEqual(before)
    store.commit(store.stage(block))
  }
  expectStates(store.reader, statesOf(blocks))
})

test('a copy of the files, made at any block, opens with the right state', async () => {
  const blocks = modelChain(8, 25, ACCOUNTS)
  const states = statesOf(blocks)
  const store = openChainStore(kv, OPTIONS)
  for (const block of blocks.slice(0, 24)) {
    append(store, [block])
    const { height } = block.header
    if (height % 5 !== 3) continue
    const copy = path.join(folder, `copy-${height}`)
    fs.mkdirSync(copy)
    fs.copyFileSync(path.join(folder, 'data.mdb'), path.join(copy, 'data.mdb'))
    const copied = openKv(copy)
    const survivor = openChainStore(copied, OPTIONS)
    expectStates(survivor.reader, states.slice(0, height + 1))
    append(survivor, blocks.slice(height + 1, height + 2))
    expect(survivor.reader.header(height + 1)?.stateRoot).toEqual(
      await modelRoot(states[height + 1] as ModelState),
    )
    await copied.close()
  }
})

test('after a crash at any commit, between the parts of a checkpoint too, the chain opens with its roots and proofs', async () => {
  const accounts = 60
  const random = createRandom(11)
  const blocks = Array.from({ length: 40 }, (_, height) =>
    modelBlock(random, height, { effects: randomEffects(random, accounts, height ? 9 : 200) }),
  )
  const options: ChainStoreOptions = {
    ...OPTIONS,
    checkpointEvery: 5,
    checkpointPart: () => 1 + random(9),
  }
  const store = openChainStore(kv, options)
  const roots: Uint8Array[] = []
  let interrupted = 0
  for (const block of blocks) {
    append(store, [block])
    const { height } = block.header
    roots.push(store.reader.header(height)?.stateRoot as Uint8Array)
    const copy = path.join(folder, `crash-${height}`)
    fs.mkdirSync(copy)
    fs.copyFileSync(path.join(folder, 'data.mdb'), path.join(copy, 'data.mdb'))
  }
  expect(toHex(roots.at(-1) as Uint8Array)).toBe(
    toHex(await modelRoot(statesOf(blocks).at(-1) as ModelState)),
  )
  for (const { header } of blocks) {
    const copied = openKv(path.join(folder, `crash-${header.height}`))
    const tables = openChainTables(copied)
    const complete = heightKey((readFact(tables, 'checkpoint') ?? 0) + 1)
    if ([...tables.trieJournal.range({ start: complete })].length > 0) interrupted++
    const survivor = openChainStore(copied, options)
    expect([...copied.table('trieJournal').range({})]).toEqual([])
    for (let i = 0; i < accounts; i += 1 + random(3)) {
      const proof = survivor.reader.proof(header.height, addressOf(i), [slotOf(random(12))])
      const root = roots[header.height] as Uint8Array
      verifyAccountClaim(root, addressOf(i), proof)
      verifyAccountProof(root, addressOf(i), proof.accountProof)
      for (const { slot, value, proof: nodes } of proof.storageProof)
        expect(verifyStorageProof(proof.storageRoot, slot, nodes)).toEqual(value)
    }
    append(survivor, blocks.slice(header.height + 1, header.height + 8))
    const last = survivor.reader.latestHeight()
    expect(survivor.reader.header(last)?.stateRoot).toEqual(roots[last])
    await copied.close()
  }
  expect(interrupted).toBeGreaterThan(10)
})

test('a state that does not have its header root is refused at the start', () => {
  const blocks = modelChain(9, 12, ACCOUNTS)
  append(openChainStore(kv, OPTIONS), blocks)
  const accounts = kv.table('accounts')
  // Accounts that changed after the checkpoint at height 7, so that they are applied again.
  const touched = blocks.slice(8).flatMap(({ effects }) => [...effects.keys()])
  expect(touched.length).toBeGreaterThan(0)
  kv.write(() => {
    for (const address of touched) accounts.put(fromHex(address), Uint8Array.of(0, 1, 99, 1, 99))
  })
  expect(() => openChainStore(kv, OPTIONS)).toThrow(/does not (have|match)/)
})

test('a second reader follows the writer, and a view of the latest state stays at its height', async () => {
  const blocks = modelChain(10, 270, ACCOUNTS)
  const states = statesOf(blocks)
  const store = openChainStore(kv, OPTIONS)
  append(store, blocks.slice(0, 3))
  const readOnly = openKv(folder, { readOnly: true })
  const reader = openChainReader(readOnly, { chainId: 271828n })
  const view = reader.stateAt(reader.latestHeight())
  const own = store.latest()
  const before = readState(reader, 2)
  for (const block of blocks.slice(3)) {
    append(store, [block])
    const { height } = block.header
    expect(reader.latestHeight()).toBe(height)
    if (height % 20 > 1) continue
    expect(readState(reader, height)).toEqual(states[height])
    expect(readState(reader, height >> 1)).toEqual(states[height >> 1])
  }
  for (const one of [view, own])
    for (let i = 0; i < ACCOUNTS; i++)
      expect(one.account(addressOf(i))?.balance).toBe(
        before.get(toHexDigits(addressOf(i)))?.balance,
      )
  expect(() => reader.proof(3, addressOf(0), [])).toThrow(StateUnavailableError)
  expect(() => reader.stateAt(270)).toThrow(StateUnavailableError)
  await readOnly.close()
})

test('code is stored by its hash, and a wrong height is refused', () => {
  const code = Uint8Array.of(1, 2, 3)
  const store = openChainStore(kv, OPTIONS)
  const address = addressOf(0)
  const genesis = modelBlock(createRandom(1), 0, {
    effects: new Map([
      [
        toHexDigits(address),
        {
          address,
          account: { nonce: 1n, balance: 5n, codeHash: keccak256(code) },
          code,
          storageCleared: false,
          storage: new Map(),
        },
      ],
    ]),
  })
  expect(store.latest().account(address)).toBeUndefined()
  store.initialise(genesis)
  expect(store.latest().code(keccak256(code))).toEqual(code)
  expect(() => store.initialise(genesis)).toThrow(RangeError)
  expect(() => store.stage(modelBlock(createRandom(1), 2, { effects: new Map() }))).toThrow(
    RangeError,
  )
  const staged = store.stage(modelBlock(createRandom(1), 1, { effects: new Map() }))
  store.commit(staged)
  expect(() => store.commit(staged)).toThrow(RangeError)
})

test('the logs of blocks that another thread writes are all found', async () => {
  await kv.close()
  kv = openKv(folder, { writerThread: true })
  const store = openChainStore(kv, OPTIONS)
  const [genesis, ...blocks] = modelChain(5, 260, ACCOUNTS)
  if (genesis === undefined) throw new Error('no genesis')
  store.initialise(genesis)
  for (const block of blocks) await kv.commit(() => store.commit(store.stage(block)))
  const found = [...store.reader.logs(0, 259, { addresses: [], topics: [] })]
  const withLogs = blocks.filter(({ receipts }) => receipts.some(({ logs }) => logs.length > 0))
  expect(found.map(({ header }) => header.height)).toEqual(
    withLogs.map(({ header }) => header.height),
  )
})
