/** Long, because all tests share a development node in this process and the clients of its modes. */
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { JsonRpcProvider, verifyMessage } from 'ethers'
import {
  createPublicClient,
  createWalletClient,
  defineChain,
  http,
  parseEther,
  publicActions,
  testActions,
  toHex,
  type Address,
  type Hex,
} from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { compile } from '../../test/support/compile.ts'
import { developmentKeys } from '../accounts/development.ts'
import { toHex as hexOf } from '../base/hex.ts'
import { createLog } from '../base/log.ts'
import { completeHome } from '../cli/newHome.ts'
import { homePaths, type Home } from '../config/home.ts'
import { loadConfig } from '../config/load.ts'
import { nodeKeys } from '../config/node.ts'
import { checkHome } from './mend.ts'
import { METHODS } from '../rpc/table.ts'
import { startNode, type RunningNode } from './node.ts'

const accountAt = (index: number) =>
  privateKeyToAccount(hexOf(developmentKeys()[index] ?? new Uint8Array(0)))
const [alice, bob] = [accountAt(0), accountAt(1)]
const STRANGER: Address = '0x00000000000000000000000000000000000a11ce'
/** PUSH0 SLOAD PUSH0 MSTORE PUSH1 32 PUSH0 RETURN */
const READS_SLOT_0 = '0x5f545f5260205ff3'

let home: Home
let node: RunningNode
beforeEach(async () => {
  home = homePaths(fs.mkdtempSync(path.join(os.tmpdir(), 'assay-dev-')))
  await completeHome(home, {}, { isDevelopment: true })
  node = await start()
})
afterEach(async () => {
  await node.close()
  fs.rmSync(home.folder, { recursive: true, force: true })
})

function start(flags: Readonly<Record<string, unknown>> = {}): Promise<RunningNode> {
  const config = loadConfig(nodeKeys, {
    file: path.join(home.folder, 'none.toml'),
    environment: {},
    flags: {
      'dev.enable': true,
      'json-rpc.address': '127.0.0.1:0',
      'json-rpc.ws-address': '127.0.0.1:0',
      'rpc.laddr': 'tcp://127.0.0.1:0',
      ...flags,
    },
  })
  return startNode({
    home,
    config,
    log: createLog('test', 'silent'),
    signal: new AbortController().signal,
    fatal(error) {
      throw error
    },
  })
}

function clientOf(mode: 'hardhat' | 'anvil') {
  const chain = defineChain({
    id: 271_828,
    name: 'Assay',
    nativeCurrency: { name: 'Assay', symbol: 'ASSAY', decimals: 18 },
    rpcUrls: { default: { http: [`${node.addresses.rpc}/ethereum`] } },
  })
  const transport = http(undefined, { retryCount: 0 })
  return createWalletClient({ chain, transport, account: alice, cacheTime: 0 })
    .extend(publicActions)
    .extend(testActions({ mode }))
}

const now = async (client: ReturnType<typeof clientOf>): Promise<bigint> =>
  (await client.getBlock()).timestamp

