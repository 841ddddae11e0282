import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { createMPT } from '@ethereumjs/mpt'
import { expect, test } from 'vitest'
import { addressOf, createRandom, slotOf } from '../../../test/support/chainModel.ts'
import { compareBytes } from '../../base/bytes.ts'
import { toHex, toHexDigits } from '../../base/hex.ts'
import { keccak256 } from '../../base/keccak.ts'
import { EMPTY_TRIE_ROOT } from '../../proof/mpt.ts'
import { openKv } from '../../store/kv.ts'
import { createStateTrie } from './stateTrie.ts'
import type { TrieChange } from './update.ts'

const random = createRandom(3)

function randomChanges(keyOf: (index: number) => Uint8Array, keys: number): TrieChange[] {
  const changes = new Map<string, TrieChange>()
  for (let i = 0; i < 60; i++) {
    const key = keccak256(keyOf(random(keys)))
    const value = random(4) === 0 ? undefined : Uint8Array.of(1 + random(200), random(256), 40)
    // Leaves of the state tries are never short.
    changes.set(toHexDigits(key), { key, value: value && keccak256(value) })
  }
  return [...changes.values()].sort((a, b) => compareBytes(a.key, b.key))
}

test('with hardly any memory, nodes come back from the records of every checkpoint', async () => {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'assay-trie-'))
  const kv = openKv(folder)
  const tables = { accounts: kv.table('a'), storages: kv.table('s') }
  const contract = addressOf(900)
  let storageRoot = EMPTY_TRIE_ROOT
  try {
    let trie = createStateTrie(tables, EMPTY_TRIE_ROOT, 20)
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
      const staged = trie.stageStorage(contract, storageRoot, slots, false)
      storageRoot = staged.rootHash
      const candidate = trie.stageAccounts(changes, new Map([[toHexDigits(contract), staged]]))
      expect(toHex(candidate.stateRoot)).toBe(toHex(accounts.root()))
      expect(toHex(storageRoot)).toBe(toHex(storage.root()))
      const isCheckpoint = round % 3 === 2
      const finish = isCheckpoint ? kv.write(() => trie.checkpoint(candidate)) : undefined
      trie.adopt(candidate)
      finish?.()
      expect(trie.changedLeaves() === 0).toBe(isCheckpoint)
      // Nothing but the records is left of the trie.
      if (round % 9 === 8) trie = createStateTrie(tables, candidate.stateRoot, 20)
    }
    // Records of what does not exist any more are gone: one per branch, and the root's.
    const removeAll = (await keysOf(accounts)).map((key) => ({ key, value: undefined }))
    const emptied = trie.stageAccounts(removeAll, new Map())
    const finish = kv.write(() => trie.checkpoint(emptied))
    trie.adopt(emptied)
    finish()
    expect(toHex(trie.stateRoot())).toBe(toHex(EMPTY_TRIE_ROOT))
    expect([...tables.accounts.range({})]).toEqual([])
  } finally {
    await kv.close()
    fs.rmSync(folder, { recursive: true, force: true })
  }
})

/** Keys that the oracle holds among those that the test uses, sorted. */
async function keysOf(oracle: Awaited<ReturnType<typeof createMPT>>): Promise<Uint8Array[]> {
  const keys: Uint8Array[] = []
  for (let i = 0; i < 600; i++) {
    const key = keccak256(addressOf(i))
    if ((await oracle.get(key)) !== null) keys.push(key)
  }
  return keys.sort(compareBytes)
}
