import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { afterAll, expect, test } from 'vitest'
import {
  openApplicationNode,
  proposedBlock,
  testGenesis,
  type ApplicationNode,
  type ApplicationNodeOptions,
} from '../../../test/support/applicationNode.ts'
import { seededRandom } from '../../../test/support/randomProgram.ts'
import { createWorkload, workloadSenders } from '../../../test/support/workload.ts'
import { openKv, type Kv } from '../../store/kv.ts'
import type { FinalizeBlockResponse, ProposedBlock, Snapshot } from '../application.ts'

const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'assay-snapshot-'))
const stores: Kv[] = []
afterAll(async () => {
  await Promise.all(stores.map((kv) => kv.close()))
  fs.rmSync(folder, { recursive: true, force: true })
})

const SENDERS = workloadSenders(12)
const GENESIS = testGenesis(SENDERS)
const { rules } = GENESIS.state
const SMALL = { chunkSize: 3000, stretch: 7 }

function openStore(name: string): Kv {
  const kv = openKv(path.join(folder, name), { isScratch: true })
  stores.push(kv)
  return kv
}

function openNode(
  name: string,
  options: Partial<ApplicationNodeOptions['snapshots']> = {},
  kv = openStore(name),
): ApplicationNode {
  const snapshots = path.join(folder, `${name}-snapshots`)
  return openApplicationNode({
    genesis: GENESIS,
    kv,
    snapshots: { folder: snapshots, interval: 10, taking: SMALL, ...options },
  })
}

/** Blocks of a chain that a seed decides, executed by the node as they are made. */
async function runChain(
  node: ApplicationNode,
  seed: number,
  last: number,
): Promise<readonly { block: ProposedBlock; response: FinalizeBlockResponse }[]> {
  const workload = createWorkload({
    chainId: rules.chainId,
    senders: SENDERS,
    random: seededRandom(seed),
  })
  node.application.initChain(GENESIS.initChain)
  const chain = []
  for (let height = 1; height <= last; height++) {
    const block = proposedBlock(GENESIS, height, workload.next(6, node.store.latest()))
    chain.push({ block, response: await node.decide(block) })
  }
  await node.stateSync?.idle()
  return chain
}

function appHashAt(chain: Awaited<ReturnType<typeof runChain>>, height: number): Uint8Array {
  const made = chain[height - 1]
  if (made === undefined) throw new RangeError(`there is no block ${height}`)
  return made.response.appHash
}

async function chunksOf(node: ApplicationNode, snapshot: Snapshot): Promise<readonly Uint8Array[]> {
  return await Promise.all(
    Array.from({ length: snapshot.chunks }, (_, chunk) =>
      node.application.loadSnapshotChunk({ ...snapshot, chunk }),
    ),
  )
}

async function restore(
  node: ApplicationNode,
  snapshot: Snapshot,
  chunks: readonly Uint8Array[],
  appHash: Uint8Array,
): Promise<readonly string[]> {
  const results: string[] = [await node.application.offerSnapshot({ snapshot, appHash })]
  for (const [index, chunk] of chunks.entries()) {
    if (results.at(-1) !== 'accept') break
    const { result } = await node.application.applySnapshotChunk({ index, chunk, sender: 'peer' })
    results.push(result)
  }
  return results
}

test('a chain that is restored from a snapshot executes what follows as the others do', async () => {
  const source = openNode('source')
  const chain = await runChain(source, 1, 35)
  const snapshots = source.application.listSnapshots()
  expect(snapshots.map(({ height }) => height)).toEqual([30, 20, 10])
  const snapshot = snapshots[1] as Snapshot
  const chunks = await chunksOf(source, snapshot)
  expect(chunks.length).toBeGreaterThan(5)
  expect(chunks.every(({ length }) => length > 0)).toBe(true)

  const kv = openStore('restored')
  let node = openNode('restored', {}, kv)
  const appHash = appHashAt(chain, 20)
  const results = await restore(node, snapshot, chunks, appHash)
  expect(new Set(results)).toEqual(new Set(['accept']))
  expect(node.application.info()).toMatchObject({ lastBlockHeight: 20, lastBlockAppHash: appHash })

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
    if (block.height === 28) node = openNode('restored', {}, kv)
    expect(await node.decide(block)).toEqual(response)
  }
  for (let height = 20; height <= 35; height++) compareAt(height)
  await node.stateSync?.idle()
  // The restored node's own snapshot has the bytes of everybody's.
  expect(node.application.listSnapshots()).toEqual([snapshots[0]])
})
