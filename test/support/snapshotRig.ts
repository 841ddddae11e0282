/** Nodes with small snapshots, and a chain of random blocks for them. */
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import type {
  FinalizeBlockResponse,
  ProposedBlock,
  Snapshot,
} from '../../src/consensus/application.ts'
import { openKv, type Kv } from '../../src/store/kv.ts'
import {
  openApplicationNode,
  proposedBlock,
  testGenesis,
  type ApplicationNode,
  type ApplicationNodeOptions,
} from './applicationNode.ts'
import { seededRandom } from './randomProgram.ts'
import { createWorkload, workloadSenders, type Workload } from './workload.ts'

export const SENDERS = workloadSenders(12)
export const GENESIS = testGenesis(SENDERS)

/** Many small chunks, read in many small stretches. */
export const SMALL = { chunkSize: 3000, stretch: 7 }

export type DecidedChain = readonly {
  readonly block: ProposedBlock
  readonly response: FinalizeBlockResponse
}[]

/** Stores and snapshots in a folder of their own. */
export function createSnapshotRig() {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'assay-snapshot-'))
  const stores: Kv[] = []

  function openStore(name: string): Kv {
    const kv = openKv(path.join(folder, name), { isScratch: true })
    stores.push(kv)
    return kv
  }

  return {
    folder,
    openStore,
    openNode(
      name: string,
      options: Partial<ApplicationNodeOptions['snapshots']> = {},
      kv = openStore(name),
      store: NonNullable<ApplicationNodeOptions['store']> = {},
    ): ApplicationNode {
      const snapshots = path.join(folder, `${name}-snapshots`)
      return openApplicationNode({
        genesis: GENESIS,
        kv,
        store,
        snapshots: { folder: snapshots, interval: 10, taking: SMALL, ...options },
      })
    },
    async close() {
      await Promise.all(stores.map((kv) => kv.close()))
      fs.rmSync(folder, { recursive: true, force: true })
    },
  }
}

/** Transactions that a seed decides. */
export function seededWorkload(seed: number): Workload {
  const { chainId } = GENESIS.state.rules
  return createWorkload({ chainId, senders: SENDERS, random: seededRandom(seed) })
}

/** Executes a random block after the last one. */
export async function addBlock(
  node: ApplicationNode,
  workload: Workload,
  transactions = 6,
): Promise<DecidedChain[number]> {
  const height = node.application.info().lastBlockHeight + 1
  const block = proposedBlock(GENESIS, height, workload.next(transactions, node.store.latest()))
  return { block, response: await node.decide(block) }
}

/** A chain of random blocks, executed by the node as they are made. */
export async function runChain(
  node: ApplicationNode,
  seed: number,
  last: number,
  transactions?: number,
): Promise<DecidedChain> {
  const workload = seededWorkload(seed)
  node.application.initChain(GENESIS.initChain)
  const chain: DecidedChain[number][] = []
  while (chain.length < last) {
    chain.push(await addBlock(node, workload, transactions))
    // A snapshot that is due while another one is taken would be skipped.
    await node.stateSync?.idle()
  }
  return chain
}

export function appHashAt(chain: DecidedChain, height: number): Uint8Array {
  const made = chain[height - 1]
  if (made === undefined) throw new RangeError(`there is no block ${height}`)
  return made.response.appHash
}

/** All chunks of a node's snapshot. */
export async function chunksOf(
  { application }: ApplicationNode,
  snapshot: Snapshot,
): Promise<readonly Uint8Array[]> {
  return await Promise.all(
    Array.from({ length: snapshot.chunks }, (_, chunk) =>
      application.loadSnapshotChunk({ ...snapshot, chunk }),
    ),
  )
}

/** Offers a snapshot and applies its chunks while they are accepted. Returns every answer. */
export async function restore(
  { application }: ApplicationNode,
  snapshot: Snapshot,
  chunks: readonly Uint8Array[],
  appHash: Uint8Array,
): Promise<readonly string[]> {
  const results: string[] = [await application.offerSnapshot({ snapshot, appHash })]
  for (const [index, chunk] of chunks.entries()) {
    if (results.at(-1) !== 'accept') break
    const { result } = await application.applySnapshotChunk({ index, chunk, sender: 'peer' })
    results.push(result)
  }
  return results
}
