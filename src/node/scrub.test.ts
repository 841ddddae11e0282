// Holds D92.
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { afterEach, beforeEach, expect, onTestFinished, test } from 'vitest'
import { openManualNode, writerTransaction } from '../../test/support/manualNode.ts'
import { POOL_CHAIN_ID } from '../../test/support/poolRig.ts'
import { systemClock } from '../base/clock.ts'
import { completeHome } from '../cli/newHome.ts'
import { homePaths, type Home } from '../config/home.ts'
import { loadGenesis } from '../consensus/files/genesis.ts'
import { startScrubber } from '../consensus/scrub/scrubber.ts'

const BLOCKS = 6

let home: Home
beforeEach(async () => {
  home = homePaths(fs.mkdtempSync(path.join(os.tmpdir(), 'assay-scrub-')))
  await completeHome(home)
})
afterEach(() => fs.rmSync(home.folder, { recursive: true, force: true }))

async function chain() {
  const node = openManualNode(home.folder)
  onTestFinished(() => node.stop())
  for (let nonce = 0; nonce < BLOCKS; nonce++) {
    await node.pool.add(writerTransaction(nonce))
    await node.engine.produceBlock()
  }
  return node
}

/** Starts a scrub; the first pass, or the first damage, settles `outcome`. */
function scrub({ store }: Awaited<ReturnType<typeof chain>>) {
  const damages: string[] = []
  let passed: (text: string) => void
  const outcome = new Promise<string>((resolve) => (passed = resolve))
  const scrubber = startScrubber(
    {
      store: home.chainStore,
      chainId: POOL_CHAIN_ID,
      chainName: loadGenesis(home.genesis).genesis.chainId,
      interval: 60_000,
    },
    {
      onDamage(fault) {
        damages.push(fault)
        passed(fault)
      },
      onPassed: () => passed('passed'),
      onFault: (reason) => passed(`fault: ${reason}`),
      verifyState: store.verifyState,
      delay: 0,
      clock: systemClock,
    },
  )
  onTestFinished(() => scrubber.close())
  return { scrubber, outcome, damages }
}

test('a pass verifies every page, block and record of a running node, and finds nothing', async () => {
  const node = await chain()
  const { scrubber, outcome } = scrub(node)
  // Blocks are made meanwhile.
  for (let nonce = BLOCKS; nonce < 2 * BLOCKS; nonce++) {
    await node.pool.add(writerTransaction(nonce))
    await node.engine.produceBlock()
    scrubber.busy()
  }
  expect(await outcome).toBe('passed')
  const { pages, blocks, records, passes, findings } = scrubber.statistics()
  expect(pages).toBeGreaterThan(20)
  expect(blocks).toBeGreaterThanOrEqual(BLOCKS)
  expect(records).toBeGreaterThan(0)
  expect([passes, findings]).toEqual([1, 0])
})

test('a record that changed on the disk is named', async () => {
  const node = await chain()
  const header = node.store.reader.header(3)
  const file = path.join(home.chainStore, 'data.mdb')
  const bytes = fs.readFileSync(file)
  const at = bytes.indexOf(header?.stateRoot ?? Buffer.alloc(0))
  const handle = fs.openSync(file, 'r+')
  const flipped = Buffer.from([(bytes[at] ?? 0) ^ 1])
  for (let found = at; found >= 0; found = bytes.indexOf(header?.stateRoot ?? '', found + 1))
    fs.writeSync(handle, flipped, 0, 1, found)
  fs.closeSync(handle)
  const { outcome } = scrub(node)
  expect(await outcome).toMatch(/table (headers|consensus-blocks) is damaged: .*checksum.*lost/)
})

test('a state that is not in the trie is named by the main thread', async () => {
  const node = await chain()
  const { store, kv } = node
  const accounts = kv.table('accounts')
  const [first] = Array.from(accounts.range({ limit: 1 }))
  kv.write(() => accounts.remove(first?.key ?? new Uint8Array(0)))
  kv.write(() => accounts.put(new Uint8Array(20).fill(7), first?.value ?? new Uint8Array(0)))
  const verifyAll = (): void => {
    let position: Uint8Array | undefined
    do position = store.verifyState(position, 5)
    while (position !== undefined)
  }
  expect(verifyAll).toThrow('is not in the state trie')
})
