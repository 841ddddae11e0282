/** Rows of the objects in results (interface.md, "Resources and their fields"). */
import { keccak256, toRlp } from 'viem'
import { expect } from 'vitest'
import {
  ADDRESS,
  CODE,
  DATA,
  errorOf,
  expectMatch,
  HASH,
  QUANTITY,
  TOPICS,
  WORD,
  type Json,
  type Rows,
  type SpecifiedWorld,
} from './world.ts'

type Part = 'block' | 'transaction' | 'receipt' | 'log'

/** A member has a shape, and is the same as a member of something else. */
function member(part: Part, name: string, shape: RegExp, of?: readonly [Part, string]) {
  return (world: SpecifiedWorld): void => {
    expectMatch(world[part][name], shape)
    if (of) expect(world[part][name]).toBe(world[of[0]][of[1]])
  }
}

const BLOOM = /^0x[0-9a-f]{512}$/

export const BLOCK: Rows = {
  'number | QUANTITY | block height': member('block', 'number', QUANTITY, [
    'receipt',
    'blockNumber',
  ]),
  'hash | hash': member('block', 'hash', HASH, ['receipt', 'blockHash']),
  async 'parentHash | hash'({ ask, block }) {
    const parent = `0x${(Number(block['number']) - 1).toString(16)}`
    expect(block['parentHash']).toBe(
      ((await ask('eth_getBlockByNumber', parent, false)) as Json)['hash'],
    )
  },
  async 'stateRoot | DATA'({ ask, block, contract }) {
    const { accountProof } = (await ask('eth_getProof', contract, [], block['number'])) as {
      accountProof: `0x${string}`[]
    }
    expect(block['stateRoot']).toBe(keccak256(accountProof[0] ?? '0x'))
  },
  'transactionsRoot | DATA': member('block', 'transactionsRoot', HASH),
  'logsBloom | DATA, 256 bytes': member('block', 'logsBloom', BLOOM),
  async 'miner | address'({ ask, block }) {
    expect(block['miner']).toBe(await ask('eth_coinbase'))
  },
  'timestamp | QUANTITY | seconds'({ block }) {
    expectMatch(block['timestamp'], QUANTITY)
    const now = Date.now() / 1000
    expect(Number(block['timestamp'])).toBeGreaterThan(now - 3600)
    expect(Number(block['timestamp'])).toBeLessThan(now + 60)
  },
  'size | QUANTITY': member('block', 'size', QUANTITY),
  'gasLimit | QUANTITY'({ block }) {
    expect(block['gasLimit']).toBe('0x1c9c380')
  },
  'gasUsed | QUANTITY or null': member('block', 'gasUsed', QUANTITY, ['receipt', 'gasUsed']),
  'extraData | DATA': member('block', 'extraData', DATA),
  async 'transactions | array | hashes when the full-objects flag is false, transaction objects when true'({
    ask,
    block,
    transaction,
  }) {
    expect(block['transactions']).toEqual([transaction['hash']])
    expect(await ask('eth_getBlockByNumber', block['number'], true)).toMatchObject({
      transactions: [transaction],
    })
  },
  'uncles | array | empty'({ block }) {
    expect(block['uncles']).toEqual([])
  },
  'difficulty, nonce, sha3Uncles, totalDifficulty | null | always null'({ block }) {
    for (const name of ['difficulty', 'nonce', 'sha3Uncles', 'totalDifficulty'])
      expect([name, block[name]]).toEqual([name, null])
  },
}

