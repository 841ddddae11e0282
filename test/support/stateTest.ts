/** State tests of ethereum/tests and execution-spec-tests: their JSON, and how a case is run on our transition. */
import { MerklePatriciaTrie } from '@ethereumjs/mpt'
import { bigintToBytes, bytesToBigint, padLeft, trimLeft } from '../../src/base/bytes.ts'
import { fromHex, toHex, toHexDigits } from '../../src/base/hex.ts'
import { keccak256 } from '../../src/base/keccak.ts'
import { encodeRlp, encodeRlpBytes } from '../../src/base/rlp.ts'
import { InvalidTransactionError } from '../../src/evm/invalidTransaction.ts'
import { overlay } from '../../src/evm/overlay.ts'
import type { Hardfork, TransitionRules } from '../../src/evm/rules.ts'
import type { Transactable } from '../../src/evm/transactable.ts'
import { applyTransaction } from '../../src/evm/transition.ts'
import {
  EMPTY_CODE_HASH,
  type AccessListEntry,
  type BlockEnvironment,
  type Effects,
  type Engine,
  type Log,
  type StateView,
} from '../../src/evm/types.ts'

type JsonAccount = {
  readonly nonce: string
  readonly balance: string
  readonly code: string
  readonly storage: Readonly<Record<string, string>>
}
type JsonAccessList = readonly { readonly address: string; readonly storageKeys: string[] }[]
type JsonAuthorization = Readonly<
  Record<'chainId' | 'address' | 'nonce' | 'v' | 'yParity' | 'r' | 's', string>
>
type JsonTransaction = {
  readonly sender: string
  readonly nonce: string
  readonly to: string
  readonly gasPrice?: string
  readonly maxFeePerGas?: string
  readonly maxPriorityFeePerGas?: string
  readonly maxFeePerBlobGas?: string
  readonly blobVersionedHashes?: readonly string[]
  readonly authorizationList?: readonly JsonAuthorization[]
  readonly data: readonly string[]
  readonly gasLimit: readonly string[]
  readonly value: readonly string[]
  readonly accessLists?: readonly (JsonAccessList | null)[]
}
export type StateTestPost = {
  readonly hash: string
  readonly logs: string
  readonly indexes: { readonly data: number; readonly gas: number; readonly value: number }
  readonly txbytes?: string
  readonly expectException?: string
}
export type StateTest = {
  readonly env: Readonly<Record<string, string>>
  readonly pre: Readonly<Record<string, JsonAccount>>
  readonly transaction: JsonTransaction
  readonly post: Readonly<Record<string, readonly StateTestPost[]>>
  readonly config?: {
    readonly blobSchedule?: Readonly<Record<string, { readonly baseFeeUpdateFraction: string }>>
  }
}

/** Fillers write integers beyond 256 bits as "0x:bigint 0x…". */
const BIGINT_MARK = '0x:bigint '

function number(text: string | undefined): bigint {
  if (text === undefined || text === '0x') return 0n
  return BigInt(text.startsWith(BIGINT_MARK) ? text.slice(BIGINT_MARK.length) : text)
}

const bytes = (text: string): Uint8Array =>
  fromHex(text.length % 2 === 0 ? text : `0x0${text.slice(2)}`)
const word = (text: string): Uint8Array => padLeft(bytes(text), 32)

function accessListOf(list: JsonAccessList | null | undefined): AccessListEntry[] {
  return (list ?? []).map(({ address, storageKeys }) => ({
    address: fromHex(address),
    storageKeys: storageKeys.map(word),
  }))
}

function typeOf(transaction: JsonTransaction): number {
  if (transaction.authorizationList !== undefined) return 4
  if (transaction.maxFeePerBlobGas !== undefined) return 3
  if (transaction.maxFeePerGas !== undefined) return 2
  return transaction.accessLists === undefined ? 0 : 1
}

function transactable(test: StateTest, { indexes }: StateTestPost): Transactable {
  const { transaction } = test
  const type = typeOf(transaction)
  const maxFee = number(transaction.maxFeePerGas ?? transaction.gasPrice)
  return {
    type,
    sender: fromHex(transaction.sender),
    nonce: number(transaction.nonce),
    maxFeePerGas: maxFee,
    maxPriorityFeePerGas: number(transaction.maxPriorityFeePerGas ?? transaction.gasPrice),
    gasLimit: number(transaction.gasLimit[indexes.gas]),
    to: transaction.to === '' ? undefined : fromHex(transaction.to),
    value: number(transaction.value[indexes.value]),
    data: bytes(transaction.data[indexes.data] ?? '0x'),
    accessList: accessListOf(transaction.accessLists?.[indexes.data]),
    authorizationList: (transaction.authorizationList ?? []).map((tuple) => ({
      chainId: number(tuple.chainId),
      address: fromHex(tuple.address),
      nonce: number(tuple.nonce),
      yParity: number(tuple.yParity ?? tuple.v),
      r: number(tuple.r),
      s: number(tuple.s),
    })),
    ...(type === 3 && {
      blobs: {
        versionedHashes: (transaction.blobVersionedHashes ?? []).map(fromHex),
        maxFeePerBlobGas: number(transaction.maxFeePerBlobGas),
      },
    }),
  }
}

/** EIP-4844's approximation of factor * e^(numerator / denominator). */
function fakeExponential(factor: bigint, numerator: bigint, denominator: bigint): bigint {
  let output = 0n
  let term = factor * denominator
  for (let i = 1n; term > 0n; i++) {
    output += term
    term = (term * numerator) / (denominator * i)
  }
  return output / denominator
}

