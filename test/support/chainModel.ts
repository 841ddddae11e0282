/** A chain that tests compare the stored one with: plain Maps per height, and state roots made by @ethereumjs/mpt. */
import { createMPT } from '@ethereumjs/mpt'
import { RLP } from '@ethereumjs/rlp'
import { bigintToBytes, trimLeft } from '../../src/base/bytes.ts'
import { fromHex, toHexDigits } from '../../src/base/hex.ts'
import { keccak256 } from '../../src/base/keccak.ts'
import { logsBloom, uniteBlooms } from '../../src/chain/bloom.ts'
import type { ExecutedBlock } from '../../src/chain/executed.ts'
import type { Receipt } from '../../src/chain/receipt.ts'
import type { Transaction } from '../../src/chain/transaction.ts'
import { EMPTY_CODE_HASH, type AccountEffect, type Effects, type Log } from '../../src/evm/types.ts'
import { EMPTY_TRIE_ROOT } from '../../src/proof/mpt.ts'

export type ModelAccount = {
  readonly nonce: bigint
  readonly balance: bigint
  readonly codeHash: Uint8Array
  /** Slots that are not zero, by 64 hex digits. */
  readonly storage: ReadonlyMap<string, Uint8Array>
}

/** Accounts by 40 hex digits. */
export type ModelState = ReadonlyMap<string, ModelAccount>

/** A repeatable source of numbers below a bound. */
export type Random = (bound: number) => number

export function createRandom(seed: number): Random {
  let state = seed >>> 0
  return (bound) => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0
    return Math.floor((state / 2 ** 32) * bound)
  }
}

/** 20 bytes. */
export function addressOf(index: number): Uint8Array {
  return keccak256(Uint8Array.of(1, index >> 16, (index >> 8) & 255, index & 255)).slice(0, 20)
}

/** 32 bytes. */
export function slotOf(index: number): Uint8Array {
  const slot = new Uint8Array(32)
  slot[31] = index
  return slot
}

const CODE = Uint8Array.of(0x60, 0, 0x60, 0, 0xf3)

function randomStorage(random: Random): Map<string, Uint8Array> {
  const storage = new Map<string, Uint8Array>()
  for (let i = random(5); i > 0; i--) {
    const value = new Uint8Array(32)
    // Zero deletes the slot.
    if (random(3) > 0) for (let at = 31 - random(32); at < 32; at++) value[at] = random(256)
    storage.set(toHexDigits(slotOf(random(12))), value)
  }
  return storage
}

function randomEffect(random: Random, address: Uint8Array): AccountEffect {
  const kind = random(10)
  if (kind === 0) return { address, account: undefined, storageCleared: true, storage: new Map() }
  const hasCode = kind < 6
  return {
    address,
    account: {
      nonce: BigInt(random(1000)),
      balance: BigInt(random(2 ** 31)) ** BigInt(1 + random(3)),
      codeHash: hasCode ? keccak256(CODE) : EMPTY_CODE_HASH,
    },
    ...(hasCode && { code: CODE }),
    storageCleared: kind === 1,
    storage: hasCode ? randomStorage(random) : new Map(),
  }
}

/** Effects on some of the first `accounts` addresses, all shapes among them. */
export function randomEffects(random: Random, accounts: number, most: number): Effects {
  const effects = new Map<string, AccountEffect>()
  for (let i = random(most + 1); i > 0; i--) {
    const address = addressOf(random(accounts))
    effects.set(toHexDigits(address), randomEffect(random, address))
  }
  return effects
}

/** The state after the effects. */
export function applyEffects(state: ModelState, effects: Effects): ModelState {
  const next = new Map(state)
  for (const [key, { account, storageCleared, storage }] of effects) {
    if (account === undefined) {
      next.delete(key)
      continue
    }
    const slots = new Map(storageCleared ? [] : state.get(key)?.storage)
    for (const [slot, value] of storage)
      if (value.some((byte) => byte !== 0)) slots.set(slot, value)
      else slots.delete(slot)
    next.set(key, { ...account, storage: slots })
  }
  return next
}

async function storageTrieOf(storage: ReadonlyMap<string, Uint8Array>) {
  const trie = await createMPT({ useKeyHashing: true })
  for (const [slot, value] of storage) await trie.put(fromHex(slot), RLP.encode(trimLeft(value)))
  return trie
}

/** The state root, by an independent implementation. */
export async function modelRoot(state: ModelState): Promise<Uint8Array> {
  const trie = await createMPT({ useKeyHashing: true })
  for (const [address, { nonce, balance, codeHash, storage }] of state) {
    const fields = [
      bigintToBytes(nonce),
      bigintToBytes(balance),
      (await storageTrieOf(storage)).root(),
      codeHash,
    ]
    await trie.put(fromHex(address), RLP.encode(fields))
  }
  return trie.root()
}

/** The state after each height, genesis first. */
export function statesOf(blocks: readonly ExecutedBlock[]): readonly ModelState[] {
  const states: ModelState[] = []
  for (const { effects } of blocks) states.push(applyEffects(states.at(-1) ?? new Map(), effects))
  return states
}

