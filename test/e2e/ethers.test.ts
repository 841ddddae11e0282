import {
  ContractFactory,
  IpcSocketProvider,
  JsonRpcProvider,
  NonceManager,
  parseEther,
  Wallet,
  WebSocketProvider,
} from 'ethers'
import { afterAll, expect, inject, test } from 'vitest'
import { rpc } from '../support/assay.ts'
import { compile } from '../support/compile.ts'

const up = inject('up')
const provider = new JsonRpcProvider(up.ethereum, undefined, { pollingInterval: 50 })
const signer = new NonceManager(new Wallet(up.accounts[2]!.privateKey, provider))
const token = compile('Token')
afterAll(() => provider.destroy())

async function deploy() {
  const contract = await new ContractFactory(token.abi as never, token.bytecode, signer).deploy(
    500n,
  )
  await contract.waitForDeployment()
  return contract
}

test('ethers reads blocks and fees at /ethereum', async () => {
  const block = await provider.getBlock('latest')
  expect(block?.difficulty).toBe(0n)
  const fees = await provider.getFeeData()
  expect(fees.maxFeePerGas).toBeGreaterThan(0n)
})

test('ethers deploys an ERC-20, transfers and finds the log', async () => {
  const contract = await deploy()
  const sent = await contract.getFunction('transfer')(up.accounts[3]!.address, 7n)
  const receipt = await sent.wait()
  expect(receipt.status).toBe(1)
  const logs = await contract.queryFilter('Transfer', receipt.blockNumber, receipt.blockNumber)
  expect(logs).toHaveLength(1)
  expect(await contract.getFunction('balanceOf')(up.accounts[3]!.address)).toBe(7n)
})

test('ethers reads the reason of a revert', async () => {
  const contract = await deploy()
  await expect(contract.getFunction('fail').staticCall('no luck')).rejects.toMatchObject({
    reason: 'no luck',
  })
})

test('ethers over WebSocket hears of blocks', async () => {
  const socket = new WebSocketProvider(up.wsEthereum)
  const heights: number[] = []
  await new Promise<void>((resolve) => {
    void socket.on('block', (height: number) => {
      heights.push(height)
      if (heights.length === 2) resolve()
    })
  })
  expect(heights[1]).toBe(heights[0]! + 1)
  await socket.destroy()
})

test('ethers over the IPC socket reads and sends', async () => {
  const ipc = new IpcSocketProvider(up.ipc)
  expect(Number((await ipc.getNetwork()).chainId)).toBe(up.chainId)
  const balance = await ipc.getBalance(up.accounts[9]!.address)
  expect(balance).toBeGreaterThan(parseEther('1'))
  const wallet = new Wallet(up.accounts[9]!.privateKey, ipc)
  const sent = await wallet.sendTransaction({ to: up.accounts[8]!.address, value: 1n })
  expect((await sent.wait())?.status).toBe(1)
  expect((await ipc.getBlock('latest'))?.difficulty).toBe(0n)
  ipc.destroy()
})

test('the plain address shows null proof-of-work fields, and /ethereum the values that clients can read; nothing else differs', async () => {
  const ask = async (url: string) =>
    (await rpc(url, 'eth_getBlockByNumber', ['0x1', true])).result as Record<string, unknown>
  const [plain, ethereum] = await Promise.all([ask(up.rpc), ask(up.ethereum)])
  const fields = { difficulty: '0x0', totalDifficulty: '0x0', nonce: '0x0000000000000000' }
  expect(plain).toMatchObject({
    difficulty: null,
    totalDifficulty: null,
    nonce: null,
    sha3Uncles: null,
  })
  expect(ethereum).toMatchObject(fields)
  for (const name of ['difficulty', 'totalDifficulty', 'nonce', 'sha3Uncles']) {
    delete plain[name]
    delete ethereum[name]
  }
  expect(plain).toEqual(ethereum)
})
