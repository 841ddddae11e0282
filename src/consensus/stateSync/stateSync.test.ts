import fs from 'node:fs'
import path from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { ApplicationNode } from '../../../test/support/applicationNode.ts'
import { seededRandom } from '../../../test/support/randomProgram.ts'
import {
  addBlock,
  appHashAt,
  chunksOf,
  createSnapshotRig,
  GENESIS,
  restore,
  runChain,
  seededWorkload,
  SENDERS,
  SMALL,
  type DecidedChain,
} from '../../../test/support/snapshotRig.ts'
import { sha256 } from '../../base/sha256.ts'
import { KIND, packChunks, unpackChunk, type SnapshotEntry } from '../../ledger/snapshot/entries.ts'
import { decodeMetadata, encodeMetadata } from '../../ledger/snapshot/metadata.ts'
import { takeSnapshot } from '../../ledger/snapshot/take.ts'
import { openChainTables } from '../../ledger/tables.ts'
import { decodeAccountRecord, encodeAccountRecord } from '../../ledger/state/accountRecord.ts'
import type { Snapshot } from '../application.ts'
import { startTaker } from './taker.ts'

const rig = createSnapshotRig()
afterAll(() => rig.close())

/** A chain of 35 blocks with snapshots at 10, 20 and 30. */
let source: ApplicationNode
let chain: DecidedChain
let snapshots: readonly Snapshot[]
let snapshot: Snapshot
let chunks: readonly Uint8Array[]
beforeAll(async () => {
  source = rig.openNode('source')
  chain = await runChain(source, 1, 35)
  snapshots = source.application.listSnapshots()
  snapshot = snapshots.find(({ height }) => height === 20) as Snapshot
  chunks = await chunksOf(source, snapshot)
})

const restoreAt20 = (node: ApplicationNode, of = snapshot, with_ = chunks) =>
  restore(node, of, with_, appHashAt(chain, 20))

test('a chain that is restored from a snapshot executes what follows as the others do', async () => {
  expect(snapshots.map(({ height }) => height)).toEqual([30, 20, 10])
  expect(chunks.length).toBeGreaterThan(5)
  expect(chunks.every(({ length }) => length > 0)).toBe(true)

  const kv = rig.openStore('restored')
  let node = rig.openNode('restored', {}, kv)
  expect(new Set(await restoreAt20(node))).toEqual(new Set(['accept']))
  const lastBlockAppHash = appHashAt(chain, 20)
  expect(node.application.info()).toMatchObject({ lastBlockHeight: 20, lastBlockAppHash })

  const compareAt = (height: number): void => {
    for (const { address } of SENDERS) {
      const [mine, theirs] = [node.store.reader, source.store.reader]
      expect(mine.stateAt(height).account(address)).toEqual(theirs.stateAt(height).account(address))
      expect(mine.proof(height, address, [])).toEqual(theirs.proof(height, address, []))
    }
    expect(node.store.reader.header(height)).toEqual(source.store.reader.header(height))
    expect(node.store.reader.receipts(height)).toEqual(source.store.reader.receipts(height))
    expect(node.store.reader.decided(height)).toEqual(source.store.reader.decided(height))
  }
  compareAt(20)
  expect(() => node.store.reader.stateAt(19)).toThrow('pruned')
  expect(node.store.reader.header(19)).toBeUndefined()
  expect(node.store.genesis()).toEqual(source.store.genesis())

  for (const { block, response } of chain.slice(20)) {
    if (block.height === 28) node = rig.openNode('restored', {}, kv)
    expect(await node.decide(block)).toEqual(response)
  }
  for (let height = 20; height <= 35; height++) compareAt(height)
  await node.stateSync?.idle()
  // The restored node's own snapshot is identical to every other node's.
  expect(node.application.listSnapshots()).toEqual([snapshots[0]])
})

/** A snapshot with other entries, whose hashes are correct. */
function forged(change: (entries: readonly SnapshotEntry[]) => readonly SnapshotEntry[]) {
  const entries = change(chunks.flatMap((chunk) => [...unpackChunk(chunk)]))
  return forgedChunks([...packChunks(entries, SMALL.chunkSize)])
}

function forgedChunks(forgedChunks: readonly Uint8Array[]) {
  const { height, genesisHash } = decodeMetadata(snapshot.metadata)
  const metadata = encodeMetadata({ height, genesisHash, chunkHashes: forgedChunks.map(sha256) })
  return {
    snapshot: { ...snapshot, chunks: forgedChunks.length, hash: sha256(metadata), metadata },
    chunks: forgedChunks,
  }
}

