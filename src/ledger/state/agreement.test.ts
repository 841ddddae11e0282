// Holds D87.
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { beforeEach, expect, onTestFinished, test } from 'vitest'
import {
  addressOf,
  createRandom,
  modelBlock,
  modelChain,
  randomEffects,
  slotOf,
  statesOf,
} from '../../../test/support/chainModel.ts'
import { fromHex, toHexDigits } from '../../base/hex.ts'
import { EMPTY_CODE_HASH, type AccountEffect } from '../../evm/types.ts'
import { openKv } from '../../store/kv.ts'
import { KvCorruptionError } from '../../store/kvError.ts'
import { openChainStore, type ChainStore } from '../store.ts'
import { openChainTables, type ChainTables } from '../tables.ts'
import { encodeAccountRecord, decodeAccountRecord } from './accountRecord.ts'
import { slotKey } from './flatKey.ts'

const ACCOUNTS = 14
const BLOCKS = modelChain(5, 40, ACCOUNTS)
const STATE = statesOf(BLOCKS)[BLOCKS.length - 1] as ReturnType<typeof statesOf>[number]

/** Accounts of the last state, with storage first. */
const PRESENT = [...STATE].toSorted((a, b) => b[1].storage.size - a[1].storage.size)
const [OWNER, { storage: STORAGE }] = PRESENT[0] as (typeof PRESENT)[number]
const [SLOT] = STORAGE.keys()
const ADDRESS = fromHex(`0x${OWNER}`)
const KEY = slotKey(ADDRESS, fromHex(`0x${SLOT as string}`))
const STRANGER = addressOf(ACCOUNTS + 1)
const FREE_SLOT = slotKey(ADDRESS, slotOf(11_000))

let folder: string
let seen: KvCorruptionError[]
beforeEach(async () => {
  seen = []
  folder = fs.mkdtempSync(path.join(os.tmpdir(), 'assay-agreement-'))
  onTestFinished(() => fs.rmSync(folder, { recursive: true, force: true }))
  const kv = openKv(folder)
  const store = openChainStore(kv, { chainId: 1n, checkpointEvery: 7 })
  for (const block of BLOCKS)
    if (block.header.height === 0) store.initialise(block)
    else store.commit(store.stage(block))
  await kv.close()
})

/** The chain, opened again after its tables were changed behind its back, every checksum included. */
function openDamaged(damage: (tables: ChainTables) => void): ChainStore {
  const kv = openKv(folder, { onCorruption: (error) => seen.push(error) })
  onTestFinished(() => kv.close())
  const store = openChainStore(kv, { chainId: 1n, checkpointEvery: 7 })
  const tables = openChainTables(kv)
  kv.write(() => damage(tables))
  return store
}

const DAMAGES: readonly (readonly [string, RegExp, boolean, (tables: ChainTables) => void])[] = [
  [
    'an account that vanished',
    /of table accounts is missing: the state trie has it/,
    true,
    ({ accounts }) => accounts.remove(ADDRESS),
  ],
  [
    'an older version of an account',
    /of table accounts is not what the state trie has/,
    true,
    ({ accounts }) => {
      const account = decodeAccountRecord(accounts.get(ADDRESS) as Uint8Array)
      accounts.put(ADDRESS, encodeAccountRecord({ ...account, balance: account.balance + 1n }))
    },
  ],
  [
    'an account that was removed',
    /of table accounts is not in the state trie/,
    true,
    ({ accounts }) => accounts.put(STRANGER, accounts.get(ADDRESS) as Uint8Array),
  ],
  [
    'a slot that vanished',
    /of table slots is missing: the state trie has it/,
    false,
    ({ slots }) => slots.remove(KEY),
  ],
  [
    'an older value of a slot',
    /of table slots is not what the state trie has/,
    false,
    ({ slots }) => slots.put(KEY, Uint8Array.of(1, 2, 3, 4, 5)),
  ],
  [
    'a slot that was zeroed',
    /of table slots is not in the state trie/,
    false,
    ({ slots }) => slots.put(FREE_SLOT, Uint8Array.of(9)),
  ],
]

/** An effect on the damaged account or slot. */
function effectOn(isAccount: boolean, address: Uint8Array, key: Uint8Array): AccountEffect {
  return {
    address,
    account: { nonce: 9n, balance: 5n, codeHash: EMPTY_CODE_HASH },
    storageCleared: false,
    storage: new Map(isAccount ? [] : [[toHexDigits(key.subarray(20)), slotOf(77)]]),
  }
}

for (const [what, message, isAccount, damage] of DAMAGES)
  test(`${what} is never read, staged or committed`, () => {
    const store = openDamaged(damage)
    const address = what.includes('removed') ? STRANGER : ADDRESS
    const key = what.includes('zeroed') ? FREE_SLOT : KEY
    const view = store.latest()
    const read = (): unknown =>
      isAccount ? view.account(address) : view.storage(address, key.subarray(20))
    expect(read).toThrow(message)
    expect(read).toThrow(KvCorruptionError)
    const effects = new Map([[toHexDigits(address), effectOn(isAccount, address, key)]])
    const block = modelBlock(createRandom(1), BLOCKS.length, { effects })
    expect(() => store.stage(block)).toThrow(message)
    expect(seen.length).toBe(3)
    expect(seen[0]).toMatchObject({ table: isAccount ? 'accounts' : 'slots' })
  })

test('a storage is not cleared while one of its slots is missing', () => {
  const store = openDamaged(({ slots }) => slots.remove(KEY))
  const effect = { ...effectOn(true, ADDRESS, KEY), storageCleared: true }
  const effects = new Map([[OWNER, effect]])
  const block = modelBlock(createRandom(1), BLOCKS.length, { effects })
  expect(() => store.stage(block)).toThrow('are not the storage of the account')
})

test('a sound chain is read through an agreement, whatever is in memory', () => {
  const store = openDamaged(() => undefined)
  for (let height = BLOCKS.length; height < BLOCKS.length + 60; height++) {
    const random = createRandom(height)
    const effects = randomEffects(random, ACCOUNTS, 8)
    store.commit(store.stage(modelBlock(random, height, { effects })))
    const view = store.latest()
    for (let i = 0; i < ACCOUNTS + 5; i++) {
      view.account(addressOf(i))
      for (let slot = 0; slot < 14; slot++) view.storage(addressOf(i), slotOf(slot))
    }
  }
  expect(seen).toEqual([])
})

test('the slots of an account without storage are zero without a look at the disk', () => {
  const store = openDamaged(({ slots }) => {
    slots.put(slotKey(STRANGER, slotOf(1)), Uint8Array.of(7))
  })
  expect(store.latest().storage(STRANGER, slotOf(1))).toEqual(new Uint8Array(32))
  expect(seen).toEqual([])
})
