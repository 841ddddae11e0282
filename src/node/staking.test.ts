import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { encodeFunctionData } from 'viem'
import { openManualNode } from '../../test/support/manualNode.ts'
import { GWEI, POOL_CHAIN_ID } from '../../test/support/poolRig.ts'
import { developmentKeys } from '../accounts/development.ts'
import { utf8 } from '../base/bytes.ts'
import { fromHex, toHex, type Hex } from '../base/hex.ts'
import { loadOrCreatePrivateKey } from '../base/privateKey.ts'
import { addressOfPrivateKey } from '../base/secp256k1.ts'
import { PREDEPLOYS, STAKING_ADDRESS } from '../chain/predeploys.ts'
import { openBlock } from '../ledger/replay.ts'
import { parseGenesis } from '../chain/genesis.ts'
import { signTransaction } from '../chain/signTransaction.ts'
import { completeHome } from '../cli/newHome.ts'
import { homePaths, type Home } from '../config/home.ts'
import { loadGenesis } from '../consensus/files/genesis.ts'
import { Staking } from '../generated/contracts.ts'
import { exportGenesis } from './exportGenesis.ts'
import { checkHome } from './mend.ts'
import { rollbackHome } from './rollback.ts'

const UNIT = 10n ** 18n

let home: Home
beforeEach(async () => {
  home = homePaths(fs.mkdtempSync(path.join(os.tmpdir(), 'assay-staking-')))
  await completeHome(home)
})
afterEach(() => fs.rmSync(home.folder, { recursive: true, force: true }))

const operatorKey = () => loadOrCreatePrivateKey(home.rewardKey, '')

/** A delegation by the first development account to the validator of the home. */
function delegation(nonce: number, value: bigint): Uint8Array {
  const operator = toHex(addressOfPrivateKey(operatorKey()))
  const data = encodeFunctionData({
    abi: Staking.abi,
    functionName: 'delegate',
    args: [operator],
  })
  return callOf(developmentKeys()[0] ?? new Uint8Array(0), nonce, data, value)
}

/** A signed call of the staking contract. */
function callOf(key: Uint8Array, nonce: number, data: Hex, value: bigint): Uint8Array {
  return signTransaction(
    {
      type: 2,
      chainId: POOL_CHAIN_ID,
      nonce: BigInt(nonce),
      maxFeePerGas: 100n * GWEI,
      maxPriorityFeePerGas: GWEI,
      gasLimit: 400_000n,
      to: STAKING_ADDRESS,
      value,
      data: fromHex(data),
      accessList: [],
      authorizationList: [],
    },
    key,
  ).raw
}

const powersOf = (validators: readonly { readonly power: bigint }[] | undefined) =>
  validators?.map(({ power }) => power)

test('a delegation changes the power of the one validator, which goes on signing', async () => {
  const node = openManualNode(home.folder)
  const { engine, pool, published, store, failures } = node
  await engine.produceBlock()
  await pool.add(delegation(0, 5n * UNIT))
  for (let block = 0; block < 3; block++) await engine.produceBlock()
  expect(failures).toEqual([])
  const { publicKey } = engine.reader.validator
  const update = { type: 'ed25519', publicKey, power: 15n }
  expect(published.map(({ result }) => result.validatorUpdates)).toEqual([[], [update], [], []])
  expect(powersOf(published[1]?.validatorUpdates)).toEqual([15n])
  // Queried later, and by height: as announced, and from height + 2 on.
  expect(engine.reader.results(2)).toEqual(published[1]?.result)
  expect([2, 3, 4].map((height) => powersOf(engine.reader.validators(height)))).toEqual([
    [10n],
    [10n],
    [15n],
  ])
  // The base fee of the delegation is income of all stake.
  const header = store.reader.header(2)
  const balance = store.reader.stateAt(2).account(STAKING_ADDRESS)?.balance ?? 0n
  expect(balance).toBe(15n * UNIT + (header?.gasUsed ?? 0n) * (header?.baseFeePerGas ?? 0n))
  expect(header?.gasUsed).toBeGreaterThan(50_000n)
  await node.stop()
})