/** Changes the value of the entry of a kind at an index, counted from the end when it is negative. */
const changed =
  (kind: number, index: number, change: (value: Uint8Array) => Uint8Array) =>
  (entries: readonly SnapshotEntry[]): readonly SnapshotEntry[] => {
    const target = entries.filter((entry) => entry.kind === kind).at(index)
    return entries.map((entry) =>
      entry === target ? { ...entry, value: change(entry.value) } : entry,
    )
  }

const without =
  (kind: number, index: number) =>
  (entries: readonly SnapshotEntry[]): readonly SnapshotEntry[] => {
    const target = entries.filter((entry) => entry.kind === kind).at(index)
    return entries.filter((entry) => entry !== target)
  }

const flipped =
  (at: number) =>
  (value: Uint8Array): Uint8Array =>
    value.map((byte, index) => (index === (at < 0 ? value.length + at : at) ? byte ^ 1 : byte))

const richer = (record: Uint8Array): Uint8Array => {
  const account = decodeAccountRecord(record)
  return encodeAccountRecord({ ...account, balance: account.balance + 1n })
}

const LIES: readonly (readonly [string, ReturnType<typeof changed>])[] = [
  ['a balance', changed(KIND.account, 3, richer)],
  ['an account less', without(KIND.account, 0)],
  ['an account twice', (entries) => entries.flatMap((entry) => [entry, entry])],
  ['accounts in another order', (entries) => entries.toReversed()],
  ['an account that is cut', changed(KIND.account, 1, (value) => value.subarray(0, -1))],
  ['a balance with leading zeros', changed(KIND.account, -1, () => Uint8Array.of(0, 0, 2, 0, 1))],
  ['a slot', changed(KIND.slot, 2, flipped(-1))],
  ['a slot less', without(KIND.slot, -1)],
  ['a slot of zero', changed(KIND.slot, 0, () => Uint8Array.of(0))],
  ['other code', changed(KIND.code, 0, flipped(0))],
  ['code less', without(KIND.code, 0)],
  ['no header', (entries) => entries.filter(({ kind }) => kind !== KIND.header)],
  ['a header less', without(KIND.header, 4)],
  ['another hash of an older block', changed(KIND.header, 5, flipped(0))],
  ['another parent', changed(KIND.header, -1, flipped(32))],
  ['another root in the header', changed(KIND.header, -1, flipped(64))],
  ['another root of transactions', changed(KIND.header, -1, flipped(96))],
  ['another root of receipts', changed(KIND.header, -1, flipped(128))],
  ['another prevRandao', changed(KIND.header, -1, flipped(160))],
  ['another transaction', changed(KIND.transactions, 0, flipped(60))],
  ['no transactions', without(KIND.transactions, 0)],
  ['no receipts', without(KIND.receipts, 0)],
  ['nothing', () => []],
]

test.each(LIES)(
  'a snapshot that lies is refused, and a true one taken after it: %s',
  async (name, lie) => {
    const faults: string[] = []
    const node = rig.openNode(`lie ${name}`, { onFault: (message) => faults.push(message) })
    const lies = forged(lie)
    const results = await restoreAt20(node, lies.snapshot, lies.chunks)
    expect(['reject-snapshot', 'reject']).toContain(results.at(-1))
    expect(faults).toHaveLength(lies.chunks.length === 0 ? 0 : 1)
    expect(node.application.info().lastBlockHeight).toBe(0)
    expect(new Set(await restoreAt20(node))).toEqual(new Set(['accept']))
    expect(node.application.info().lastBlockAppHash).toEqual(appHashAt(chain, 20))
  },
)

test('chunks of rubbish are refused without an exception', async () => {
  const random = seededRandom(5)
  const faults: string[] = []
  const node = rig.openNode('rubbish', { onFault: (message) => faults.push(message) })
  for (let run = 0; run < 60; run++) {
    const rubbish = forgedChunks(
      chunks.map((chunk) =>
        random(3) === 0
          ? Uint8Array.from({ length: random(200) }, () => random(256))
          : flipped(random(chunk.length))(chunk),
      ),
    )
    const results = await restoreAt20(node, rubbish.snapshot, rubbish.chunks)
    expect(results.at(-1)).toBe('reject-snapshot')
  }
  expect(faults).toHaveLength(60)
})

