/** Rows of the methods outside personal, debug, miner and txpool, whose own tests quote theirs. */
import { hashMessage, keccak256, recoverAddress, type Hex } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { expect } from 'vitest'
import { eventually } from '../assay.ts'
import {
  ADDRESS,
  CODE,
  errorOf,
  expectMatch,
  HASH,
  openLine,
  QUANTITY,
  WORD,
  type Json,
  type Rows,
} from './world.ts'

export const WEB3_AND_NET: Rows = {
  async 'web3_clientVersion | none | string, form <client_name>/<version>/<os>/<toolchain_version>'({
    ask,
  }) {
    expectMatch(await ask('web3_clientVersion'), /^[^/]+\/v[^/]+\/[^/]+\/node[^/]+$/)
  },
  async 'web3_sha3 | [input: DATA, required] | 32-byte DATA, Keccak-256 (not standardized SHA3-256) of the input'({
    ask,
  }) {
    expect(await ask('web3_sha3', '0x68656c6c6f')).toBe(keccak256('0x68656c6c6f'))
    expect(await errorOf(ask('web3_sha3'))).toMatchObject({ code: -32602 })
  },
  async 'net_version | none | string, network id'({ ask, up }) {
    expect(await ask('net_version')).toBe(String(up.chainId))
  },
  async 'net_peerCount | none | JSON number, count of connected peers'({ ask }) {
    expect(await ask('net_peerCount')).toBe(0)
  },
  async 'net_listening | none | boolean'({ ask }) {
    expect(await ask('net_listening')).toBe(true)
  },
}