test('stake survives a restart, a rollback, and the execution of all blocks again', async () => {
  const first = openManualNode(home.folder)
  await first.engine.produceBlock()
  await first.pool.add(delegation(0, 5n * UNIT))
  await first.engine.produceBlock()
  const root = first.store.reader.header(2)?.stateRoot
  await first.stop()
  await rollbackHome(home)
  const second = openManualNode(home.folder)
  await second.engine.produceBlock()
  expect(second.failures).toEqual([])
  expect(second.store.reader.header(2)?.stateRoot).toEqual(root)
  expect(second.published[0]?.result.validatorUpdates).toHaveLength(1)
  await second.engine.produceBlock()
  await second.stop()
  const report = await checkHome(home, false, () => undefined)
  expect(report.faults).toEqual([])
  // A chain that starts with this state has the same stake, whatever its genesis says about initial validators.
  const json = JSON.parse(await exportGenesis(home, undefined)) as {
    chain_id: string
    app_state: unknown
    validators: { power: string }[]
  }
  expect(json.validators.map(({ power }) => power)).toEqual(['15'])
  const exported = parseGenesis(json.chain_id, utf8(JSON.stringify(json.app_state)))
  expect(powersOf(exported.staking?.set)).toEqual([15n])
  expect(exported.rules.staking?.maxValidators).toBe(1)
})

test('a home from before staking goes on: fees go to the proposer, and its contract holds reward addresses alone', async () => {
  const genesis = JSON.parse(fs.readFileSync(home.genesis, 'utf8')) as {
    app_state: { evm: { staking?: unknown; validators: Record<string, string> } }
    validators: { address: string }[]
  }
  const reward = `0x${'77'.repeat(20)}`
  delete genesis.app_state.evm.staking
  genesis.app_state.evm.validators = { [`0x${genesis.validators[0]?.address}`]: reward }
  fs.writeFileSync(home.genesis, JSON.stringify(genesis))
  const node = openManualNode(home.folder)
  const { engine, pool, store, failures } = node
  await engine.produceBlock()
  await pool.add(delegation(0, 0n))
  await engine.produceBlock()
  expect(failures).toEqual([])
  const [receipt] = store.reader.receipts(2) ?? []
  const paid = (receipt?.gasUsed ?? 0n) * (receipt?.effectiveGasPrice ?? 0n)
  expect(paid).toBeGreaterThan(0n)
  expect(store.latest().account(fromHex(reward))?.balance).toBe(paid)
  await node.stop()
})

test('a genesis that tells consensus and the contract of different validators is refused', () => {
  const text = fs.readFileSync(home.genesis, 'utf8')
  const refused = (from: string, to: string) => {
    expect(text).toContain(from)
    fs.writeFileSync(home.genesis, text.replace(from, to))
    return () => openManualNode(home.folder)
  }
  expect(refused('"power": "10"', '"power": "11"')).toThrow(
    'validators differ from app_state.evm.staking.validators',
  )
  expect(refused('"unbonding_time": 1814400', '"unbonding_time": 172799')).toThrow(
    'max_age_duration is longer than the unbonding time',
  )
  expect(refused('"max_validators": 1', '"max_validators": 101')).toThrow(
    'app_state.evm.staking.max_validators',
  )
})

test('an upgrade that the validators decide acts from its height on, in every execution of that block', async () => {
  const [target, source] = PREDEPLOYS.map(({ address }) => address)
  if (target === undefined || source === undefined) throw new Error('no contracts')
  const data = encodeFunctionData({
    abi: Staking.abi,
    functionName: 'approveUpgrade',
    args: [4n, 0n, toHex(target), toHex(source)],
  })
  const node = openManualNode(home.folder)
  const { engine, pool, store, failures } = node
  await engine.produceBlock()
  await pool.add(callOf(operatorKey(), 0, data, 0n))
  for (let block = 0; block < 3; block++) await engine.produceBlock()
  expect(failures).toEqual([])
  const codeHash = (height: number, address: Uint8Array) =>
    store.reader.stateAt(height).account(address)?.codeHash
  expect(codeHash(3, target)).not.toEqual(codeHash(3, source))
  expect(codeHash(4, target)).toEqual(codeHash(3, source))
  // Traces of the block see the new code from its first transaction on.
  const { rules } = parseGenesis('assay_271828-1', loadGenesis(home.genesis).genesis.appState)
  const opened = openBlock(store.reader, rules, 4)
  expect(opened?.world.account(target)?.codeHash).toEqual(codeHash(4, target))
  await node.stop()
  expect((await checkHome(home, false, () => undefined)).faults).toEqual([])
})