// Holds D56.
describe.each(['hardhat', 'anvil'] as const)('viem in the mode of %s', (mode) => {
  test('edits of the state are seen at once, and are blocks of their own', async () => {
    const client = clientOf(mode)
    const height = await client.getBlockNumber()
    await client.setBalance({ address: STRANGER, value: parseEther('5') })
    expect(await client.getBalance({ address: STRANGER })).toBe(parseEther('5'))
    await client.setNonce({ address: STRANGER, nonce: 9 })
    expect(await client.getTransactionCount({ address: STRANGER })).toBe(9)
    await client.setCode({ address: STRANGER, bytecode: READS_SLOT_0 })
    await client.setStorageAt({
      address: STRANGER,
      index: toHex(0, { size: 32 }),
      value: toHex(77, { size: 32 }),
    })
    expect(await client.call({ to: STRANGER })).toEqual({ data: toHex(77, { size: 32 }) })
    expect(await client.getBlockNumber()).toBe(height + 4n)
    expect(await client.getBalance({ address: STRANGER, blockNumber: height })).toBe(0n)
  })

  test('time moves as it is told', async () => {
    const client = clientOf(mode)
    const before = await now(client)
    await client.increaseTime({ seconds: 3600 })
    await client.mine({ blocks: 1 })
    const later = await now(client)
    expect(later - before).toBeGreaterThanOrEqual(3600n)
    expect(later - before).toBeLessThan(3660n)
    await client.setNextBlockTimestamp({ timestamp: later + 1000n })
    await client.sendTransaction({ to: bob.address, value: 1n })
    expect(await now(client)).toBe(later + 1000n)
    await client.mine({ blocks: 3, interval: 60 })
    const [third, second] = await Promise.all(
      [0n, 1n].map(async (back) =>
        client.getBlock({ blockNumber: (await client.getBlockNumber()) - back }),
      ),
    )
    expect((third?.timestamp ?? 0n) - (second?.timestamp ?? 0n)).toBe(60n)
    await expect(client.setNextBlockTimestamp({ timestamp: later })).rejects.toThrow(
      "is lower than or equal to previous block's timestamp",
    )
  })

  test('anybody sends in the name of an impersonated account, a contract too', async () => {
    const client = clientOf(mode)
    const send = () =>
      client.sendTransaction({ account: STRANGER, to: bob.address, value: parseEther('1') })
    await expect(send()).rejects.toThrow('unknown account')
    await client.setBalance({ address: STRANGER, value: parseEther('5') })
    await client.setCode({ address: STRANGER, bytecode: READS_SLOT_0 })
    await client.impersonateAccount({ address: STRANGER })
    const before = await client.getBalance({ address: bob.address })
    const hash = await send()
    expect(await client.getTransactionReceipt({ hash })).toMatchObject({
      from: STRANGER,
      status: 'success',
    })
    expect(await client.getBalance({ address: bob.address })).toBe(before + parseEther('1'))
    await client.stopImpersonatingAccount({ address: STRANGER })
    await expect(send()).rejects.toThrow('unknown account')
  })

  test('a snapshot is gone back to: state, blocks, receipts, time, pool and filters', async () => {
    const client = clientOf(mode)
    const token = compile('Token')
    const deployed = await client.getTransactionReceipt({
      hash: await client.deployContract({ ...token, args: [1000n] }),
    })
    const address = deployed.contractAddress ?? '0x'
    const balanceOf = (owner: Address) =>
      client.readContract({ ...token, address, functionName: 'balanceOf', args: [owner] })
    const filter = await client.createBlockFilter()
    const [height, time, id] = [
      await client.getBlockNumber(),
      await now(client),
      await client.snapshot(),
    ]

    const write = { ...token, address, functionName: 'transfer', args: [bob.address, 40n] } as const
    const hash = await client.writeContract(write)
    await client.increaseTime({ seconds: 86_400 })
    await client.mine({ blocks: 30 })
    expect(await balanceOf(bob.address)).toBe(40n)
    const logs = { address, fromBlock: 0n } as const
    expect(await client.getLogs(logs)).toHaveLength(2)

    await client.revert({ id })
    expect(await client.getBlockNumber()).toBe(height)
    expect(await now(client)).toBe(time)
    expect(await balanceOf(bob.address)).toBe(0n)
    await expect(client.getTransactionReceipt({ hash })).rejects.toThrow('could not be found')
    expect(await client.getLogs(logs)).toHaveLength(1)
    expect(await client.getTransactionCount({ address: alice.address, blockTag: 'pending' })).toBe(
      1,
    )

    const again = await client.writeContract({ ...write, args: [bob.address, 7n] })
    expect(await client.getTransactionReceipt({ hash: again })).toMatchObject({
      blockNumber: height + 1n,
    })
    expect(await balanceOf(bob.address)).toBe(7n)
    expect((await now(client)) - time).toBeLessThan(3600n)
    expect(await client.getFilterChanges({ filter })).toEqual([
      (await client.getBlock({ blockNumber: height + 1n })).hash,
    ])
    const trace: unknown = await client.request({
      method: 'debug_traceTransaction' as never,
      params: [again, { tracer: 'callTracer' }] as never,
    })
    expect(trace).toMatchObject({ to: address.toLowerCase() })
  })

  test('blocks wait when automining is off, and a transaction can be dropped', async () => {
    const client = clientOf(mode)
    await client.setAutomine(false)
    const height = await client.getBlockNumber()
    const dropped = await client.sendTransaction({ to: bob.address, value: 1n })
    await client.dropTransaction({ hash: dropped })
    const kept = await client.sendTransaction({ to: bob.address, value: 2n })
    expect(await client.getBlockNumber()).toBe(height)
    await client.setNextBlockBaseFeePerGas({ baseFeePerGas: 1_500_000_000n })
    await client.mine({ blocks: 1 })
    const block = await client.getBlock()
    expect(block.transactions).toEqual([kept])
    expect(block.baseFeePerGas).toBe(1_500_000_000n)
  })
})

