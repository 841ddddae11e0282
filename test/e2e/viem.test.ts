import {
  createPublicClient,
  createWalletClient,
  defineChain,
  http,
  keccak256,
  parseAbiItem,
  parseEther,
  webSocket,
  type Address,
  type Log,
} from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import * as chains from 'viem/chains'
import { expect, inject, test } from 'vitest'
import { eventually } from '../support/assay.ts'
import { compile } from '../support/compile.ts'
import { verifyAccountProof } from '../support/proof.ts'

const up = inject('up')
const chain = defineChain({
  id: up.chainId,
  name: 'Assay',
  nativeCurrency: { name: 'Assay', symbol: 'ASSAY', decimals: 18 },
  rpcUrls: { default: { http: [up.rpc], webSocket: [up.ws] } },
})
const account = privateKeyToAccount(up.accounts[0]!.privateKey)
const STAKING = '0x0000000000000000000000000000000000001001'
const recipient = up.accounts[1]!.address
// A number of before the receipt that was just waited for would be the state of before.
const client = createPublicClient({ chain, transport: http(), pollingInterval: 50, cacheTime: 0 })
const wallet = createWalletClient({ chain, account, transport: http() })
const token = compile('Token')
const transferEvent = parseAbiItem(
  'event Transfer(address indexed from, address indexed to, uint256 value)',
)

async function deployToken(): Promise<Address> {
  const hash = await wallet.deployContract({ ...token, args: [1_000_000n] })
  const receipt = await client.waitForTransactionReceipt({ hash })
  expect(receipt.status).toBe('success')
  return receipt.contractAddress!
}

// Holds D2.
test('the chain id is 271828 and belongs to nobody in the list of known chains', async () => {
  expect(await client.getChainId()).toBe(271_828)
  expect(Object.values(chains).some((known) => 'id' in known && known.id === up.chainId)).toBe(
    false,
  )
})

test('a transfer of the base currency arrives, with its tip paid to the proposer and its base fee to the stakers', async () => {
  const before = await client.getBalance({ address: recipient })
  const hash = await wallet.sendTransaction({ to: recipient, value: parseEther('1') })
  const receipt = await client.waitForTransactionReceipt({ hash })
  expect(receipt.gasUsed).toBe(21_000n)
  expect(await client.getBalance({ address: recipient })).toBe(before + parseEther('1'))
  const block = await client.getBlock({ blockNumber: receipt.blockNumber })
  const earnedBy = async (address: Address) => {
    const [after, before] = await Promise.all(
      [0n, 1n].map((back) =>
        client.getBalance({ address, blockNumber: receipt.blockNumber - back }),
      ),
    )
    return after! - before!
  }
  const baseFee = block.baseFeePerGas!
  const tip = receipt.effectiveGasPrice - baseFee
  expect(tip).toBeGreaterThan(0n)
  expect(await earnedBy(block.miner)).toBe(receipt.gasUsed * tip)
  expect(await earnedBy(STAKING)).toBe(block.gasUsed * baseFee)
})

test('an ERC-20 compiled by solc is deployed, transferred, and its logs are found by filter and by subscription', async () => {
  const address = await deployToken()
  const seen: Log[] = []
  const socket = createPublicClient({ chain, transport: webSocket(up.ws) })
  const unwatch = socket.watchEvent({
    address,
    event: transferEvent,
    onLogs: (logs) => seen.push(...logs),
  })
  await eventually(async () => ((await socket.getBlockNumber()) > 0n ? true : undefined))

  const hash = await wallet.writeContract({
    address,
    abi: token.abi,
    functionName: 'transfer',
    args: [recipient, 42n],
  })
  const receipt = await client.waitForTransactionReceipt({ hash })
  expect(receipt.status).toBe('success')
  expect(
    await client.readContract({
      address,
      abi: token.abi,
      functionName: 'balanceOf',
      args: [recipient],
    }),
  ).toBe(42n)

  const logs = await client.getLogs({
    address,
    event: transferEvent,
    args: { to: recipient },
    fromBlock: 0n,
  })
  expect(logs.map((log) => [log.args.value, log.transactionHash])).toEqual([[42n, hash]])
  const filter = await client.createEventFilter({
    address,
    event: transferEvent,
    fromBlock: receipt.blockNumber,
  })
  expect(await client.getFilterLogs({ filter })).toHaveLength(1)

  const live = await eventually(() => seen[0])
  expect(live.transactionHash).toBe(hash)
  expect(live.logIndex).toBe(logs[0]!.logIndex)
  unwatch()
})