export const TRANSACTION: Rows = {
  'hash | hash': member('transaction', 'hash', HASH, ['receipt', 'transactionHash']),
  'blockHash | hash': member('transaction', 'blockHash', HASH, ['block', 'hash']),
  'blockNumber | QUANTITY': member('transaction', 'blockNumber', QUANTITY, ['block', 'number']),
  'transactionIndex | QUANTITY': member('transaction', 'transactionIndex', QUANTITY, [
    'receipt',
    'transactionIndex',
  ]),
  'from | address'({ transaction, alice }) {
    expect(transaction['from']).toBe(alice)
  },
  async 'to | address (absent/empty for contract creation)'({
    ask,
    transaction,
    contract,
    creation,
  }) {
    expect(transaction['to']).toBe(contract)
    const made = (await ask('eth_getTransactionByHash', creation['transactionHash'])) as Json
    expect(made['to']).toBeNull()
  },
  'gas | QUANTITY'({ transaction }) {
    expect(transaction['gas']).toBe('0x15f90')
  },
  'gasPrice | QUANTITY': member('transaction', 'gasPrice', QUANTITY),
  'value | QUANTITY'({ transaction }) {
    expect(transaction['value']).toBe('0x0')
  },
  'input | DATA'({ transaction }) {
    expect(transaction['input']).toBe('0x1234')
  },
  async 'nonce | QUANTITY'({ ask, transaction, block, alice }) {
    const before = `0x${(Number(block['number']) - 1).toString(16)}`
    expect(transaction['nonce']).toBe(await ask('eth_getTransactionCount', alice, before))
  },
  'v, r, s | QUANTITY (signature components)'({ transaction }) {
    for (const name of ['v', 'r', 's']) expectMatch(transaction[name], QUANTITY)
  },
}

export const RECEIPT: Rows = {
  'transactionHash | hash': member('receipt', 'transactionHash', HASH, ['transaction', 'hash']),
  'transactionIndex | QUANTITY': member('receipt', 'transactionIndex', QUANTITY),
  'blockHash | hash': member('receipt', 'blockHash', HASH, ['block', 'hash']),
  'blockNumber | QUANTITY': member('receipt', 'blockNumber', QUANTITY, ['block', 'number']),
  'from | address': member('receipt', 'from', ADDRESS, ['transaction', 'from']),
  'to | address': member('receipt', 'to', ADDRESS, ['transaction', 'to']),
  async 'contractAddress | address'({ ask, creation, receipt }) {
    expect(await ask('eth_getCode', creation['contractAddress'], 'latest')).toBe(CODE)
    expect(receipt['contractAddress']).toBeNull()
  },
  'gasUsed | QUANTITY': member('receipt', 'gasUsed', QUANTITY),
  'cumulativeGasUsed | QUANTITY or null': member('receipt', 'cumulativeGasUsed', QUANTITY, [
    'receipt',
    'gasUsed',
  ]),
  async 'logs | array of Log'({ ask, receipt, log, block }) {
    expect(receipt['logs']).toEqual([log])
    expect(await ask('eth_getLogs', { blockHash: block['hash'] })).toEqual([log])
  },
  'logsBloom | DATA, 256 bytes': member('receipt', 'logsBloom', BLOOM, ['block', 'logsBloom']),
  async 'status | QUANTITY: 0x1 or 0x0'({ receipt, send }) {
    expect(receipt['status']).toBe('0x1')
    expect((await send({ data: '0x5f5ffd', gas: '0x186a0' }))['status']).toBe('0x0')
  },
}

export const LOG: Rows = {
  'address | address'({ log, contract }) {
    expect(log['address']).toBe(contract)
  },
  'topics | array of 32-byte DATA'({ log }) {
    expect(log['topics']).toEqual(TOPICS)
  },
  'data | DATA'({ log }) {
    expect(log['data']).toBe(WORD)
  },
  'blockNumber | QUANTITY': member('log', 'blockNumber', QUANTITY, ['block', 'number']),
  'blockHash | hash': member('log', 'blockHash', HASH, ['block', 'hash']),
  'transactionHash | hash': member('log', 'transactionHash', HASH, ['transaction', 'hash']),
  'transactionIndex | QUANTITY': member('log', 'transactionIndex', QUANTITY, [
    'receipt',
    'transactionIndex',
  ]),
  'logIndex | QUANTITY'({ log }) {
    expect(log['logIndex']).toBe('0x0')
  },
  'removed | boolean'({ log }) {
    expect(log['removed']).toBe(false)
  },
}

