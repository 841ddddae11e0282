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
  slotOf,
  statesOf,
} from '../../../test/support/chainModel.ts'
import type { ChainReader } from '../../chain/reader.ts'
import { fromHex, toHexDigits } from '../../base/hex.ts'
import { keccak256 } from '../../base/keccak.ts'
import { heightKey } from '../blocks/heightKey.ts'
import { EMPTY_CODE_HASH, type AccountEffect } from '../../evm/types.ts'
import { openKv, type Kv } from '../../store/kv.ts'
import { KvCorruptionError } from '../../store/kvError.ts'
import { openChainReader, openChainStore, type ChainStore } from '../store.ts'
import { openChainTables, type ChainTables } from '../tables.ts'
import {
  createAbsences,
  UnconfirmedAbsenceError,
  type AbsentKeys,
  type Absences,
} from './absences.ts'
import { slotKey } from './flatKey.ts'

const ACCOUNTS = 14
const BLOCKS = modelChain(5, 20, ACCOUNTS)
const TIP = BLOCKS.length - 1
const STATE = statesOf(BLOCKS)[TIP] as ReturnType<typeof statesOf>[number]
const PRESENT = [...STATE].toSorted((a, b) => b[1].storage.size - a[1].storage.size)
const [OWNER, { storage: STORAGE }] = PRESENT[0] as (typeof PRESENT)[number]
const ADDRESS = fromHex(`0x${OWNER}`)
const SLOT = fromHex(`0x${[...STORAGE.keys()][0] as string}`)
const STRANGER = addressOf(ACCOUNTS + 1)

let kv: Kv
let tables: ChainTables
let store: ChainStore
let absences: Absences
let reader: ChainReader
beforeEach(() => {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'assay-absences-'))
  kv = openKv(folder)
  store = openChainStore(kv, { chainId: 1n })
  for (const block of BLOCKS)
    if (block.header.height === 0) store.initialise(block)
    else store.commit(store.stage(block))
  tables = openChainTables(kv)
  const second = openKv(folder, { readOnly: true, holdsSnapshots: true })
  absences = createAbsences()
  reader = openChainReader(second, { chainId: 1n }, absences)
  onTestFinished(async () => {
    await second.close()
    await kv.close()
    fs.rmSync(folder, { recursive: true, force: true })
  })
})

function effectOn(address: Uint8Array, account: AccountEffect['account']): AccountEffect {
  return { address, account, storageCleared: false, storage: new Map() }
}

/** Commits a block that gives an account to an address, or takes it. */
function commit(address: Uint8Array, account: AccountEffect['account']): void {
  const effects = new Map([[toHexDigits(address), effectOn(address, account)]])
  const height = store.reader.latestHeight() + 1
  store.commit(store.stage(modelBlock(createRandom(height), height, { effects })))
}

const ACCOUNT = { nonce: 1n, balance: 5n, codeHash: EMPTY_CODE_HASH }

function taken(): AbsentKeys {
  const [first, ...more] = absences.take()
  expect(more).toEqual([])
  return first as AbsentKeys
}

test('what is rightly absent is confirmed, also when later blocks create it', () => {
  const view = reader.stateAt(TIP)
  expect(view.account(STRANGER)).toBeUndefined()
  expect(view.storage(ADDRESS, slotOf(99_999))).toEqual(new Uint8Array(32))
  const absent = taken()
  expect(absent).toEqual({
    tip: TIP,
    keys: Uint8Array.of(20, ...STRANGER, 52, ...slotKey(ADDRESS, slotOf(99_999))),
  })
  store.confirmAbsent(absent)
  commit(STRANGER, ACCOUNT)
  store.confirmAbsent(absent)
  expect(absences.take()).toEqual([])
})

test('what is there is not collected, and what was collected is not again while the block stands', () => {
  const view = reader.stateAt(TIP)
  view.account(ADDRESS)
  view.storage(ADDRESS, SLOT)
  expect(absences.take()).toEqual([])
  for (let i = 0; i < 3; i++) view.account(STRANGER)
  expect(taken().keys.length).toBe(21)
  view.account(STRANGER)
  expect(absences.take()).toEqual([])
})

for (const isCached of [true, false])
  for (const what of ['account', 'slot'] as const)
    test(`a missing ${what} is not confirmed${isCached ? ' by the cache' : ''}`, () => {
      const writing = isCached ? store : openChainStore(kv, { chainId: 1n })
      const isAccount = what === 'account'
      kv.write(() => {
        if (isAccount) tables.accounts.remove(ADDRESS)
        else tables.slots.remove(slotKey(ADDRESS, SLOT))
      })
      const view = reader.stateAt(TIP)
      if (isAccount) expect(view.account(ADDRESS)).toBeUndefined()
      else expect(view.storage(ADDRESS, SLOT)).toEqual(new Uint8Array(32))
      const absent = taken()
      expect(() => writing.confirmAbsent(absent)).toThrow(KvCorruptionError)
    })

test('an account that the next block removes is neither confirmed nor called damaged before that block is known', () => {
  commit(STRANGER, ACCOUNT)
  const height = store.reader.latestHeight()
  const absent = { tip: height + 1, keys: Uint8Array.of(20, ...STRANGER) }
  expect(() => store.confirmAbsent(absent)).toThrow(UnconfirmedAbsenceError)
  commit(STRANGER, undefined)
  store.confirmAbsent(absent)
})

test('a collection is bounded', () => {
  const view = reader.stateAt(TIP)
  for (let i = 0; i < 5000; i++) view.storage(ADDRESS, keccak256(heightKey(i)))
  expect(taken().keys.length).toBe(4096 * 53)
})