test('a chunk that was changed on its way is asked for again, from somebody else', async () => {
  const node = rig.openNode('tampered')
  const { application } = node
  expect(await application.offerSnapshot({ snapshot, appHash: appHashAt(chain, 20) })).toBe(
    'accept',
  )
  for (const [index, chunk] of chunks.entries()) {
    for (const wrong of [flipped(index)(chunk), chunk.subarray(1), new Uint8Array(0)])
      expect(await application.applySnapshotChunk({ index, chunk: wrong, sender: 'liar' })).toEqual(
        { result: 'retry', refetchChunks: [index], rejectSenders: ['liar'] },
      )
    expect(application.info().lastBlockHeight).toBe(0)
    expect(await application.applySnapshotChunk({ index, chunk, sender: 'peer' })).toEqual({
      result: 'accept',
      refetchChunks: [],
      rejectSenders: [],
    })
  }
  expect(application.info().lastBlockHeight).toBe(20)
})

test('only a snapshot of this chain, of this format and with its own hash is accepted, and only by an empty chain', async () => {
  const { application } = rig.openNode('offers')
  const appHash = appHashAt(chain, 20)
  const offer = (change: Partial<Snapshot>, hash = appHash) =>
    application.offerSnapshot({ snapshot: { ...snapshot, ...change }, appHash: hash })
  expect(await offer({ format: 2 })).toBe('reject-format')
  expect(await offer({ height: 21 })).toBe('reject-sender')
  expect(await offer({ chunks: 1 })).toBe('reject-sender')
  expect(await offer({ hash: new Uint8Array(32) })).toBe('reject-sender')
  expect(await offer({ metadata: snapshot.metadata.subarray(1) })).toBe('reject-sender')
  const { height, chunkHashes } = decodeMetadata(snapshot.metadata)
  const other = encodeMetadata({ height, genesisHash: new Uint8Array(32), chunkHashes })
  expect(await offer({ metadata: other, hash: sha256(other) })).toBe('reject-sender')
  expect(await offer({}, new Uint8Array(0))).toBe('reject')
  const nothing = { result: 'abort', refetchChunks: [], rejectSenders: [] }
  const chunk = { index: 0, chunk: chunks[0] as Uint8Array, sender: '' }
  expect(await application.applySnapshotChunk(chunk)).toEqual(nothing)
  expect(await offer({})).toBe('accept')
  expect(await application.applySnapshotChunk({ ...chunk, index: 1 })).toEqual(nothing)
  expect(await source.application.offerSnapshot({ snapshot, appHash })).toBe('abort')
})

test('a process that ends while it restores starts over with an empty chain', async () => {
  for (let applied = 1; applied < chunks.length; applied++) {
    const kv = rig.openStore(`half ${applied}`)
    const half = rig.openNode('half', {}, kv)
    await restoreAt20(half, snapshot, chunks.slice(0, applied))
    expect(half.stateSync?.isRestoring()).toBe(true)
    expect(() => half.store.latest()).toThrow('being restored')
    expect(await half.application.checkTx(new Uint8Array(3), false)).toMatchObject({ code: 2 })

    const again = rig.openNode('half', {}, kv)
    const tables = openChainTables(kv)
    const isEmpty = Object.values(tables).every((table) => [...table.range({})].length === 0)
    expect(isEmpty).toBe(true)
    if (applied % 2 === 0) {
      expect(new Set(await restoreAt20(again))).toEqual(new Set(['accept']))
      expect(again.application.info().lastBlockAppHash).toEqual(appHashAt(chain, 20))
    } else {
      const { appHash } = again.application.initChain(GENESIS.initChain)
      expect(appHash).toEqual(source.store.genesis()?.stateRoot)
    }
  }
})

test('a snapshot that is taken while the chain goes on is that of a chain that stands still', async () => {
  for (let seed = 1; seed <= 8; seed++) {
    const kv = rig.openStore(`going ${seed}`)
    const node = rig.openNode('going', { interval: 0 }, kv)
    await runChain(node, seed, 12)
    const tables = openChainTables(kv)
    const still = [...takeSnapshot(kv, tables, 12, SMALL)]

    const random = seededRandom(seed)
    const workload = seededWorkload(seed + 100)
    const going: Uint8Array[] = []
    for (const chunk of takeSnapshot(kv, tables, 12, SMALL)) {
      going.push(chunk)
      for (let blocks = random(5); blocks > 0; blocks--) await addBlock(node, workload)
    }
    expect(node.application.info().lastBlockHeight).toBeGreaterThan(15)
    expect(going).toEqual(still)
    // And long after, with most of the state changed since.
    expect([...takeSnapshot(kv, tables, 12, SMALL)]).toEqual(still)
  }
})

