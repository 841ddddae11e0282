import { afterAll, beforeAll, expect, test } from 'vitest'
import { newHome, startAssay, type Running } from '../support/assay.ts'
import { compile } from '../support/compile.ts'
import { install, requireFrom } from '../support/installed.ts'

type Receipt = { readonly status: number; readonly blockNumber: number }
type Sent = { readonly hash: string; wait(): Promise<Receipt> }
type Contract = {
  readonly address: string
  readonly deployTransaction: Sent
  readonly callStatic: Record<string, (...values: unknown[]) => Promise<unknown>>
  transfer(to: string, amount: number): Promise<Sent>
  balanceOf(owner: string): Promise<{ toNumber(): number }>
  queryFilter(event: string, from: number, to: number): Promise<readonly object[]>
}
type Provider = {
  pollingInterval: number
  getNetwork(): Promise<{ chainId: number }>
  getBlock(tag: string): Promise<{ difficulty: number; hash: string }>
  getFeeData(): Promise<{ maxFeePerGas: { gt(other: number): boolean } }>
  getSigner(index: number): { sendTransaction(transaction: object): Promise<Sent> }
  destroy?(): Promise<void>
  removeAllListeners(): void
  once(event: 'block', listener: (height: number) => void): void
}
/** As much of ethers 5 as is used here. */
type Ethers = {
  readonly providers: {
    readonly JsonRpcProvider: new (url: string) => Provider
    readonly WebSocketProvider: new (url: string) => Provider
  }
  readonly Wallet: new (key: string, provider: Provider) => object
  readonly ContractFactory: new (
    abi: unknown,
    code: string,
    signer: object,
  ) => { deploy(...values: unknown[]): Promise<Contract> }
}

let running: Running
let ethers: Ethers
let provider: Provider
beforeAll(async () => {
  running = await startAssay(newHome())
  const folder = await install('ethers5', { ethers: '5.8.0' })
  ethers = (requireFrom(folder, 'ethers') as { ethers: Ethers }).ethers
  provider = new ethers.providers.JsonRpcProvider(running.up.ethereum)
  provider.pollingInterval = 50
})
afterAll(async () => {
  provider.removeAllListeners()
  await running.stop()
})

async function deploy(): Promise<Contract> {
  const { abi, bytecode } = compile('Token')
  const wallet = new ethers.Wallet(running.up.accounts[1]?.privateKey ?? '', provider)
  const contract = await new ethers.ContractFactory(abi, bytecode, wallet).deploy(500)
  await contract.deployTransaction.wait()
  return contract
}

test('ethers 5 reads network, blocks and fees', async () => {
  expect((await provider.getNetwork()).chainId).toBe(running.up.chainId)
  expect((await provider.getBlock('latest')).hash).toMatch(/^0x[0-9a-f]{64}$/)
  expect((await provider.getFeeData()).maxFeePerGas.gt(0)).toBe(true)
})

test('ethers 5 deploys an ERC-20, transfers, finds the log and reads a revert', async () => {
  const contract = await deploy()
  const to = running.up.accounts[2]?.address ?? ''
  const receipt = await (await contract.transfer(to, 7)).wait()
  expect(receipt.status).toBe(1)
  expect((await contract.balanceOf(to)).toNumber()).toBe(7)
  const { blockNumber } = receipt
  expect(await contract.queryFilter('Transfer', blockNumber, blockNumber)).toHaveLength(1)
  await expect(contract.callStatic['fail']?.('no luck')).rejects.toMatchObject({
    reason: 'no luck',
  })
})

test('ethers 5 sends with an account of the node, and hears of blocks over WebSocket', async () => {
  const { address } = running.up.accounts[3] ?? { address: '' }
  const sent = await provider.getSigner(0).sendTransaction({ to: address, value: 5 })
  expect((await sent.wait()).status).toBe(1)
  const socket = new ethers.providers.WebSocketProvider(running.up.wsEthereum)
  const height = await new Promise<number>((resolve) => socket.once('block', resolve))
  expect(height).toBeGreaterThan(0)
  await socket.destroy?.()
})
