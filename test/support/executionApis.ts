/** The exchanges of ethereum/execution-apis, and their chain, as far as they describe it. */
import fs from 'node:fs'
import path from 'node:path'
import { fromHex, toHex } from '../../src/base/hex.ts'
import { toQuantity } from '../../src/base/quantity.ts'
import type { BlockEdit } from '../../src/chain/development/edit.ts'
import { encodeTransaction } from '../../src/chain/signTransaction.ts'
import { decodeTransaction, type Transaction } from '../../src/chain/transaction.ts'
import type { TransactionType } from '../../src/chain/unsignedTransaction.ts'
import { createChainOf, type StoredChain } from './storedChain.ts'

export type Answer = {
  readonly result?: unknown
  readonly error?: { readonly code: number; readonly message: string; readonly data?: unknown }
}

export type Exchange = {
  readonly file: string
  readonly request: { readonly method: string; readonly params?: readonly unknown[] }
  readonly answer: Answer
}

function exchangesOf(folder: string, file: string): readonly Exchange[] {
  const lines = fs.readFileSync(path.join(folder, file), 'utf8').split('\n')
  return lines.flatMap((line, index) => {
    const next = lines[index + 1]
    if (!line.startsWith('>> ') || next?.startsWith('<< ') !== true) return []
    const request = JSON.parse(line.slice(3)) as Exchange['request']
    return [{ file, request, answer: JSON.parse(next.slice(3)) as Answer }]
  })
}

/** All exchanges below a folder. */
export function readExchanges(folder: string): readonly Exchange[] {
  return fs
    .readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.io'))
    .sort()
    .flatMap((file) => exchangesOf(folder, file))
}

type JsonTransaction = Readonly<Record<string, string>> & {
  readonly accessList?: readonly { readonly address: string; readonly storageKeys: string[] }[]
  readonly authorizationList?: readonly Readonly<Record<string, string>>[]
}

function isTransaction(value: object): value is JsonTransaction {
  const { input, r } = value as Readonly<Record<string, unknown>>
  return typeof input === 'string' && typeof r === 'string'
}

function collect(value: unknown, into: Map<string, JsonTransaction>): void {
  if (typeof value !== 'object' || value === null) return
  if (isTransaction(value) && value['hash'] !== undefined) into.set(value['hash'], value)
  for (const inner of Object.values(value)) collect(inner, into)
}

/** The transactions that responses show as pending, except those with blobs (D19). */
export function pooledTransactions(
  exchanges: readonly Exchange[],
  chainId: bigint,
): readonly Transaction[] {
  const shown = new Map<string, JsonTransaction>()
  for (const { request, answer } of exchanges)
    if (request.method === 'txpool_content') collect(answer, shown)
  return [...shown.values()]
    .filter((json) => json['type'] !== '0x3')
    .sort((a, b) => Number(a['nonce']) - Number(b['nonce']))
    .map((json) => transactionOf(json, chainId))
}

const number = (text: string | undefined): bigint => BigInt(text ?? '0x0')

/** A transaction out of the JSON of an answer: its bytes are made again, and must have its hash. */
function transactionOf(json: JsonTransaction, chainId: bigint): Transaction {
  const type = Number(json['type']) as TransactionType
  const unsigned = {
    type,
    chainId,
    nonce: number(json['nonce']),
    maxFeePerGas: number(json['maxFeePerGas'] ?? json['gasPrice']),
    maxPriorityFeePerGas: number(json['maxPriorityFeePerGas'] ?? json['gasPrice']),
    gasLimit: number(json['gas']),
    to: json['to'] == null ? undefined : fromHex(json['to']),
    value: number(json['value']),
    data: fromHex(json['input'] ?? '0x'),
    accessList: (json.accessList ?? []).map(({ address, storageKeys }) => ({
      address: fromHex(address),
      storageKeys: storageKeys.map(fromHex),
    })),
    authorizationList: (json.authorizationList ?? []).map((tuple) => ({
      chainId: number(tuple['chainId']),
      address: fromHex(tuple['address'] ?? ''),
      nonce: number(tuple['nonce']),
      yParity: number(tuple['yParity']),
      r: number(tuple['r']),
      s: number(tuple['s']),
    })),
  }
  const signature = { v: number(json['v']), r: number(json['r']), s: number(json['s']) }
  const transaction = decodeTransaction(encodeTransaction(unsigned, signature), chainId)
  if (toHex(transaction.hash) !== json['hash']) throw new Error(`not the bytes of ${json['hash']}`)
  return transaction
}

type JsonGenesis = {
  readonly config: { readonly chainId: number }
  readonly gasLimit: string
  readonly alloc: Readonly<
    Record<
      string,
      {
        readonly balance: string
        readonly nonce?: string
        readonly code?: string
        readonly storage?: Readonly<Record<string, string>>
      }
    >
  >
}