test('a thread takes the same snapshot while blocks are made', async () => {
  const kv = rig.openStore('threaded')
  const folder = path.join(rig.folder, 'from thread')
  const store = path.join(rig.folder, 'threaded')
  const node = rig.openNode('threaded', { interval: 0 }, kv)
  const taker = startTaker({ store, snapshots: folder, genesisHash: GENESIS.hash })
  await runChain(node, 4, 20)
  const workload = seededWorkload(9)
  const taken = taker.take(20)
  for (let i = 0; i < 10; i++) await addBlock(node, workload)
  const { chunks: count, bytes } = await taken
  const expected = [...takeSnapshot(kv, openChainTables(kv), 20)]
  expect(count).toBe(expected.length)
  expect(bytes).toBe(expected.reduce((sum, { length }) => sum + length, 0))
  for (const [index, chunk] of expected.entries())
    expect(new Uint8Array(fs.readFileSync(path.join(folder, '20-1', `chunk-${index}`)))).toEqual(
      chunk,
    )
  await expect(taker.take(1000)).rejects.toThrow('is not stored')
  await taker.close()
})

test('damaged and unfinished snapshots are not given away, and old ones leave', async () => {
  const folder = path.join(rig.folder, 'files-snapshots')
  fs.mkdirSync(path.join(folder, '7-1.partial'), { recursive: true })
  const node = rig.openNode('files', { keep: 2, interval: 3 })
  expect(fs.readdirSync(folder)).toEqual([])
  await runChain(node, 2, 12)
  expect(node.application.listSnapshots().map(({ height }) => height)).toEqual([12, 9])
  const load = (height: number, chunk: number) =>
    node.application.loadSnapshotChunk({ height, format: 1, chunk })
  expect((await load(12, 0)).length).toBeGreaterThan(0)
  const file = path.join(folder, '12-1', 'chunk-0')
  fs.writeFileSync(file, flipped(5)(fs.readFileSync(file)))
  expect(await load(12, 0)).toHaveLength(0)
  expect(await load(12, 10_000)).toHaveLength(0)
  expect(await load(6, 0)).toHaveLength(0)
  fs.writeFileSync(path.join(folder, '12-1', 'metadata'), 'rubbish')
  expect(node.application.listSnapshots().map(({ height }) => height)).toEqual([9])
})

test('a snapshot that cannot be written is told, and the chain goes on', async () => {
  const blocked = path.join(rig.folder, 'blocked')
  fs.writeFileSync(blocked, '')
  const faults: string[] = []
  const node = rig.openNode('unwritable', {
    folder: path.join(blocked, 'snapshots'),
    onFault: (message) => faults.push(message),
  })
  await runChain(node, 3, 12)
  expect(node.application.info().lastBlockHeight).toBe(12)
  expect(faults).toHaveLength(1)
  expect(faults[0]).toMatch(/snapshot of block 10 was not taken.*could not be written/)
})

test('pruned chains give and restore snapshots, and searches of logs go on over sections of blocks', async () => {
  const pruning = { states: 128, blocks: 256 }
  const giver = rig.openNode('giver', { interval: 300 }, undefined, { pruning })
  const long = await runChain(giver, 8, 530, 2)
  const [at300] = giver.application.listSnapshots()
  if (at300 === undefined) throw new RangeError('there is no snapshot')
  const taker = rig.openNode('taker', {}, undefined, { pruning })
  await restore(taker, at300, await chunksOf(giver, at300), appHashAt(long, 300))
  expect(taker.application.info().lastBlockHeight).toBe(300)
  for (const { block, response } of long.slice(300))
    expect(await taker.decide(block)).toEqual(response)
  const everything = { addresses: [], topics: [] }
  const logs = [...giver.store.reader.logs(300, 530, everything)]
  expect(logs.length).toBeGreaterThan(3)
  expect([...taker.store.reader.logs(0, 530, everything)]).toEqual(logs)
  expect(taker.store.reader.earliestHeight()).toBe(300)
  expect(taker.store.retainHeight()).toBe(300)
})

test('a snapshot that pruning overtakes is given up', async () => {
  const kv = rig.openStore('overtaken')
  const node = rig.openNode('overtaken', { interval: 0 }, kv, {
    pruning: { states: 3, blocks: 256 },
  })
  await runChain(node, 1, 20)
  const tables = openChainTables(kv)
  const take = () => [...takeSnapshot(kv, tables, 20, SMALL)]
  expect(take().length).toBeGreaterThan(3)
  const workload = seededWorkload(3)
  for (let i = 0; i < 300; i++) await addBlock(node, workload, 1)
  expect(take).toThrow(/is pruned|is not stored/)
})