test('the next block, and all that follow, have what they are told', async () => {
  const client = clientOf('hardhat')
  const call = (method: string, ...params: readonly unknown[]): Promise<unknown> =>
    client.request({ method: method as never, params: params as never })
  const randao = `0x${'5a'.repeat(32)}`
  await client.setCoinbase({ address: STRANGER })
  await client.setBlockGasLimit({ gasLimit: 20_000_000n })
  await call('hardhat_setPrevRandao', randao)
  await client.sendTransaction({ to: bob.address, value: 1n, maxPriorityFeePerGas: 7n })
  const block = await client.getBlock()
  expect(block).toMatchObject({
    miner: STRANGER,
    gasLimit: 20_000_000n,
    mixHash: randao,
    transactions: { length: 1 },
  })
  expect(await client.getBalance({ address: STRANGER })).toBe(7n * 21_000n)
  expect(await call('eth_coinbase')).toBe(STRANGER)
  await client.mine({ blocks: 1 })
  const next = await client.getBlock()
  expect(next).toMatchObject({ miner: STRANGER, gasLimit: 20_000_000n })
  expect(next.mixHash).not.toBe(randao)
  expect(await client.call({ data: '0x445f5260205ff3', blockNumber: block.number ?? 0n })).toEqual({
    data: randao,
  })
  await client.reset()
  await client.mine({ blocks: 1 })
  expect(await client.getBlock()).toMatchObject({ gasLimit: 30_000_000n })
  await expect(client.setMinGasPrice({ gasPrice: 1n })).rejects.toThrow('EIP-1559')
  await expect(client.setBlockGasLimit({ gasLimit: 1n })).rejects.toThrow('at least 5000')
})