function appStateOf(genesis: JsonGenesis): object {
  const alloc = Object.entries(genesis.alloc).map(([address, account]) => [
    `0x${address}`,
    {
      ...account,
      balance: BigInt(account.balance).toString(),
      nonce: BigInt(account.nonce ?? 0).toString(),
    },
  ])
  return {
    evm: {
      development: true,
      block_gas_limit: BigInt(genesis.gasLimit).toString(),
      // Its first transactions, from before EIP-1559, pay next to nothing.
      initial_base_fee: '0',
      min_base_fee: '0',
      alloc: Object.fromEntries(alloc) as object,
    },
  }
}

/** The hashes of the suite's blocks by height, as far as answers tell them. */
export function blockHashesOf(exchanges: readonly Exchange[]): ReadonlyMap<number, string> {
  const hashes = new Map<number, string>()
  const visit = (value: unknown): void => {
    if (typeof value !== 'object' || value === null) return
    const { blockHash, blockNumber, hash, number, parentHash } = value as Readonly<
      Record<string, unknown>
    >
    if (typeof blockHash === 'string' && typeof blockNumber === 'string')
      hashes.set(Number(blockNumber), blockHash)
    if (typeof hash === 'string' && typeof number === 'string') hashes.set(Number(number), hash)
    if (typeof parentHash === 'string' && typeof number === 'string' && Number(number) > 0)
      hashes.set(Number(number) - 1, parentHash)
    for (const inner of Object.values(value)) visit(inner)
  }
  // Simulated blocks have the same heights as others.
  for (const { request, answer } of exchanges)
    if (request.method !== 'eth_simulateV1') visit(answer)
  return hashes
}

/** Blocks of the suite's chain, ten seconds apart. */
const HEIGHT = 54
const INTERVAL_NS = 10_000_000_000n

type JsonHeader = {
  readonly number: string
  readonly miner: string
  readonly mixHash: string
  readonly gasLimit: string
  readonly baseFeePerGas?: string
}

/** The headers that answers show, by height. */
function headersOf(exchanges: readonly Exchange[]): ReadonlyMap<number, JsonHeader> {
  const headers = new Map<number, JsonHeader>()
  const visit = (value: unknown): void => {
    if (typeof value !== 'object' || value === null) return
    if ('mixHash' in value && 'miner' in value)
      headers.set(Number((value as JsonHeader).number), value as JsonHeader)
    for (const inner of Object.values(value)) visit(inner)
  }
  for (const { request, answer } of exchanges)
    if (request.method !== 'eth_simulateV1') visit(answer)
  return headers
}

/** What a block has by its own header where answers show it; else by the nearest one: fees fall on the suite's chain. */
function blockEdit(headers: ReadonlyMap<number, JsonHeader>, height: number): BlockEdit {
  const heights = [...headers.keys()].sort((a, b) => a - b)
  const own = headers.get(height)
  const before = headers.get(heights.findLast((each) => each <= height) ?? 0)
  const after = headers.get(heights.find((each) => each >= height) ?? 0)
  const hasFee = before?.baseFeePerGas !== undefined
  return {
    baseFeePerGas: hasFee ? number(after?.baseFeePerGas) : 0n,
    coinbase: fromHex(before?.miner ?? `0x${'00'.repeat(20)}`),
    gasLimit: number(before?.gasLimit),
    prevRandao: own && fromHex(own.mixHash),
  }
}

/**
 * The suite's genesis and, block for block, those of its transactions that answers show. Between them the nonce of their
 * sender is moved on by hand: the suite has more transactions than its answers tell of. What headers show of their blocks
 * is set by hand too.
 */
export async function createSuiteChain(
  folder: string,
  exchanges: readonly Exchange[],
): Promise<StoredChain> {
  const text = fs.readFileSync(path.join(folder, 'genesis.json'), 'utf8')
  const genesis = JSON.parse(text) as JsonGenesis
  const chain = createChainOf({
    chainId: `suite_${genesis.config.chainId}-1`,
    appState: appStateOf(genesis),
    timeNs: 0n,
    intervalNs: INTERVAL_NS,
  })
  const headers = headersOf(exchanges)
  const shown = new Map<string, JsonTransaction>()
  for (const { request, answer } of exchanges)
    if (request.method !== 'eth_simulateV1') collect(answer, shown)
  for (let height = 1; height <= HEIGHT; height++) {
    const transactions = [...shown.values()]
      .filter((json) => json['blockNumber'] === toQuantity(height) && json['type'] !== '0x3')
      .sort((a, b) => Number(a['transactionIndex']) - Number(b['transactionIndex']))
      .map((json) => transactionOf(json, chain.rules.chainId))
    await mineFrom(chain, blockEdit(headers, height), transactions)
  }
  return chain
}

async function mineFrom(
  chain: StoredChain,
  block: BlockEdit,
  transactions: readonly Transaction[],
): Promise<void> {
  const [first] = transactions
  const accounts = first === undefined ? [] : [{ address: first.sender, nonce: first.nonce }]
  await chain.mineEdited({ ...block, accounts }, ...transactions)
}