export const READS: Rows = {
  async 'eth_protocolVersion | none | QUANTITY'({ ask }) {
    expectMatch(await ask('eth_protocolVersion'), QUANTITY)
  },
  async 'eth_syncing | none | boolean false when synced'({ ask }) {
    expect(await ask('eth_syncing')).toBe(false)
  },
  async 'eth_gasPrice | none | QUANTITY, gas price in the default EVM denomination'({ ask }) {
    const price = (await ask('eth_gasPrice')) as string
    expectMatch(price, QUANTITY)
    // The base fee may have grown by an eighth since.
    const { baseFeePerGas } = (await ask('eth_getBlockByNumber', 'latest', false)) as Json
    expect(BigInt(price) * 2n).toBeGreaterThan(BigInt(baseFeePerGas as string))
  },
  async 'eth_accounts | none | array of addresses'({ ask, alice, bob }) {
    const accounts = (await ask('eth_accounts')) as string[]
    expect(accounts).toEqual(expect.arrayContaining([alice, bob]))
  },
  async 'eth_blockNumber | none | QUANTITY, current block height'({ ask, block }) {
    const height = (await ask('eth_blockNumber')) as string
    expectMatch(height, QUANTITY)
    expect(Number(height)).toBeGreaterThanOrEqual(Number(block['number']))
  },
  async 'eth_getBalance | [address, block number or block hash] | QUANTITY'({ ask, bob, block }) {
    const byNumber = await ask('eth_getBalance', bob, block['number'])
    expectMatch(byNumber, QUANTITY)
    expect(await ask('eth_getBalance', bob, block['hash'])).toBe(byNumber)
    expect(await ask('eth_getBalance', bob, { blockHash: block['hash'] })).toBe(byNumber)
  },
  async 'eth_getStorageAt | [address, storage position (integer), block number or block hash] | 32-byte DATA'({
    ask,
    contract,
    block,
  }) {
    for (const position of [0, '0x0', `0x${'0'.repeat(64)}`])
      expect(await ask('eth_getStorageAt', contract, position, block['number'])).toBe(WORD)
    expect(await ask('eth_getStorageAt', contract, 1, block['hash'])).toMatch(/^0x0{64}$/)
  },
  async 'eth_getTransactionCount | [address, block number or block hash] | QUANTITY'({
    ask,
    alice,
    block,
    transaction,
  }) {
    const count = await ask('eth_getTransactionCount', alice, block['number'])
    expect(Number(count)).toBe(Number(transaction['nonce']) + 1)
    expect(await ask('eth_getTransactionCount', alice, block['hash'])).toBe(count)
  },
  async 'eth_getBlockTransactionCountByNumber | [block number] | described as the transaction count of the block'({
    ask,
    block,
  }) {
    expect(await ask('eth_getBlockTransactionCountByNumber', block['number'])).toBe('0x1')
  },
  async 'eth_getBlockTransactionCountByHash | [block hash] | QUANTITY'({ ask, block }) {
    expect(await ask('eth_getBlockTransactionCountByHash', block['hash'])).toBe('0x1')
  },
  async 'eth_getCode | [address, block number or block hash] | DATA'({ ask, contract, block }) {
    expect(await ask('eth_getCode', contract, block['number'])).toBe(CODE)
    expect(await ask('eth_getCode', contract, block['hash'])).toBe(CODE)
  },
  async 'eth_call | [call object, block number or block hash] | DATA returned by the call, no transaction created'({
    ask,
    alice,
    contract,
    block,
  }) {
    const count = await ask('eth_getTransactionCount', alice, 'pending')
    const call = { from: alice, to: contract }
    expect(await ask('eth_call', call, block['number'])).toBe(WORD)
    expect(await ask('eth_call', call, block['hash'])).toBe(WORD)
    expect(await ask('eth_getTransactionCount', alice, 'pending')).toBe(count)
  },
  async 'eth_estimateGas | [call object with from, to (optional for creation), value] | QUANTITY, gas estimate'({
    ask,
    alice,
    bob,
  }) {
    expect(await ask('eth_estimateGas', { from: alice, to: bob, value: '0x1' })).toBe('0x5208')
    expectMatch(await ask('eth_estimateGas', { from: alice, data: '0x00' }), QUANTITY)
  },
  async 'eth_getBlockByNumber | [block number, full: boolean] | Block'({ ask, block }) {
    expect(await ask('eth_getBlockByNumber', block['number'], false)).toEqual(block)
    expect(await ask('eth_getBlockByNumber', '0xffffffff', false)).toBeNull()
  },
  async 'eth_getBlockByHash | [block hash, full: boolean] | Block'({ ask, block }) {
    expect(await ask('eth_getBlockByHash', block['hash'], false)).toEqual(block)
    expect(await ask('eth_getBlockByHash', WORD, false)).toBeNull()
  },
  async 'eth_getTransactionByHash | [transaction hash] | Transaction'({ ask, transaction }) {
    expect(await ask('eth_getTransactionByHash', transaction['hash'])).toEqual(transaction)
    expect(await ask('eth_getTransactionByHash', WORD)).toBeNull()
  },
  async 'eth_getTransactionByBlockHashAndIndex | [block hash, index: QUANTITY] | Transaction'({
    ask,
    block,
    transaction,
  }) {
    const at = (index: string) => ask('eth_getTransactionByBlockHashAndIndex', block['hash'], index)
    expect(await at('0x0')).toEqual(transaction)
    expect(await at('0x1')).toBeNull()
  },
  async 'eth_getTransactionReceipt | [transaction hash] | Receipt'({ ask, transaction, receipt }) {
    expect(await ask('eth_getTransactionReceipt', transaction['hash'])).toEqual(receipt)
    expect(await ask('eth_getTransactionReceipt', WORD)).toBeNull()
  },
  async 'eth_getLogs | [log filter object] | array of Log'({ ask, block, log }) {
    const filter = { fromBlock: block['number'], toBlock: block['number'] }
    expect(await ask('eth_getLogs', filter)).toEqual([log])
  },
  async 'eth_coinbase | none | address receiving rewards'({ ask, send, bob }) {
    const coinbase = await ask('eth_coinbase')
    expectMatch(coinbase, ADDRESS)
    const { blockNumber } = await send({ to: bob, value: '0x1' })
    const before = `0x${(Number(blockNumber) - 1).toString(16)}`
    const [earlier, later] = await Promise.all(
      [before, blockNumber].map((at) => ask('eth_getBalance', coinbase, at) as Promise<string>),
    )
    expect(BigInt(later ?? 0)).toBeGreaterThan(BigInt(earlier ?? 0))
  },
  async 'eth_getProof | [address, array of 32-byte storage keys, block number or block hash] | Proof object'({
    ask,
    contract,
    block,
  }) {
    const proof = (at: unknown) => ask('eth_getProof', contract, [WORD], at)
    expect(await proof(block['number'])).toEqual(await proof(block['hash']))
  },
}

export const WRITES: Rows = {
  async 'eth_sign | [address, message: DATA] | signature DATA; the address must be unlocked'({
    ask,
    alice,
    creation,
  }) {
    const message = '0xdeadbeef'
    const signature = (await ask('eth_sign', alice, message)) as Hex
    const hash = hashMessage({ raw: message })
    expect((await recoverAddress({ hash, signature })).toLowerCase()).toBe(alice)
    const stranger = ask('eth_sign', creation['contractAddress'], message)
    expect(await errorOf(stranger)).toMatchObject({ code: -32000 })
  },
  async 'eth_sendTransaction | [call object] | 32-byte transaction hash'({ ask, alice, bob }) {
    const hash = await ask('eth_sendTransaction', { from: alice, to: bob, value: '0x1' })
    expectMatch(hash, HASH)
    await eventually(async () => (await ask('eth_getTransactionReceipt', hash)) ?? undefined)
  },
  async 'eth_sendRawTransaction | [signed transaction data: DATA] | 32-byte transaction hash; creates a message call or a contract creation'({
    ask,
    up,
    bob,
  }) {
    const account = privateKeyToAccount(up.accounts[8]?.privateKey ?? '0x')
    const first = Number(await ask('eth_getTransactionCount', account.address, 'pending'))
    const common = {
      type: 'eip1559',
      chainId: up.chainId,
      gas: 100_000n,
      maxFeePerGas: 10n ** 10n,
    } as const
    const raws = [
      await account.signTransaction({ ...common, nonce: first, to: bob as Hex }),
      await account.signTransaction({ ...common, nonce: first + 1, data: '0x00' }),
    ]
    for (const raw of raws) expect(await ask('eth_sendRawTransaction', raw)).toBe(keccak256(raw))
    await eventually(async () => {
      const receipt = await ask('eth_getTransactionReceipt', keccak256(raws[1] ?? '0x'))
      return (receipt as Json | null)?.['contractAddress'] ?? undefined
    })
  },
}