const UPDATE_FRACTION: Readonly<Record<Hardfork, bigint>> = {
  cancun: 3_338_477n,
  prague: 5_007_716n,
  osaka: 5_007_716n,
}

function environment({ env }: StateTest, hardfork: Hardfork): BlockEnvironment {
  return {
    chainId: 1n,
    height: Number(number(env['currentNumber'])),
    timestamp: number(env['currentTimestamp']),
    coinbase: fromHex(env['currentCoinbase'] ?? ''),
    gasLimit: number(env['currentGasLimit']),
    baseFeePerGas: number(env['currentBaseFee'] ?? '0x0a'),
    prevRandao: word(env['currentRandom'] ?? '0x00'),
    blobBaseFee: fakeExponential(
      1n,
      number(env['currentExcessBlobGas']),
      UPDATE_FRACTION[hardfork],
    ),
  }
}

type MemoryAccount = {
  nonce: bigint
  balance: bigint
  code: Uint8Array
  storage: Map<string, Uint8Array>
}
type MemoryState = Map<string, MemoryAccount>

function preState({ pre }: StateTest): MemoryState {
  const state: MemoryState = new Map()
  for (const [address, account] of Object.entries(pre)) {
    const storage = new Map(
      Object.entries(account.storage)
        .map(([slot, value]) => [toHexDigits(word(slot)), word(value)] as const)
        .filter(([, value]) => bytesToBigint(value) !== 0n),
    )
    state.set(toHexDigits(fromHex(address)), {
      nonce: number(account.nonce),
      balance: number(account.balance),
      code: bytes(account.code),
      storage,
    })
  }
  return state
}

function viewOf(state: MemoryState): StateView {
  const codes = new Map<string, Uint8Array>()
  for (const { code } of state.values()) codes.set(toHexDigits(keccak256(code)), code)
  return {
    account(address) {
      const account = state.get(toHexDigits(address))
      return (
        account && {
          nonce: account.nonce,
          balance: account.balance,
          codeHash: account.code.length === 0 ? EMPTY_CODE_HASH : keccak256(account.code),
        }
      )
    },
    code: (hash) => codes.get(toHexDigits(hash)) ?? new Uint8Array(0),
    storage: (address, slot) =>
      state.get(toHexDigits(address))?.storage.get(toHexDigits(slot)) ?? new Uint8Array(32),
    hasStorage: (address) => (state.get(toHexDigits(address))?.storage.size ?? 0) > 0,
  }
}

function applyEffects(state: MemoryState, effects: Effects, view: StateView): void {
  for (const [key, effect] of effects) {
    if (effect.account === undefined) {
      state.delete(key)
      continue
    }
    const before = effect.storageCleared ? undefined : state.get(key)
    const storage = new Map(before?.storage)
    for (const [slot, value] of effect.storage)
      if (bytesToBigint(value) === 0n) storage.delete(slot)
      else storage.set(slot, value)
    const { nonce, balance, codeHash } = effect.account
    state.set(key, { nonce, balance, code: effect.code ?? view.code(codeHash), storage })
  }
}

async function storageRoot(storage: MemoryAccount['storage']): Promise<Uint8Array> {
  const trie = new MerklePatriciaTrie({ useKeyHashing: true })
  for (const [slot, value] of storage)
    await trie.put(fromHex(slot), encodeRlpBytes(trimLeft(value)))
  return trie.root()
}

async function rootOf(state: MemoryState): Promise<string> {
  const trie = new MerklePatriciaTrie({ useKeyHashing: true })
  for (const [address, { nonce, balance, code, storage }] of state)
    await trie.put(
      fromHex(address),
      encodeRlp([
        bigintToBytes(nonce),
        bigintToBytes(balance),
        await storageRoot(storage),
        keccak256(code),
      ]),
    )
  return toHex(trie.root())
}

function logsHash(logs: readonly Log[]): string {
  return toHex(
    keccak256(encodeRlp(logs.map(({ address, topics, data }) => [address, topics, data]))),
  )
}

/** Why a case fails, or undefined when state root and logs hash are the expected ones. */
export async function runStateTest(
  engine: Engine,
  test: StateTest,
  post: StateTestPost,
  hardfork: Hardfork,
): Promise<string | undefined> {
  const rules: TransitionRules = { hardfork, baseFeeSink: 'burned' }
  const state = preState(test)
  const view = viewOf(state)
  const transaction = transactable(test, post)
  const block = environment(test, hardfork)
  let logs: readonly Log[] = []
  let refused = ''
  try {
    if (transaction.gasLimit > block.gasLimit)
      throw new InvalidTransactionError('block-gas-limit', 'gas limit reached')
    const result = await applyTransaction(engine, transaction, block, view, rules)
    const after = overlay(view)
    after.apply(result.effects)
    applyEffects(state, result.effects, after)
    logs = result.logs
  } catch (error) {
    if (!(error instanceof InvalidTransactionError)) throw error
    refused = error.message
  }
  const expected = post.expectException
  if ((refused !== '') !== (expected !== undefined))
    return `expected ${expected ?? 'a valid transaction'}, got ${refused || 'one'}`
  if (logsHash(logs) !== post.logs) return 'logs differ'
  return (await rootOf(state)) === post.hash ? undefined : `state root differs (${refused})`
}
