import { createHash } from 'node:crypto'
import { Comet38Client, WebsocketClient } from '@cosmjs/tendermint-rpc'
import {
  createPublicClient,
  createWalletClient,
  defineChain,
  hexToBytes,
  http,
  parseEther,
  type Hex,
} from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { expect, inject, test } from 'vitest'
import { WebSocket } from 'ws'
import { eventually } from '../support/assay.ts'

const up = inject('up')
const chain = defineChain({
  id: up.chainId,
  name: 'Assay',
  nativeCurrency: { name: 'Assay', symbol: 'ASSAY', decimals: 18 },
  rpcUrls: { default: { http: [up.rpc] } },
})
const account = privateKeyToAccount(up.accounts[4]!.privateKey)
const recipient = up.accounts[5]!.address
const client = createPublicClient({ chain, transport: http(), pollingInterval: 50 })
const wallet = createWalletClient({ chain, account, transport: http() })

async function signedTransfer(value: bigint): Promise<Hex> {
  const request = await wallet.prepareTransactionRequest({ to: recipient, value })
  return wallet.signTransaction(request as never)
}

test('Comet38Client reads status, blocks, commits and validators that agree with each other', async () => {
  const comet = await Comet38Client.connect(up.comet)
  const status = await comet.status()
  expect(status.nodeInfo.network).toBe('assay_271828-1')
  expect(status.nodeInfo.version).toBe('0.38.25')
  const height = status.syncInfo.latestBlockHeight
  const [block, commit, validators, info] = [
    await comet.block(height),
    await comet.commit(height),
    await comet.validators({ height }),
    await comet.abciInfo(),
  ]
  expect(commit.commit.blockId.hash).toEqual(block.blockId.hash)
  expect(validators.validators[0]!.address).toEqual(block.block.header.proposerAddress)
  expect(info.lastBlockHeight).toBeGreaterThanOrEqual(height)
  expect((await comet.genesis()).chainId).toBe('assay_271828-1')
  const ethereum = await client.getBlock({ blockNumber: BigInt(height) })
  expect(hexToBytes(ethereum.hash)).toEqual(block.blockId.hash)
  comet.disconnect()
})

test('one transaction is found by its Ethereum hash and by its consensus hash, with inverted codes', async () => {
  const raw = await signedTransfer(parseEther('0.001'))
  const hash = await client.sendRawTransaction({ serializedTransaction: raw })
  const receipt = await client.waitForTransactionReceipt({ hash })
  const comet = await Comet38Client.connect(up.comet)
  const consensusHash = createHash('sha256').update(hexToBytes(raw)).digest()
  const found = await comet.tx({ hash: consensusHash })
  expect(found.height).toBe(Number(receipt.blockNumber))
  expect(Buffer.from(found.tx).equals(Buffer.from(hexToBytes(raw)))).toBe(true)
  expect(found.result.code).toBe(0)
  expect(receipt.status).toBe('success')
  comet.disconnect()
})

test('a transaction sent through broadcast_tx_commit has an Ethereum receipt, and its events name sender and recipient', async () => {
  const raw = await signedTransfer(1n)
  const comet = await Comet38Client.connect(up.comet)
  const answer = await comet.broadcastTxCommit({ tx: hexToBytes(raw) })
  expect(answer.checkTx.code).toBe(0)
  expect(answer.txResult?.code).toBe(0)
  const event = answer.txResult?.events.find((each) => each.type === 'assay')
  const attributes = event?.attributes.map(({ key, value }) => [key, value])
  expect(attributes).toContainEqual(['sender', account.address])
  expect(attributes).toContainEqual(['recipient', recipient.toLowerCase()])
  const consensusHash = createHash('sha256').update(hexToBytes(raw)).digest('hex').toUpperCase()
  expect(Buffer.from(answer.hash).toString('hex').toUpperCase()).toBe(consensusHash)
  comet.disconnect()
})

