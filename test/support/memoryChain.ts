/**
 * A chain in memory behind ChainReader, whose blocks are written by tests: for code that reads the chain, not for code
 * that extends it.
 */
import { EMPTY_BYTES, concatBytes, equalBytes } from '../../src/base/bytes.ts'
import { fromHex, toHexDigits } from '../../src/base/hex.ts'
import { keccak256 } from '../../src/base/keccak.ts'
import type { BlockHeader } from '../../src/chain/block.ts'
import { encodeLogsRecord, placesOf } from '../../src/ledger/blocks/logsRecord.ts'
import { logsBloom, uniteBlooms } from '../../src/chain/bloom.ts'
import { createLogTest } from '../../src/ledger/logs/criteria.ts'
import type { BlockLogs, ChainReader, LogCriteria } from '../../src/chain/reader.ts'
import { StateUnavailableError } from '../../src/chain/reader.ts'
import type { Receipt } from '../../src/chain/receipt.ts'
import type { Transaction } from '../../src/chain/transaction.ts'
import { EMPTY_CODE_HASH, type Log, type StateView } from '../../src/evm/types.ts'
import { EMPTY_TRIE_ROOT } from '../../src/proof/mpt.ts'

export const CHAIN_ID = 271_828n
export const BASE_FEE = 1_000_000_000n
export const GAS_LIMIT = 30_000_000n
/** Time of block 0 in nanoseconds; each block is one second after the previous one. */
export const GENESIS_TIME_NS = 1_700_000_000_000_000_000n

/** An account of a hand-written state; keys of `storage` are slots as 64 hex digits. */
export type MemoryAccount = {
  readonly nonce?: bigint
  readonly balance?: bigint
  readonly code?: Uint8Array
  readonly storage?: Readonly<Record<string, Uint8Array>>
}

/** What a test says about a transaction of a block. */
export type IncludedTransaction = {
  readonly transaction: Transaction
  readonly gasUsed?: bigint
  readonly status?: 0 | 1
  readonly logs?: readonly Log[]
  readonly contractAddress?: Uint8Array
}

type MemoryBlock = {
  readonly header: BlockHeader
  readonly transactions: readonly Transaction[]
  readonly receipts: readonly Receipt[]
  readonly state: ReadonlyMap<string, MemoryAccount>
}

export type MemoryChain = ChainReader & {
  /** Appends a block; `changes` are the accounts that differ from the previous block, by address in hex digits. */
  append(
    included?: readonly IncludedTransaction[],
    changes?: Readonly<Record<string, MemoryAccount>>,
  ): BlockHeader
  /** Drops the state of heights below. */
  forget(height: number): void
}

function viewOf(state: ReadonlyMap<string, MemoryAccount>): StateView {
  const codes = new Map<string, Uint8Array>()
  for (const { code } of state.values()) if (code) codes.set(toHexDigits(keccak256(code)), code)
  const slotsOf = (address: Uint8Array): Readonly<Record<string, Uint8Array>> =>
    state.get(toHexDigits(address))?.storage ?? {}
  return {
    account(address) {
      const account = state.get(toHexDigits(address))
      return (
        account && {
          nonce: account.nonce ?? 0n,
          balance: account.balance ?? 0n,
          codeHash: account.code ? keccak256(account.code) : EMPTY_CODE_HASH,
        }
      )
    },
    code: (codeHash) => codes.get(toHexDigits(codeHash)) ?? EMPTY_BYTES,
    storage: (address, slot) => slotsOf(address)[toHexDigits(slot)] ?? new Uint8Array(32),
    hasStorage: (address) => Object.keys(slotsOf(address)).length > 0,
  }
}

function receiptsOf(included: readonly IncludedTransaction[]): Receipt[] {
  let cumulativeGasUsed = 0n
  let firstLogIndex = 0
  return included.map(({ transaction, gasUsed = 21_000n, status = 1, logs = [], ...rest }) => {
    cumulativeGasUsed += gasUsed
    const cap = BASE_FEE + transaction.maxPriorityFeePerGas
    const receipt: Receipt = {
      type: transaction.type,
      status,
      gasUsed,
      cumulativeGasUsed,
      effectiveGasPrice: cap < transaction.maxFeePerGas ? cap : transaction.maxFeePerGas,
      contractAddress: rest.contractAddress,
      logs,
      logsBloom: logsBloom(logs),
      firstLogIndex,
    }
    firstLogIndex += logs.length
    return receipt
  })
}

