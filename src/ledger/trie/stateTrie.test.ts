import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { createMPT } from '@ethereumjs/mpt'
import { expect, test } from 'vitest'
import { addressOf, createRandom, slotOf } from '../../../test/support/chainModel.ts'
import { compareBytes } from '../../base/bytes.ts'
import { toHex, toHexDigits } from '../../base/hex.ts'
import { keccak256 } from '../../base/keccak.ts'
import { runSteps } from '../../base/steps.ts'
import { EMPTY_TRIE_ROOT } from '../../proof/mpt.ts'
import { openKv, type Kv } from '../../store/kv.ts'
import { createStateTrie, type StateTrie } from './stateTrie.ts'
import type { TrieChange } from './changes.ts'

const random = createRandom(3)

/** More than one step of an update handles. */
const CHANGES = 150

function randomChanges(keyOf: (index: number) => Uint8Array, keys: number): TrieChange[] {
  const changes = new Map<string, TrieChange>()
  for (let i = 0; i < CHANGES; i++) {
    const key = keccak256(keyOf(random(keys)))
    const value = random(4) === 0 ? undefined : Uint8Array.of(1 + random(200), random(256), 40)
    // Leaves of the state tries are never short.
    changes.set(toHexDigits(key), { key, value: value && keccak256(value) })
  }
  return [...changes.values()].sort((a, b) => compareBytes(a.key, b.key))
}

test('with hardly any memory, nodes come back from records that are written in parts', async () => {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'assay-trie-'))
  const kv = openKv(folder)
  const tables = { accounts: kv.table('a'), storages: kv.table('s'), journal: kv.table('j') }
  const contract = addressOf(900)
  let storageRoot = EMPTY_TRIE_ROOT
  try {
    let trie = createStateTrie(tables, EMPTY_TRIE_ROOT, 10_000)
    const accounts = await createMPT()
    const storage = await createMPT()
    for (let round = 0; round < 60; round++) {
      const changes = randomChanges(addressOf, 600)
      const slots = randomChanges(slotOf, 200)
      for (const [oracle, batch] of [
        [accounts, changes],
        [storage, slots],
      ] as const)
        for (const { key, value } of batch)
          await (value === undefined ? oracle.del(key) : oracle.put(key, value))
      const staged = runSteps(trie.stageStorage(contract, storageRoot, slots, false))
      storageRoot = staged.rootHash
      const candidate = runSteps(
        trie.stageAccounts(changes, new Map([[toHexDigits(contract), staged]])),
      )
      expect(toHex(candidate.stateRoot)).toBe(toHex(accounts.root()))
      expect(toHex(storageRoot)).toBe(toHex(storage.root()))
      const part = trie.isCheckpointing()
        ? kv.write(() => runSteps(trie.writeCheckpoint(1 + random(60))))
        : undefined
      trie.adopt(candidate)
      part?.finish()
      if (trie.isCheckpointing()) continue
      if (round % 9 === 8) {
        // Only the records are left of the trie.
        completeCheckpoint(kv, trie, round)
        trie = createStateTrie(tables, candidate.stateRoot, 10_000)
      } else trie.beginCheckpoint(round)
    }
    const { bytes, hits, misses } = trie.stats()
    expect(Math.min(bytes, hits, misses)).toBeGreaterThan(0)
    // Records of removed nodes are gone: one record per branch, and the root's.
    const removeAll = (await keysOf(accounts)).map((key) => ({ key, value: undefined }))
    const emptied = runSteps(trie.stageAccounts(removeAll, new Map()))
    trie.adopt(emptied)
    completeCheckpoint(kv, trie, 60)
    expect(toHex(trie.stateRoot())).toBe(toHex(EMPTY_TRIE_ROOT))
    expect([...tables.accounts.range({})]).toEqual([])
  } finally {
    await kv.close()
    fs.rmSync(folder, { recursive: true, force: true })
  }
})

/** Completes the checkpoint in progress, then one of the current state. */
function completeCheckpoint(kv: Kv, trie: StateTrie, height: number): void {
  while (trie.isCheckpointing()) kv.write(() => runSteps(trie.writeCheckpoint(7))).finish()
  trie.beginCheckpoint(height)
  while (trie.isCheckpointing()) kv.write(() => runSteps(trie.writeCheckpoint(50))).finish()
}

/** Keys that the oracle holds among those that the test uses, sorted. */
async function keysOf(oracle: Awaited<ReturnType<typeof createMPT>>): Promise<Uint8Array[]> {
  const keys: Uint8Array[] = []
  for (let i = 0; i < 600; i++) {
    const key = keccak256(addressOf(i))
    if ((await oracle.get(key)) !== null) keys.push(key)
  }
  return keys.sort(compareBytes)
}