test('a subscription by recipient hears of exactly the matching transactions', async () => {
  const socket = new WebSocket(`${up.comet.replace('http', 'ws')}/websocket`)
  const messages: { id: number; result: { query?: string; events?: Record<string, string[]> } }[] =
    []
  socket.on('message', (message) => messages.push(JSON.parse((message as Buffer).toString())))
  await new Promise((resolve) => socket.once('open', resolve))
  const query = `tm.event='Tx' AND assay.recipient='${recipient.toLowerCase()}'`
  socket.send(JSON.stringify({ jsonrpc: '2.0', method: 'subscribe', id: 7, params: { query } }))
  await eventually(() => messages[0])
  expect(messages[0]).toMatchObject({ id: 7, result: {} })

  const other = await wallet.sendTransaction({ to: up.accounts[6]!.address, value: 1n })
  await client.waitForTransactionReceipt({ hash: other })
  const hash = await wallet.sendTransaction({ to: recipient, value: 1n })
  await client.waitForTransactionReceipt({ hash })
  const event = await eventually(() => messages[1])
  expect(event.id).toBe(7)
  expect(event.result.query).toBe(query)
  expect(event.result.events?.['assay.ethereumTxHash']).toEqual([hash])
  socket.close()
})

test('Comet38Client over WebSocket hears of new blocks', async () => {
  const comet = Comet38Client.create(new WebsocketClient(up.comet.replace('http', 'ws')))
  const heights: number[] = []
  const subscription = comet
    .subscribeNewBlock()
    .subscribe({ next: (event) => heights.push(event.header.height) })
  await eventually(() => heights[1])
  expect(heights[1]).toBe(heights[0]! + 1)
  subscription.unsubscribe()
  comet.disconnect()
})

test('transactions are searched by address, by Ethereum hash and by height', async () => {
  // Of its own: other tests give the development accounts code.
  const to = '0x5ea12c4000000000000000000000000000000007'
  const hashes: Hex[] = []
  for (const value of [1n, 2n, 3n]) {
    const hash = await wallet.sendTransaction({ to, value })
    await client.waitForTransactionReceipt({ hash })
    hashes.push(hash)
  }
  const { blockNumber } = await client.getTransactionReceipt({ hash: hashes[1]! })
  const comet = await Comet38Client.connect(up.comet)
  const hashesOf = async (query: string, order_by: 'asc' | 'desc' = 'asc') => {
    const { txs, totalCount } = await comet.txSearch({ query, order_by, prove: true })
    expect(totalCount).toBe(txs.length)
    return txs.map(({ result }) => {
      const event = result.events.find(({ type }) => type === 'ethereum_tx')
      return event?.attributes.find(({ key }) => key === 'ethereumTxHash')?.value
    })
  }
  expect(await hashesOf(`assay.recipient='${to}'`)).toEqual(hashes)
  expect(await hashesOf(`ethereum_tx.recipient='${to.toLowerCase()}'`, 'desc')).toEqual(
    hashes.toReversed(),
  )
  const both = `assay.sender='${account.address}' AND assay.recipient='${to}'`
  expect(await hashesOf(`${both} AND tx.height=${blockNumber}`)).toEqual([hashes[1]])
  expect(await hashesOf(`${both} AND tx.height>${blockNumber}`)).toEqual([hashes[2]])
  expect(await hashesOf(`assay.ethereumTxHash='${hashes[0]}'`)).toEqual([hashes[0]])
  expect(await hashesOf(`tx.height=${blockNumber}`)).toContain(hashes[1])
  expect(await hashesOf("message.action='ethereum_tx'")).toEqual([])
  const blocks = await comet.blockSearch({ query: `block.height=${blockNumber}` })
  expect(blocks.blocks[0]?.block.header.height).toBe(Number(blockNumber))
  comet.disconnect()
})

test('the URI form answers as CometBFT does', async () => {
  const response = await fetch(`${up.comet}/block?height=1`)
  const answer = (await response.json()) as {
    id: number
    result: { block: { header: { height: string } } }
  }
  expect(answer.id).toBe(-1)
  expect(answer.result.block.header.height).toBe('1')
  const missing = await fetch(`${up.comet}/block?height=100000000`)
  expect(missing.status).toBe(500)
  expect(await missing.text()).toContain(
    'must be less than or equal to the current blockchain height',
  )
})