test('anvil sets the time between blocks, empties the pool, adds to balances and takes blocks back', async () => {
  const client = clientOf('anvil')
  const call = (method: string, ...params: readonly unknown[]): Promise<unknown> =>
    client.request({ method: method as never, params: params as never })
  await client.setBlockTimestampInterval({ interval: 90 })
  await client.mine({ blocks: 1 })
  const before = await now(client)
  await client.mine({ blocks: 2 })
  expect((await now(client)) - before).toBe(180n)
  expect(await call('anvil_removeBlockTimestampInterval')).toBe(true)
  expect(await call('anvil_removeBlockTimestampInterval')).toBe(false)

  expect(await call('anvil_setTime', `0x${(before + 5000n).toString(16)}`)).toBe('0x12d4')
  await client.mine({ blocks: 1 })
  expect((await now(client)) - before).toBeGreaterThanOrEqual(5000n)

  await client.setAutomine(false)
  const others = [alice, bob].map((account) =>
    client.sendTransaction({ account, to: STRANGER, value: 1n }),
  )
  await Promise.all(others)
  await call('anvil_removePoolTransactions', bob.address)
  expect(await client.getTxpoolStatus()).toEqual({ pending: 1, queued: 0 })
  await call('anvil_dropAllTransactions')
  expect(await client.getTxpoolStatus()).toEqual({ pending: 0, queued: 0 })

  await call('anvil_addBalance', STRANGER, '0x5')
  await call('anvil_addBalance', STRANGER, '0x6')
  expect(await client.getBalance({ address: STRANGER })).toBe(11n)
  const height = await client.getBlockNumber()
  await call('anvil_rollback', 1)
  expect(await client.getBalance({ address: STRANGER })).toBe(5n)
  expect(await call('anvil_metadata')).toMatchObject({
    chainId: 271_828,
    latestBlockNumber: Number(height) - 1,
  })
  await call('anvil_setIntervalMining', 5)
  expect(await call('anvil_getIntervalMining')).toBe(5)
  // Longer than a timer of Node can be: it must not fire at once.
  await call('anvil_setIntervalMining', 2 ** 33)
  const last = Number(await call('eth_blockNumber'))
  for (let block = 0; block < 5; block++) await call('evm_mine')
  expect(Number(await call('eth_blockNumber'))).toBe(last + 5)
  await call('anvil_setIntervalMining', 0)
  expect(await call('anvil_getIntervalMining')).toBeNull()
})

test('the owner of the rewards is set at once, since a block is made for it', async () => {
  await node.close()
  node = await start({ 'json-rpc.private': 'open' })
  const wallet = createWalletClient({ transport: http(node.addresses.rpc) })
  const call = (method: string, ...params: readonly unknown[]): Promise<unknown> =>
    wallet.request({ method: method as never, params: params as never })
  expect(await call('miner_setEtherbase', STRANGER)).toBe(true)
})

test('the chain holds together: its blocks are executed again by the check, edits and all', async () => {
  const client = clientOf('anvil')
  const id = await client.snapshot()
  await client.setBalance({ address: STRANGER, value: parseEther('9') })
  await client.revert({ id })
  await client.setBalance({ address: STRANGER, value: parseEther('5') })
  await client.impersonateAccount({ address: STRANGER })
  const hash = await client.sendTransaction({ account: STRANGER, to: bob.address, value: 3n })
  await client.setNextBlockBaseFeePerGas({ baseFeePerGas: 2_000_000_000n })
  await client.setCoinbase({ address: STRANGER })
  await client.setBlockGasLimit({ gasLimit: 21_000_000n })
  await client.sendTransaction({ to: bob.address, value: 4n })
  await node.close()

  const report = await checkHome(home, true, () => undefined)
  expect(report.faults).toEqual([])
  expect(report.notExecuted).toBeUndefined()

  // Also when edits are no longer allowed.
  node = await start({ 'dev.enable': false })
  const reader = createPublicClient({ transport: http(node.addresses.rpc) })
  expect(await reader.getTransactionReceipt({ hash })).toMatchObject({ from: STRANGER })
  const wallet = createWalletClient({ transport: http(node.addresses.rpc) })
  await expect(
    wallet.request({ method: 'evm_snapshot' as never, params: [] as never }),
  ).rejects.toThrow('does not exist')
})

// Holds D56.
test('dev.enable is refused where strangers could use it, and on other chains', async () => {
  await expect(start({ 'json-rpc.address': '0.0.0.0:0' })).rejects.toThrow('loopback')
  await expect(start({ 'priv-validator-laddr': 'tcp://127.0.0.1:26659' })).rejects.toThrow(
    'which no remote signer does',
  )
  const other = homePaths(fs.mkdtempSync(path.join(os.tmpdir(), 'assay-dev-')))
  await node.close()
  fs.rmSync(home.folder, { recursive: true })
  home = other
  await completeHome(home)
  await expect(start()).rejects.toThrow('not created for development')
  node = await start({ 'dev.enable': false })
})

