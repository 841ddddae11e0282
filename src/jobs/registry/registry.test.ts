/** The contracts on a real chain: viem and our own client must see the same. */
import {
  createPublicClient,
  createWalletClient,
  defineChain,
  http,
  parseEther,
  type Hex,
} from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startTestChain, type TestChain } from '../../../test/support/chainNode.ts'
import { developmentKeys } from '../../accounts/development.ts'
import { fromHex, toHex } from '../../base/hex.ts'
import { addressOfPrivateKey, publicKeyOf } from '../../base/secp256k1.ts'
import { RECEIPTS_ADDRESS, REGISTRY_ADDRESS } from '../../config/contracts.ts'
import { JobReceipts, OperatorRegistry } from '../../generated/contracts.ts'
import { sendTransaction, TransactionError } from '../onchain/account.ts'
import { connectChain, type EvmChain } from '../onchain/chain.ts'
import { jsonRpcCaller } from '../onchain/jsonRpc.ts'
import { receiptsContract } from './receipts.ts'
import {
  operatorRecord,
  registerCall,
  registeredRange,
  requestWithdrawalCall,
  updateCall,
  withdrawCall,
} from './registry.ts'

const { signal } = new AbortController()
const registry = fromHex(REGISTRY_ADDRESS)
const key = developmentKeys()[0] as Uint8Array
const address = addressOfPrivateKey(key)
const [poor, other, third] = [4, 5, 6].map((at) => developmentKeys()[at] as Uint8Array)

let node: TestChain
let chain: EvmChain

beforeAll(async () => {
  node = await startTestChain()
  chain = connectChain(node.rpc, signal)
})

afterAll(() => node.stop())

const send = (data: Uint8Array, value = 0n, from = key) =>
  sendTransaction(chain, from, { to: registry, data, value }, signal)

const PART = { start: 0, end: 300_000, types: ['opml'] } as const

// Holds D33.
test('an operator registers with stake, changes its part, and is active while its stake covers it', async () => {
  expect(await registeredRange(chain, registry, address)).toBeUndefined()
  expect(await operatorRecord(chain, registry, address)).toBeUndefined()
  await expect(send(registerCall(PART, key), parseEther('29'))).rejects.toThrow(TransactionError)
  await send(registerCall(PART, key), parseEther('30'))
  expect(await registeredRange(chain, registry, address)).toEqual({
    start: 0,
    end: 300_000,
    max: 600_000,
  })
  await expect(send(registerCall(PART, key), parseEther('30'))).rejects.toThrow(TransactionError)
  await send(updateCall({ start: 100_000, end: 500_000, types: ['opml', 'tee'] }), parseEther('10'))
  expect(await operatorRecord(chain, registry, address)).toEqual({
    start: 100_000,
    end: 500_000,
    types: ['opml', 'tee'],
    withdrawableAt: 0,
    stake: parseEther('40'),
    withdrawing: 0n,
    isActive: true,
  })
})

test('the key of the draws must be the sender’s, and parts lie on the line', async () => {
  const attempts = [
    send(registerCall(PART, key), parseEther('30'), poor),
    send(registerCall({ ...PART, end: 600_001 }, other as Uint8Array), parseEther('70'), other),
    send(registerCall({ ...PART, start: 9, end: 9 }, other as Uint8Array), 0n, other),
    send(registerCall({ ...PART, types: [] }, other as Uint8Array), parseEther('30'), other),
    send(updateCall(PART), 0n, other),
    send(withdrawCall(), 0n, other),
  ]
  for (const attempt of attempts) await expect(attempt).rejects.toThrow(TransactionError)
})

test('stake comes back after the delay, and not before', async () => {
  await send(registerCall(PART, other as Uint8Array), parseEther('31'), other)
  await send(requestWithdrawalCall(parseEther('31')), 0n, other)
  const operator = addressOfPrivateKey(other as Uint8Array)
  expect(await operatorRecord(chain, registry, operator)).toMatchObject({
    isActive: false,
    withdrawing: parseEther('31'),
  })
  expect(await registeredRange(chain, registry, operator)).toBeUndefined()
  await expect(send(withdrawCall(), 0n, other)).rejects.toThrow('rejected')
  await expect(send(requestWithdrawalCall(1n), 0n, other)).rejects.toThrow('rejected')

  // Three days later, which the node simulates.
  const now = Math.floor(Date.now() / 1000)
  const call = { from: toHex(operator), to: REGISTRY_ADDRESS, data: toHex(withdrawCall()) }
  // The first simulation starts a thread, which may take longer than an operator waits for its chain.
  const ask = jsonRpcCaller(new URL(node.rpc), 'the chain', { deadline: signal, answerMs: 60_000 })
  const after = (seconds: number) =>
    ask('eth_simulateV1', [
      {
        blockStateCalls: [{ blockOverrides: { time: toHexNumber(now + seconds) }, calls: [call] }],
      },
      'latest',
    ])
  expect(await after(3 * 86_400 - 60)).toMatchObject([{ calls: [{ status: '0x0' }] }])
  expect(await after(3 * 86_400 + 60)).toMatchObject([{ calls: [{ status: '0x1' }] }])
})