/** A chain that has only its genesis, with the given accounts. */
export function createMemoryChain(
  genesis: Readonly<Record<string, MemoryAccount>> = {},
): MemoryChain {
  const blocks: MemoryBlock[] = []
  let firstState = 0

  function stateOf(height: number): ReadonlyMap<string, MemoryAccount> {
    const block = blocks[height]
    if (!block || height < firstState)
      throw new StateUnavailableError(`state of height ${height} is not kept`)
    return block.state
  }

  function* logsOf(block: MemoryBlock, criteria: LogCriteria): Iterable<BlockLogs> {
    const { record } = encodeLogsRecord(block)
    const meets = createLogTest(criteria)
    const places = placesOf(record, meets)
    if (places.length > 0) yield { header: block.header, record, places }
  }

  function append(
    included: readonly IncludedTransaction[] = [],
    changes: Readonly<Record<string, MemoryAccount>> = {},
  ): BlockHeader {
    const height = blocks.length
    const parent = blocks[height - 1]
    const receipts = receiptsOf(included)
    const header: BlockHeader = {
      height,
      hash: keccak256(Uint8Array.of(1, height)),
      parentHash: parent?.header.hash ?? new Uint8Array(32),
      timeNs: GENESIS_TIME_NS + BigInt(height) * 1_000_000_000n,
      proposer: new Uint8Array(20).fill(9),
      coinbase: new Uint8Array(20).fill(0xc0),
      stateRoot: keccak256(Uint8Array.of(2, height)),
      transactionsRoot:
        included.length === 0 ? EMPTY_TRIE_ROOT : keccak256(Uint8Array.of(3, height)),
      receiptsRoot: keccak256(Uint8Array.of(4, height)),
      logsBloom: uniteBlooms(receipts.map((receipt) => receipt.logsBloom)),
      gasLimit: GAS_LIMIT,
      gasUsed: receipts.at(-1)?.cumulativeGasUsed ?? 0n,
      baseFeePerGas: BASE_FEE,
      prevRandao: keccak256(Uint8Array.of(5, height)),
      size: concatBytes(...included.map(({ transaction }) => transaction.raw)).length,
    }
    const transactions = included.map(({ transaction }) => transaction)
    const state = new Map([...(parent?.state ?? []), ...Object.entries(changes)])
    blocks.push({ header, transactions, receipts, state })
    return header
  }
  append([], genesis)

  return {
    chainId: CHAIN_ID,
    append,
    forget(height) {
      firstState = height
    },
    latestHeight: () => blocks.length - 1,
    earliestHeight: () => 0,
    earliestState: () => firstState,
    header: (height) => blocks[height]?.header,
    genesis: () => blocks[0]?.header,
    heightOfHash: (hash) =>
      blocks.find(({ header }) => equalBytes(header.hash, hash))?.header.height,
    transactions: (height) => blocks[height]?.transactions,
    receipts: (height) => blocks[height]?.receipts,
    transactionHashes: (height) => blocks[height]?.transactions.map(({ hash }) => hash),
    transactionCount: (height) => blocks[height]?.transactions.length,
    transaction: (height, index) => blocks[height]?.transactions[index],
    receipt(height, index) {
      const block = blocks[height]
      const receipt = block?.receipts[index]
      if (!block || !receipt) return undefined
      const { record } = encodeLogsRecord(block)
      const places = placesOf(record).filter(({ transactionIndex }) => transactionIndex === index)
      return { ...receipt, logs: { record, places } }
    },
    decided: () => undefined,
    validatorUpdates: () => [],
    systemLogs: () => [],
    findTransaction(hash) {
      for (const [height, { transactions }] of blocks.entries()) {
        const index = transactions.findIndex((transaction) => equalBytes(transaction.hash, hash))
        if (index >= 0) return { height, index }
      }
      return undefined
    },
    findDecided: () => undefined,
    stateAt: (height) => viewOf(stateOf(height)),
    proof(height, address, slots) {
      const view = viewOf(stateOf(height))
      const account = view.account(address)
      return {
        accountProof: [Uint8Array.of(0xc0)],
        balance: account?.balance ?? 0n,
        nonce: account?.nonce ?? 0n,
        codeHash: account?.codeHash ?? EMPTY_CODE_HASH,
        storageRoot: new Uint8Array(32),
        storageProof: slots.map((slot) => ({
          slot,
          value: view.storage(address, slot),
          proof: [],
        })),
      }
    },
    *accounts(height) {
      const view = viewOf(stateOf(height))
      for (const digits of stateOf(height).keys()) {
        const account = view.account(fromHex(digits))
        if (account === undefined) continue
        yield { address: fromHex(digits), account: { ...account, storageRoot: EMPTY_TRIE_ROOT } }
      }
    },
    *slots(height, address) {
      const { storage = {} } = stateOf(height).get(toHexDigits(address)) ?? {}
      for (const [slot, value] of Object.entries(storage)) yield { slot: fromHex(slot), value }
    },
    roots: (_height, steps) => steps.map((_effects, index) => keccak256(Uint8Array.of(6, index))),
    *logs(first, last, criteria) {
      for (const block of blocks.slice(first, last + 1)) yield* logsOf(block, criteria)
    },
  }
}
