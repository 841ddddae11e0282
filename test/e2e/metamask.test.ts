/** What MetaMask asks a network that it adds, and for a transfer, in its order and with its kind of ids. */
import { privateKeyToAccount } from 'viem/accounts'
import { expect, inject, test } from 'vitest'
import { eventually } from '../support/assay.ts'

const up = inject('up')
const account = privateKeyToAccount(up.accounts[5]?.privateKey ?? '0x')
const recipient = up.accounts[4]?.address ?? '0x'
/** Where MetaMask looks for many balances at once; it is in genesis (D52). */
const MULTICALL3 = '0xca11bde05977b3631167028862be2a173976ca11'
let id = 4_217_603_920_182

async function ask(method: string, ...params: readonly unknown[]): Promise<unknown> {
  id++
  const response = await fetch(up.ethereum, {
    method: 'POST',
    headers: { 'content-type': 'application/json', accept: 'application/json' },
    body: JSON.stringify({ id, jsonrpc: '2.0', method, params }),
  })
  expect(response.status).toBe(200)
  const answer = (await response.json()) as { id: number; result?: unknown; error?: unknown }
  expect(answer).toMatchObject({ id, jsonrpc: '2.0' })
  expect(answer.error).toBeUndefined()
  return answer.result
}

test('a network is added: its chain id, network id and last block', async () => {
  expect(await ask('eth_chainId')).toBe(`0x${up.chainId.toString(16)}`)
  expect(await ask('net_version')).toBe(String(up.chainId))
  const height = await ask('eth_blockNumber')
  // It decides by the base fee whether the network has EIP-1559.
  expect(await ask('eth_getBlockByNumber', height, false)).toMatchObject({
    number: height,
    baseFeePerGas: expect.stringMatching(/^0x[1-9a-f]/) as string,
    difficulty: '0x0',
  })
})

test('an account is shown: its balance, alone and through Multicall3', async () => {
  const balance = await ask('eth_getBalance', account.address, 'latest')
  expect(BigInt(balance as string)).toBeGreaterThan(0n)
  expect(await ask('eth_getCode', MULTICALL3, 'latest')).not.toBe('0x')
  // getEthBalance(address)
  const data = `0x4d2301cc${account.address.slice(2).toLowerCase().padStart(64, '0')}`
  expect(BigInt((await ask('eth_call', { to: MULTICALL3, data }, 'latest')) as string)).toBe(
    BigInt(balance as string),
  )
})

test('a transfer is prepared, signed by the wallet, sent and followed to its receipt', async () => {
  const { address } = account
  expect(await ask('eth_getCode', recipient, 'latest')).toBe('0x')
  const block = (await ask('eth_getBlockByNumber', 'latest', false)) as { gasLimit: string }
  const transfer = { from: address, to: recipient, value: '0x1', data: '0x' }
  const cap = `0x${((BigInt(block.gasLimit) * 95n) / 100n).toString(16)}`
  const gas = (await ask('eth_estimateGas', { ...transfer, gas: cap, gasPrice: '0x0' })) as string
  expect(gas).toBe('0x5208')
  const history = (await ask('eth_feeHistory', '0x5', 'latest', [10, 20, 30])) as {
    baseFeePerGas: string[]
    reward: string[][]
  }
  expect(history.baseFeePerGas.length).toBe(history.reward.length + 1)
  expect(BigInt((await ask('eth_gasPrice')) as string)).toBeGreaterThan(0n)
  const nonce = Number(await ask('eth_getTransactionCount', address, 'pending'))
  const baseFee = BigInt(history.baseFeePerGas.at(-1) ?? '0x0')
  const raw = await account.signTransaction({
    chainId: up.chainId,
    nonce,
    to: recipient,
    value: 1n,
    gas: BigInt(gas),
    maxPriorityFeePerGas: 1_500_000_000n,
    maxFeePerGas: baseFee * 2n + 1_500_000_000n,
  })
  const hash = await ask('eth_sendRawTransaction', raw)
  const receipt = await eventually(
    async () =>
      ((await ask('eth_getTransactionReceipt', hash)) as { blockHash: string } | null) ?? undefined,
  )
  expect(await ask('eth_getBlockByHash', receipt.blockHash, false)).toMatchObject({
    hash: receipt.blockHash,
  })
  expect(await ask('eth_getTransactionByHash', hash)).toMatchObject({ type: '0x2', gas })
  expect(Number(await ask('eth_getTransactionCount', address, 'latest'))).toBe(nonce + 1)
})