function legacyTransaction(random: Random, nonce: number): Transaction {
  const to = addressOf(random(50))
  const value = BigInt(random(2 ** 31))
  const r = BigInt(1 + random(2 ** 31))
  const s = BigInt(1 + random(2 ** 31))
  const fields = [BigInt(nonce), 1_000_000_000n, 21_000n, to, value, new Uint8Array(0), 27n, r, s]
  const raw = RLP.encode(
    fields.map((field) => (typeof field === 'bigint' ? bigintToBytes(field) : field)),
  )
  return {
    type: 0,
    chainId: undefined,
    nonce: BigInt(nonce),
    maxFeePerGas: 1_000_000_000n,
    maxPriorityFeePerGas: 1_000_000_000n,
    gasLimit: 21_000n,
    to,
    value,
    data: new Uint8Array(0),
    accessList: [],
    authorizationList: [],
    v: 27n,
    r,
    s,
    raw,
    hash: keccak256(raw),
    sender: addressOf(random(50)),
  }
}

function randomLogs(random: Random): readonly Log[] {
  return Array.from({ length: random(4) }, () => ({
    address: addressOf(random(6)),
    topics: Array.from({ length: random(4) }, () => keccak256(Uint8Array.of(random(5)))),
    data: new Uint8Array(random(70)).fill(random(256)),
  }))
}

function receiptOf(
  transaction: Transaction,
  logs: readonly Log[],
  before: readonly Receipt[],
): Receipt {
  const last = before.at(-1)
  return {
    type: transaction.type,
    status: transaction.nonce % 5n === 0n ? 0 : 1,
    gasUsed: 21_000n,
    cumulativeGasUsed: (last?.cumulativeGasUsed ?? 0n) + 21_000n,
    effectiveGasPrice: transaction.maxFeePerGas,
    contractAddress: transaction.nonce % 7n === 0n ? addressOf(7) : undefined,
    logs,
    logsBloom: logsBloom(logs),
    firstLogIndex: last === undefined ? 0 : last.firstLogIndex + last.logs.length,
  }
}

const word = (kind: number, height: number): Uint8Array =>
  keccak256(Uint8Array.of(kind, height >> 16, (height >> 8) & 255, height & 255))

/** Contents of a random block. */
export type BlockShape = {
  readonly effects: Effects
  readonly transactions?: number
  /** Whether transactions emit logs; they do by default. */
  readonly withLogs?: boolean
}

/** A block whose transactions and receipts are made up, one of them refused where there are several. */
export function modelBlock(random: Random, height: number, shape: BlockShape): ExecutedBlock {
  const transactions: Transaction[] = []
  const receipts: Receipt[] = []
  for (let i = 0; i < (shape.transactions ?? 0); i++) {
    const transaction = legacyTransaction(random, height * 1000 + i)
    transactions.push(transaction)
    receipts.push(
      receiptOf(transaction, shape.withLogs === false ? [] : randomLogs(random), receipts),
    )
  }
  const decided: ExecutedBlock['decided'][number][] = transactions.map(({ raw }, index) => ({
    raw,
    transactionIndex: index,
    result: {
      code: receipts[index]?.status === 1 ? 0 : 1,
      codespace: '',
      log: receipts[index]?.status === 1 ? '' : 'execution reverted',
      data: word(9, height + index),
      gasWanted: 21_000n,
      gasUsed: 21_000n,
    },
  }))
  if (decided.length > 2)
    decided.splice(1, 0, {
      raw: Uint8Array.of(0xff, height & 255, 3),
      transactionIndex: undefined,
      result: {
        code: 2,
        codespace: 'evm',
        log: 'transaction type not supported',
        data: new Uint8Array(0),
        gasWanted: 0n,
        gasUsed: 0n,
      },
    })
  return {
    header: {
      height,
      hash: word(2, height),
      parentHash: word(2, height - 1),
      timeNs: 1_700_000_000_000_000_000n + BigInt(height) * 1_234_567_891n,
      proposer: addressOf(200),
      coinbase: addressOf(201),
      transactionsRoot: receipts.length === 0 ? EMPTY_TRIE_ROOT : word(3, height),
      receiptsRoot: receipts.length === 0 ? EMPTY_TRIE_ROOT : word(4, height),
      logsBloom: uniteBlooms(receipts.map((receipt) => receipt.logsBloom)),
      gasLimit: 30_000_000n,
      gasUsed: BigInt(receipts.length) * 21_000n,
      baseFeePerGas: 1_000_000_000n,
      prevRandao: word(5, height),
      size: 700 + height,
    },
    transactions,
    receipts,
    decided,
    effects: shape.effects,
    validatorUpdates: [],
    systemLogs: [],
  }
}

/** Genesis and blocks with random effects on `accounts` addresses. */
export function modelChain(
  seed: number,
  length: number,
  accounts: number,
): readonly ExecutedBlock[] {
  const random = createRandom(seed)
  return Array.from({ length }, (_, height) =>
    modelBlock(random, height, {
      effects: randomEffects(random, accounts, height === 0 ? accounts : 8),
      transactions: height === 0 ? 0 : random(4),
    }),
  )
}