const toHexNumber = (value: number): Hex => `0x${value.toString(16)}`

// Holds D33a.
test('only the anchorer that a dispatcher appointed adds roots, in order, and none is changed', async () => {
  const keys = { dispatcher: poor as Uint8Array, anchor: third as Uint8Array }
  const receipts = receiptsContract(chain, fromHex(RECEIPTS_ADDRESS), keys, signal)
  const root = (byte: number) => new Uint8Array(32).fill(byte)
  const first = { interval: 1n, root: root(1), count: 3, previous: root(0) }
  await expect(receipts.anchor(first)).rejects.toThrow('rejected')
  await receipts.appoint()
  await receipts.appoint()
  await receipts.anchor(first)
  for (const wrong of [
    first,
    { ...first, interval: 3n, previous: root(1) },
    { ...first, interval: 2n, previous: root(9) },
    { ...first, interval: 2n, previous: root(1), count: 0 },
    { ...first, interval: 2n, previous: root(1), root: root(0) },
  ])
    await expect(receipts.anchor(wrong)).rejects.toThrow('rejected')
  await receipts.anchor({ interval: 2n, root: root(2), count: 1, previous: root(1) })
  expect(await receipts.lastInterval()).toBe(2n)
  expect(await receipts.anchorAt(1n)).toEqual({ root: root(1), count: 3 })

  const stranger = { dispatcher: poor as Uint8Array, anchor: other as Uint8Array }
  const elsewhere = receiptsContract(chain, fromHex(RECEIPTS_ADDRESS), stranger, signal)
  await expect(
    elsewhere.anchor({ interval: 3n, root: root(3), count: 1, previous: root(2) }),
  ).rejects.toThrow('rejected')
})

test('other tools deploy and read the contracts by their ABI, and see the events', async () => {
  const definition = defineChain({
    id: Number(await chain.chainId()),
    name: 'Assay',
    nativeCurrency: { name: 'Assay', symbol: 'ASSAY', decimals: 18 },
    rpcUrls: { default: { http: [node.rpc] } },
  })
  const account = privateKeyToAccount(toHex(third as Uint8Array))
  const reader = createPublicClient({ chain: definition, transport: http(), pollingInterval: 50 })
  const wallet = createWalletClient({ chain: definition, transport: http(), account })
  const hash = await wallet.deployContract({
    abi: OperatorRegistry.abi,
    bytecode: OperatorRegistry.bytecode,
  })
  const { contractAddress: contract } = await reader.waitForTransactionReceipt({ hash })
  if (contract === null || contract === undefined) throw new Error('nothing was created')
  const publicKey = toHex(publicKeyOf(third as Uint8Array)).slice(4)
  const registered = await wallet.writeContract({
    address: contract,
    abi: OperatorRegistry.abi,
    functionName: 'register',
    args: [5, 10, 2, `0x${publicKey.slice(0, 64)}`, `0x${publicKey.slice(64)}`],
    value: parseEther('1'),
  })
  await reader.waitForTransactionReceipt({ hash: registered })
  const own = addressOfPrivateKey(third as Uint8Array)
  expect(await operatorRecord(chain, fromHex(contract), own)).toMatchObject({
    start: 5,
    end: 10,
    types: ['tee'],
  })
  const events = await reader.getContractEvents({
    address: contract,
    abi: OperatorRegistry.abi,
    fromBlock: 0n,
  })
  expect(events.map(({ eventName }) => eventName)).toEqual(['OperatorRegistered', 'StakeChanged'])
  const anchored = await reader.getContractEvents({
    address: RECEIPTS_ADDRESS,
    abi: JobReceipts.abi,
    eventName: 'Anchored',
    fromBlock: 0n,
  })
  expect(anchored.map(({ args }) => [args.interval, args.count])).toEqual([
    [1n, 3n],
    [2n, 1n],
  ])
})