export const LOG_FILTER: Rows = {
  async 'fromBlock | QUANTITY or tag | no | latest'({ ask, block, contract, log, send }) {
    const filter = { address: contract, toBlock: 'latest' }
    expect(await ask('eth_getLogs', { ...filter, fromBlock: block['number'] })).toContainEqual(log)
    expect(await ask('eth_getLogs', { ...filter, fromBlock: 'earliest' })).toContainEqual(log)
    await send({ to: contract })
    expect(await ask('eth_getLogs', filter)).not.toContainEqual(log)
  },
  async 'toBlock | QUANTITY or tag | no | latest'({ ask, block, contract, log, send }) {
    const filter = { address: contract, fromBlock: block['number'] }
    expect(await ask('eth_getLogs', { ...filter, toBlock: block['number'] })).toEqual([log])
    const { logs } = (await send({ to: contract })) as { logs: Json[] }
    const [later] = logs
    expect(await ask('eth_getLogs', { ...filter, toBlock: 'latest' })).toContainEqual(later)
    expect(await ask('eth_getLogs', filter)).toContainEqual(later)
  },
  async 'address | address or array of addresses | no | contract(s) the logs originate from'({
    ask,
    block,
    contract,
    bob,
    log,
  }) {
    const range = { fromBlock: block['number'], toBlock: block['number'] }
    expect(await ask('eth_getLogs', { ...range, address: contract })).toEqual([log])
    expect(await ask('eth_getLogs', { ...range, address: [bob, contract] })).toEqual([log])
    expect(await ask('eth_getLogs', { ...range, address: [bob] })).toEqual([])
  },
  async 'topics | array of 32-byte DATA; each element may itself be an array meaning OR | no | order-dependent'({
    ask,
    block,
    log,
  }) {
    const range = { fromBlock: block['number'], toBlock: block['number'] }
    const find = (topics: readonly unknown[]) => ask('eth_getLogs', { ...range, topics })
    expect(await find(TOPICS)).toEqual([log])
    expect(await find([[TOPICS[1], TOPICS[0]]])).toEqual([log])
    expect(await find([null, TOPICS[1]])).toEqual([log])
    expect(await find([TOPICS[1], TOPICS[0]])).toEqual([])
  },
  async 'blockhash | hash | no | restricts to one block'({ ask, block, log }) {
    for (const name of ['blockhash', 'blockHash'])
      expect(await ask('eth_getLogs', { [name]: block['hash'] })).toEqual([log])
    const both = ask('eth_getLogs', { blockhash: block['hash'], fromBlock: '0x1' })
    expect(await errorOf(both)).toMatchObject({ code: -32602 })
  },
}

async function proofOf({ ask, contract, block }: SpecifiedWorld): Promise<Json> {
  return (await ask('eth_getProof', contract, [`0x${'0'.repeat(64)}`], block['number'])) as Json
}

export const PROOF: Rows = {
  async 'address | address'(world) {
    expect((await proofOf(world))['address']).toBe(world.contract)
  },
  async 'accountProof | array of DATA (RLP nodes)'(world) {
    const { accountProof } = (await proofOf(world)) as { accountProof: `0x${string}`[] }
    for (const node of accountProof) expectMatch(node, DATA)
    expect(keccak256(accountProof[0] ?? '0x')).toBe(world.block['stateRoot'])
  },
  async 'balance | QUANTITY'(world) {
    expect((await proofOf(world))['balance']).toBe('0x0')
  },
  async 'codeHash | hash'(world) {
    expect((await proofOf(world))['codeHash']).toBe(keccak256(CODE as `0x${string}`))
  },
  async 'nonce | QUANTITY'(world) {
    expect((await proofOf(world))['nonce']).toBe('0x1')
  },
  async 'storageHash | hash'(world) {
    const { storageHash, storageProof } = (await proofOf(world)) as {
      storageHash: string
      storageProof: { proof: `0x${string}`[] }[]
    }
    expect(storageHash).toBe(keccak256(storageProof[0]?.proof[0] ?? toRlp('0x')))
  },
  async 'storageProof | array of {key: 32-byte DATA, value: QUANTITY, proof: array of DATA}'(
    world,
  ) {
    const { storageProof } = (await proofOf(world)) as { storageProof: Json[] }
    expect(storageProof).toMatchObject([{ key: `0x${'0'.repeat(64)}`, value: '0x7' }])
    const [{ proof = [] } = {}] = storageProof as { proof?: string[] }[]
    expect(proof.length).toBeGreaterThan(0)
    for (const node of proof) expectMatch(node, DATA)
  },
}

