import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { openManualNode, writerTransaction } from '../../test/support/manualNode.ts'
import { developmentKeys } from '../accounts/development.ts'
import { utf8 } from '../base/bytes.ts'
import { toHex } from '../base/hex.ts'
import { addressOfPrivateKey } from '../base/secp256k1.ts'
import { sha256 } from '../base/sha256.ts'
import { heightKey } from '../ledger/blocks/heightKey.ts'
import { genesisHeader } from '../chain/genesisHeader.ts'
import { parseGenesis } from '../chain/genesis.ts'
import { openChainStore } from '../ledger/store.ts'
import { openChainTables } from '../ledger/tables.ts'
import { completeHome } from '../cli/newHome.ts'
import { homePaths, type Home } from '../config/home.ts'
import { loadSignState } from '../consensus/files/signState.ts'
import { openKv } from '../store/kv.ts'
import type { KvTable } from '../store/kvTable.ts'
import { exportGenesis } from './exportGenesis.ts'
import { checkHome } from './mend.ts'
import { rollbackHome } from './rollback.ts'

const BLOCKS = 20

/** Two in each block but the first. */
const TRANSACTIONS = 2 * (BLOCKS - 1)

let home: Home
beforeEach(async () => {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'assay-offline-'))
  home = homePaths(folder)
  await completeHome(home)
  const node = openManualNode(folder)
  await node.engine.produceBlock()
  for (let nonce = 0; nonce < TRANSACTIONS; nonce++) {
    await node.pool.add(writerTransaction(nonce))
    if (nonce % 2 === 1) await node.engine.produceBlock()
  }
  await node.stop()
})
afterEach(() => fs.rmSync(home.folder, { recursive: true, force: true }))

const noProgress = () => undefined

type Tables = ReturnType<typeof openChainTables> & { readonly addresses: KvTable }

async function damage(action: (tables: Tables) => void): Promise<void> {
  const kv = openKv(home.chainStore)
  const tables = { ...openChainTables(kv), addresses: kv.table('addressTransactions') }
  kv.write(() => action(tables))
  await kv.close()
}

/** Changes the last byte of a record. */
function spoil(table: KvTable, key: Uint8Array): void {
  const record = table.get(key) ?? new Uint8Array(1)
  record[record.length - 1] = (record.at(-1) ?? 0) ^ 1
  table.put(key, record)
}

test('a sound chain is said to be sound, and nothing is left behind', async () => {
  const before = fs.readdirSync(home.data)
  const report = await checkHome(home, true, noProgress)
  expect(report).toEqual({
    first: 1,
    last: BLOCKS,
    faults: [],
    damagedStore: undefined,
    notExecuted: undefined,
  })
  expect(fs.readdirSync(home.data)).toEqual(before)
})

const DAMAGES: readonly (readonly [string, RegExp, (tables: Tables) => void])[] = [
  [
    'a lost index',
    /index by (transaction|consensus) hash of block/,
    ({ transactionHashes: table }) => {
      for (const { key } of Array.from(table.range({ limit: 5 }))) table.remove(key)
    },
  ],
  [
    'a block hash that leads nowhere',
    /index by block hash of block 7/,
    ({ blockHashes: table, headers }) =>
      table.remove((headers.get(heightKey(7)) ?? new Uint8Array(0)).subarray(0, 32)),
  ],
  [
    'a lost index by address',
    /index by address of block/,
    ({ addresses }) => {
      for (const { key } of Array.from(addresses.range({ limit: 3 }))) addresses.remove(key)
    },
  ],
  [
    'a lost index of logs',
    /index of logs of block/,
    ({ logIndex }) => {
      for (const { key } of Array.from(logIndex.range({}))) logIndex.remove(key)
    },
  ],
  ['another receipt', /block 9/, ({ receipts }) => spoil(receipts, heightKey(9))],
  ['other logs', /block 9/, ({ logs }) => spoil(logs, heightKey(9))],
  ['no header', /block 5/, ({ headers }) => headers.remove(heightKey(5))],
  [
    'other history',
    /state of 0x[0-9a-f]{40} after block|block 11/,
    ({ changesets }) => spoil(changesets, heightKey(12)),
  ],
  [
    'other balances',
    /after block 20|cannot be read/,
    ({ accounts }) => {
      for (const { key } of Array.from(accounts.range({}))) spoil(accounts, key)
    },
  ],
]