/** As `assay up --dev` starts it. */
async function restartUnlocked(): Promise<void> {
  await node.close()
  node = await start({ 'accounts.unlock-development': true })
}

// Holds D65.
test('ethers and viem sign messages with an unlocked account of the node', async () => {
  await restartUnlocked()
  const provider = new JsonRpcProvider(node.addresses.rpc, undefined, { staticNetwork: false })
  const signer = await provider.getSigner(alice.address)
  const signature = await signer.signMessage('hello')
  provider.destroy()
  expect(verifyMessage('hello', signature)).toBe(alice.address)
  const client = clientOf('hardhat')
  expect(await client.signMessage({ account: alice.address, message: 'hello' })).toBe(signature)
})

// Holds D65.
test('with a passphrase, for an account that is not unlocked, and elsewhere personal_sign stays private', async () => {
  await restartUnlocked()
  const ask = async (...params: readonly unknown[]) => {
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'personal_sign', params })
    const headers = { 'content-type': 'application/json' }
    const response = await fetch(node.addresses.rpc, { method: 'POST', headers, body })
    const { error } = (await response.json()) as { error?: { code: number } }
    return { status: response.status, code: error?.code }
  }
  const refused = { status: 401, code: 4100 }
  expect(await ask('0x00', alice.address, '')).toEqual(refused)
  expect(await ask('0x00', alice.address, null)).toEqual(refused)
  expect(await ask('0x00', STRANGER)).toEqual(refused)
  expect(await ask('0x00', 7)).toEqual(refused)
  expect(await ask('0x00')).toEqual(refused)
  expect(await ask('0x00', alice.address)).toEqual({ status: 200, code: undefined })
  expect(METHODS.personal_sign?.isPublic).toBeUndefined()
})

/** Code that reverts before a time: TIMESTAMP PUSH4 GT ISZERO PUSH1 JUMPI PUSH0 PUSH0 REVERT JUMPDEST STOP. */
const dueAt = (time: bigint): Hex =>
  `0x4263${time.toString(16).padStart(8, '0')}1115600e575f5ffd5b00`

// Hardhat 2.26 answers so: what becomes due in the next block is estimated there, and called in the last one.
test('an estimate that names no block runs in the next one, a call in the last one', async () => {
  const client = clientOf('hardhat')
  const due = (await now(client)) + 5000n
  await client.setCode({ address: STRANGER, bytecode: dueAt(due) })
  const estimate = (block?: 'latest' | 'pending') =>
    client.request({
      method: 'eth_estimateGas',
      params: block ? [{ to: STRANGER }, block] : [{ to: STRANGER }],
    })
  await expect(estimate()).rejects.toThrow('reverted')
  await client.setNextBlockTimestamp({ timestamp: due })
  expect(BigInt(await estimate())).toBeGreaterThan(21_000n)
  expect(await estimate('pending')).toBe(await estimate())
  await expect(estimate('latest')).rejects.toThrow('reverted')
  await expect(client.call({ to: STRANGER })).rejects.toThrow('reverted')
  expect(await client.call({ to: STRANGER, blockTag: 'pending' })).toEqual({ data: undefined })
  const hash = await client.sendTransaction({ to: STRANGER })
  expect(await client.getTransactionReceipt({ hash })).toMatchObject({ status: 'success' })
})

test('a chain for development may follow an older fork', async () => {
  await node.close()
  fs.rmSync(home.folder, { recursive: true, force: true })
  await completeHome(home, {}, { isDevelopment: true, hardfork: 'cancun' })
  node = await start()
  const client = clientOf('hardhat')
  // Below the floor price of Prague (EIP-7623): 21,000 and 40 for each of 100 bytes.
  const hash = await client.sendTransaction({
    to: bob.address,
    data: `0x${'ff'.repeat(100)}`,
    gas: 23_000n,
  })
  expect(await client.getTransactionReceipt({ hash })).toMatchObject({ status: 'success' })
})