export const FILTERS: Rows = {
  async 'eth_newFilter | [log filter object] | filter id'({ ask, contract }) {
    expectMatch(await ask('eth_newFilter', { address: contract }), /^0x[0-9a-f]+$/)
  },
  async 'eth_newBlockFilter | none | filter id; notifies when a new block arrives'({
    ask,
    send,
    bob,
  }) {
    const id = await ask('eth_newBlockFilter')
    const { blockHash } = await send({ to: bob })
    expect(await ask('eth_getFilterChanges', id)).toContain(blockHash)
  },
  async 'eth_newPendingTransactionFilter | none | filter id; notifies when new pending transactions arrive'({
    ask,
    send,
    bob,
  }) {
    const id = await ask('eth_newPendingTransactionFilter')
    const { transactionHash } = await send({ to: bob })
    expect(await ask('eth_getFilterChanges', id)).toContain(transactionHash)
  },
  async 'eth_uninstallFilter | [filter id] | boolean'({ ask }) {
    const id = await ask('eth_newBlockFilter')
    expect(await ask('eth_uninstallFilter', id)).toBe(true)
    expect(await ask('eth_uninstallFilter', id)).toBe(false)
  },
  async 'eth_getFilterChanges | [filter id] | array of entries that occurred since the last poll'({
    ask,
    send,
    contract,
  }) {
    const id = await ask('eth_newFilter', { address: contract })
    expect(await ask('eth_getFilterChanges', id)).toEqual([])
    const { logs } = await send({ to: contract })
    expect(await ask('eth_getFilterChanges', id)).toEqual(logs)
    expect(await ask('eth_getFilterChanges', id)).toEqual([])
  },
  async 'eth_getFilterLogs | [filter id] | array of all logs matching the filter; returns an error when the filter is not a logs filter'({
    ask,
    block,
    contract,
    log,
  }) {
    const filter = { address: contract, fromBlock: block['number'], toBlock: block['number'] }
    expect(await ask('eth_getFilterLogs', await ask('eth_newFilter', filter))).toEqual([log])
    const other = ask('eth_getFilterLogs', await ask('eth_newBlockFilter'))
    expect(await errorOf(other)).toMatchObject({ code: -32000 })
  },
}

export const WEB_SOCKET: Rows = {
  async 'eth_subscribe | [subscription name: string, optional arguments: object] | subscription id; the sample uses name newHeads with argument includeTransactions (boolean)'({
    up,
    send,
    bob,
  }) {
    const line = await openLine(up.ws)
    const params = ['newHeads', { includeTransactions: true }]
    line.send({ jsonrpc: '2.0', id: 1, method: 'eth_subscribe', params })
    const { result: subscription } = await line.until(({ id }) => id === 1)
    expectMatch(subscription, /^0x[0-9a-f]+$/)
    const { blockHash, transactionHash } = await send({ to: bob })
    const told = await line.until(({ params: given }) => {
      const { result } = (given ?? {}) as { result?: Json }
      return result?.['hash'] === blockHash
    })
    expect(told).toMatchObject({
      method: 'eth_subscription',
      params: { subscription, result: { transactions: [{ hash: transactionHash }] } },
    })
    line.close()
  },
  async 'eth_unsubscribe | [subscription id] | boolean'({ up }) {
    const line = await openLine(up.ws)
    line.send({ jsonrpc: '2.0', id: 1, method: 'eth_subscribe', params: ['newHeads'] })
    const { result } = await line.until(({ id }) => id === 1)
    for (const id of [2, 3])
      line.send({ jsonrpc: '2.0', id, method: 'eth_unsubscribe', params: [result] })
    expect((await line.until(({ id }) => id === 2))['result']).toBe(true)
    expect((await line.until(({ id }) => id === 3))['result']).toBe(false)
    line.close()
  },
}