test.each(DAMAGES)('%s is found, and repaired from the blocks', async (_what, fault, spoiling) => {
  await damage(spoiling)
  const found = await checkHome(home, false, noProgress)
  expect(found.faults.join('\n')).toMatch(fault)
  expect(found.damagedStore).toBeUndefined()

  const { damagedStore } = await checkHome(home, true, noProgress)
  expect(fs.existsSync(damagedStore ?? '')).toBe(true)
  expect((await checkHome(home, false, noProgress)).faults).toEqual([])
  const node = openManualNode(home.folder)
  const sender = toHex(addressOfPrivateKey(developmentKeys()[0] ?? new Uint8Array(0)))
  const range = { first: 1, last: BLOCKS }
  expect(node.index.find('message.sender', sender, range, 100)).toHaveLength(BLOCKS - 1)
  await node.pool.add(writerTransaction(TRANSACTIONS))
  await node.engine.produceBlock()
  expect(node.failures).toEqual([])
  expect(node.store.reader.receipts(BLOCKS + 1)).toHaveLength(1)
  await node.stop()
})

test('a decided transaction that was changed cannot be rebuilt, and nothing is touched', async () => {
  await damage(({ transactions }) => {
    const record = transactions.get(heightKey(9)) ?? new Uint8Array(0)
    record[20] = (record[20] ?? 0) ^ 1
    transactions.put(heightKey(9), record)
  })
  const before = fs.readFileSync(path.join(home.chainStore, 'data.mdb'))
  await expect(checkHome(home, true, noProgress)).rejects.toThrow(/the store is damaged: .*block 9/)
  expect(fs.readFileSync(path.join(home.chainStore, 'data.mdb')).equals(before)).toBe(true)
  expect(fs.readdirSync(home.data).filter((name) => name.startsWith('chain'))).toEqual(['chain'])
})

test('a block that is rolled back is executed again, under its old id and signature', async () => {
  const first = openManualNode(home.folder)
  const [block, commit] = [first.engine.reader.block(BLOCKS), first.engine.reader.commit(BLOCKS)]
  const root = first.store.reader.header(BLOCKS)?.stateRoot
  await first.stop()
  const signState = loadSignState(home.validatorState)

  expect(await rollbackHome(home)).toBe(BLOCKS - 1)
  await expect(rollbackHome(home)).rejects.toThrow(`block ${BLOCKS} is already rolled back`)
  expect(loadSignState(home.validatorState)).toEqual(signState)

  const second = openManualNode(home.folder)
  expect(second.engine.reader.height()).toBe(BLOCKS - 1)
  await second.engine.produceBlock()
  expect(second.failures).toEqual([])
  const { reader } = second.engine
  expect(reader.height()).toBe(BLOCKS + 1)
  expect(reader.block(BLOCKS)).toEqual(block)
  expect(reader.commit(BLOCKS)?.commit).toEqual(commit?.commit)
  expect(second.store.reader.header(BLOCKS)?.stateRoot).toEqual(root)
  expect(second.published.map(({ height }) => height)).toEqual([BLOCKS, BLOCKS + 1])
  await second.stop()
  expect((await checkHome(home, false, noProgress)).faults).toEqual([])
})

test('a rollback survives a sign state that is one behind, and refuses any other', async () => {
  const signState = loadSignState(home.validatorState)
  await rollbackHome(home)
  const write = (height: number) =>
    fs.writeFileSync(
      home.validatorState,
      JSON.stringify({ height: String(height), round: 0, step: 3 }),
    )
  write(BLOCKS + 1)
  expect(() => openManualNode(home.folder)).toThrow('was rolled back')
  write(BLOCKS - 3)
  expect(() => openManualNode(home.folder)).toThrow('was rolled back')
  write(BLOCKS - 1)
  const node = openManualNode(home.folder)
  expect(loadSignState(home.validatorState)).toEqual(signState)
  await node.stop()
})

test('an exported genesis begins with the state that the chain ends with, under the next epoch', async () => {
  const text = await exportGenesis(home, undefined)
  const json = JSON.parse(text) as { chain_id: string; app_state: unknown }
  expect(json.chain_id).toBe('assay_271828-2')
  await expect(exportGenesis(home, 'assay_271828-1')).rejects.toThrow('needs its own')

  const { rules, alloc } = parseGenesis(json.chain_id, utf8(JSON.stringify(json.app_state)))
  const source = openKv(home.chainStore, { readOnly: true })
  const target = openKv(path.join(home.folder, 'target'))
  const header = genesisHeader(rules, { hash: sha256(utf8(text)), timeNs: 0n })
  const made = openChainStore(target, { chainId: rules.chainId }).initialise({
    header,
    effects: alloc,
  })
  const { headers } = openChainTables(source)
  expect(headers.get(heightKey(BLOCKS))?.subarray(64, 96)).toEqual(made.stateRoot)
  await Promise.all([source.close(), target.close()])
})
