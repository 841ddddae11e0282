import { afterAll, beforeAll, expect, test } from 'vitest'
import { newHome, startAssay, type Running } from '../support/assay.ts'
import { compile } from '../support/compile.ts'
import { install, requireFrom } from '../support/installed.ts'

type Receipt = { readonly status: bigint; readonly blockNumber: bigint }
type Call = {
  call(options?: object): Promise<unknown>
  send(options: object): Promise<Receipt>
  estimateGas(options: object): Promise<bigint>
}
type Contract = {
  readonly methods: Readonly<Record<string, (...values: unknown[]) => Call>>
  deploy(options: object): { send(options: object): Promise<Contract> }
  getPastEvents(name: string, options: object): Promise<readonly object[]>
}
/** As much of web3 4 as is used here. */
type Web3 = {
  readonly eth: {
    readonly accounts: {
      readonly wallet: { add(key: string): void }
      recover(message: string, signature: string): string
    }
    readonly Contract: new (abi: unknown) => Contract
    getChainId(): Promise<bigint>
    getBlock(tag: string, full: boolean): Promise<{ number: bigint; transactions?: unknown[] }>
    getAccounts(): Promise<readonly string[]>
    getProof(address: string, keys: string[], block: string): Promise<{ balance: bigint }>
    getFeeHistory(count: number, block: string, rewards: number[]): Promise<object>
    isSyncing(): Promise<boolean>
    sign(message: string, account: string): Promise<string>
    sendTransaction(transaction: object): Promise<Receipt>
    subscribe(kind: string): Promise<{
      on(event: 'data', listener: (head: { number: bigint }) => void): void
      unsubscribe(): Promise<void>
    }>
  }
  readonly provider: { disconnect?(): void }
}

let running: Running
let Web3: new (url: string) => Web3
let web3: Web3
beforeAll(async () => {
  running = await startAssay(newHome())
  const folder = await install('web3', { web3: '4.16.0' })
  Web3 = (requireFrom(folder, 'web3') as { Web3: typeof Web3 }).Web3
  web3 = new Web3(running.up.ethereum)
  web3.eth.accounts.wallet.add(running.up.accounts[1]?.privateKey ?? '')
})
afterAll(() => running.stop())

test('web3 4 reads the chain', async () => {
  const { address } = running.up.accounts[0] ?? { address: '' }
  expect(await web3.eth.getChainId()).toBe(BigInt(running.up.chainId))
  expect((await web3.eth.getBlock('latest', true)).number).toBeGreaterThan(0n)
  expect((await web3.eth.getAccounts())[0]?.toLowerCase()).toBe(address.toLowerCase())
  expect((await web3.eth.getProof(address, [], 'latest')).balance).toBeGreaterThan(0n)
  expect(await web3.eth.getFeeHistory(2, 'latest', [50])).toHaveProperty('baseFeePerGas')
  expect(await web3.eth.isSyncing()).toBe(false)
})

test('web3 4 deploys an ERC-20, transfers, finds the event and reads a revert', async () => {
  const { abi, bytecode } = compile('Token')
  const from = running.up.accounts[1]?.address ?? ''
  const to = running.up.accounts[2]?.address ?? ''
  const contract = await new web3.eth.Contract(abi)
    .deploy({ data: bytecode, arguments: [500] })
    .send({ from })
  const receipt = await contract.methods['transfer']?.(to, 7).send({ from })
  expect(receipt?.status).toBe(1n)
  expect(await contract.methods['balanceOf']?.(to).call()).toBe(7n)
  const range = { fromBlock: receipt?.blockNumber, toBlock: receipt?.blockNumber }
  expect(await contract.getPastEvents('Transfer', range)).toHaveLength(1)
  await expect(contract.methods['fail']?.('no luck').call()).rejects.toMatchObject({
    cause: { message: expect.stringContaining('no luck') },
  })
})

test('web3 4 has the node sign and send, and hears of blocks over WebSocket', async () => {
  const [from = '', to = ''] = running.up.accounts.map(({ address }) => address)
  const signature = await web3.eth.sign('0x1234', from)
  expect(web3.eth.accounts.recover('0x1234', signature).toLowerCase()).toBe(from.toLowerCase())
  expect((await web3.eth.sendTransaction({ from, to, value: 5n })).status).toBe(1n)
  const socket = new Web3(running.up.wsEthereum)
  const subscription = await socket.eth.subscribe('newBlockHeaders')
  const head = await new Promise<{ number: bigint }>((resolve) => subscription.on('data', resolve))
  expect(Number(head.number)).toBeGreaterThan(0)
  await subscription.unsubscribe()
  socket.provider.disconnect?.()
})