test('a revert comes back with its reason, from a call and from an estimate', async () => {
  const address = await deployToken()
  const call = {
    address,
    abi: token.abi,
    functionName: 'fail',
    args: ['out of tokens'],
    account,
  } as const
  await expect(client.readContract(call)).rejects.toThrow('out of tokens')
  await expect(client.estimateContractGas(call)).rejects.toThrow('out of tokens')
})

test('a transaction that reverts is included with status 0 and pays its gas', async () => {
  const address = await deployToken()
  const hash = await wallet.writeContract({
    address,
    abi: token.abi,
    functionName: 'fail',
    args: ['x'],
    gas: 100_000n,
  })
  const receipt = await client.waitForTransactionReceipt({ hash })
  expect(receipt.status).toBe('reverted')
  expect(receipt.logs).toEqual([])
})

test('proofs of accounts and slots verify against the state root of their block', async () => {
  const address = await deployToken()
  const blockNumber = await client.getBlockNumber()
  const block = await client.getBlock({ blockNumber })
  const slots = [`0x${'0'.repeat(63)}2`, `0x${'7'.repeat(64)}`] as const
  const proof = await client.getProof({ address, storageKeys: [...slots], blockNumber })
  expect(await verifyAccountProof(block.stateRoot, proof)).toBe(true)
  expect(proof.storageProof[0]!.value).toBe(1_000_000n)
  expect(proof.storageProof[1]!.value).toBe(0n)
  const nobody = await client.getProof({
    address: `0x${'9'.repeat(40)}`,
    storageKeys: [],
    blockNumber,
  })
  expect(await verifyAccountProof(block.stateRoot, nobody)).toBe(true)
  expect(nobody.codeHash).toBe(keccak256('0x'))
})

test('transactions of every type are mined, with the sender that signed them', async () => {
  const fees = await client.estimateFeesPerGas()
  const delegate = await deployToken()
  const authorizer = privateKeyToAccount(up.accounts[7]!.privateKey)
  const authorization = await createWalletClient({
    chain,
    account: authorizer,
    transport: http(),
  }).signAuthorization({
    contractAddress: delegate,
  })
  const accessList = [{ address: delegate, storageKeys: [`0x${'0'.repeat(64)}`] }] as const
  const hashes = [
    await wallet.sendTransaction({ type: 'legacy', to: recipient, value: 1n }),
    await wallet.sendTransaction({
      type: 'eip2930',
      to: recipient,
      accessList: [...accessList],
      gasPrice: fees.maxFeePerGas,
    }),
    await wallet.sendTransaction({ type: 'eip1559', to: recipient, accessList: [...accessList] }),
    await wallet.sendTransaction({
      type: 'eip7702',
      to: recipient,
      authorizationList: [authorization],
    }),
  ]
  for (const [index, type] of ['legacy', 'eip2930', 'eip1559', 'eip7702'].entries()) {
    const receipt = await client.waitForTransactionReceipt({ hash: hashes[index]! })
    const transaction = await client.getTransaction({ hash: hashes[index]! })
    expect([transaction.type, receipt.type, transaction.from]).toEqual([
      type,
      type,
      account.address.toLowerCase(),
    ])
  }
  expect(await client.getCode({ address: authorizer.address })).toBe(`0xef0100${delegate.slice(2)}`)
})

test('a nonce gap waits, and is mined once it is filled', async () => {
  const sender = createWalletClient({
    chain,
    account: privateKeyToAccount(up.accounts[8]!.privateKey),
    transport: http(),
  })
  const nonce = await client.getTransactionCount({ address: sender.account.address })
  const later = await sender.sendTransaction({ to: recipient, value: 2n, nonce: nonce + 1 })
  expect(
    await client.getTransactionCount({ address: sender.account.address, blockTag: 'pending' }),
  ).toBe(nonce)
  const first = await sender.sendTransaction({ to: recipient, value: 1n, nonce })
  for (const hash of [first, later]) await client.waitForTransactionReceipt({ hash })
  expect(await client.getTransactionCount({ address: sender.account.address })).toBe(nonce + 2)
})

test('new heads arrive over WebSocket with hashes that eth_getBlockByHash finds', async () => {
  const socket = createPublicClient({ chain, transport: webSocket(up.ws) })
  const hashes: string[] = []
  const unwatch = socket.watchBlocks({ onBlock: (block) => hashes.push(block.hash) })
  const hash = await eventually(() => hashes[1])
  expect((await client.getBlock({ blockHash: hash as `0x${string}` })).hash).toBe(hash)
  unwatch()
})