export const CALL_OBJECT: Rows = {
  async 'from | address | required for eth_sendTransaction, eth_estimateGas, personal_sendTransaction; optional for eth_call'({
    ask,
    askPrivately,
    contract,
    alice,
  }) {
    const call = { to: contract }
    expect(await ask('eth_call', call, 'latest')).toBe(WORD)
    expect(await errorOf(ask('eth_sendTransaction', call))).toMatchObject({ code: -32602 })
    const personal = askPrivately('personal_sendTransaction', call, 'x')
    expect(await errorOf(personal)).toMatchObject({ code: -32602 })
    expectMatch(await ask('eth_estimateGas', { ...call, from: alice }), QUANTITY)
  },
  async 'to | address | optional when creating a contract; required for eth_call'({
    ask,
    creation,
    contract,
  }) {
    expect(creation['to']).toBeNull()
    expect(await ask('eth_call', { to: contract }, 'latest')).toBe(WORD)
  },
  async 'gas | QUANTITY | optional; default 90000 for eth_sendTransaction'({
    ask,
    send,
    transaction,
    receipt,
    contract,
  }) {
    expect(Number(transaction['gas'])).toBe(90_000)
    expect(Number(receipt['gasUsed'])).toBeLessThan(90_000)
    for (const name of ['gas', 'gasLimit']) {
      const { transactionHash } = await send({ to: contract, [name]: '0x13880' })
      expect(((await ask('eth_getTransactionByHash', transactionHash)) as Json)['gas']).toBe(
        '0x13880',
      )
    }
  },
  async 'gasPrice | QUANTITY | optional'({ ask, send, contract }) {
    const gasPrice = '0x174876e800'
    const { transactionHash } = await send({ to: contract, gasPrice })
    expect(await ask('eth_getTransactionByHash', transactionHash)).toMatchObject({ gasPrice })
  },
  async 'value | QUANTITY | value sent'({ ask, send, bob }) {
    const before = BigInt((await ask('eth_getBalance', bob, 'latest')) as string)
    await send({ to: bob, value: '0x5' })
    expect(BigInt((await ask('eth_getBalance', bob, 'latest')) as string) - before).toBe(5n)
  },
  async 'data | DATA | contract code, or method-signature hash plus encoded parameters (contract ABI); optional for eth_call'({
    ask,
    contract,
    transaction,
  }) {
    expect(transaction['input']).toBe('0x1234')
    // CALLDATALOAD(0), MSTORE(0), RETURN(0, 32).
    const echo = { data: `0x5f355f5260205ff3` }
    expect(await ask('eth_call', echo, 'latest')).toMatch(/^0x0{64}$/)
    expect(await ask('eth_call', { to: contract }, 'latest')).toBe(WORD)
  },
  async 'nonce | QUANTITY | optional; allows replacing own pending transaction with the same nonce'({
    ask,
    up,
    bob,
  }) {
    // After a nonce gap, so that it is queued.
    const from = up.accounts[9]?.address
    const count = Number(await ask('eth_getTransactionCount', from, 'pending'))
    const nonce = `0x${(count + 1).toString(16)}`
    const fields = { from, to: bob, nonce, maxPriorityFeePerGas: '0x1' }
    const first = await ask('eth_sendTransaction', { ...fields, maxFeePerGas: '0x2540be400' })
    const second = await ask('eth_sendTransaction', {
      ...fields,
      maxFeePerGas: '0x4a817c800',
      maxPriorityFeePerGas: '0x3b9aca00',
    })
    expect(await ask('eth_getTransactionByHash', first)).toBeNull()
    expect(await ask('eth_getTransactionByHash', second)).toMatchObject({ nonce })
  },
}
