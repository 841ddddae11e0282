/**
 * Manual edits of the state, on development chains: a record that is decided as the first transaction of a block, and
 * applied before the others. They are thus part of the chain: replaying the block gives the same state. The record is
 * 0x7d and the RLP of [height, [account…], [base fee]?, [coinbase]?, [prevRandao]?, [gas limit]?]; an account is
 * [address, [balance]?, [nonce]?, [code]?, [[slot, value]…]]. Fields after the base fee may be missing.
 */
import { bigintToBytes, bytesToBigint, concatBytes, padLeft, trimLeft } from '../../base/bytes.ts'
import { toHexDigits } from '../../base/hex.ts'
import { keccak256 } from '../../base/keccak.ts'
import { decodeRlp, encodeRlp, RlpError, type RlpItem } from '../../base/rlp.ts'
import {
  EMPTY_CODE_HASH,
  type AccountEffect,
  type Effects,
  type StateView,
} from '../../evm/types.ts'

/** First byte of the record: an EIP-2718 type that no transaction has. */
const EDIT_TYPE = 0x7d

/** Changes of an account; absent fields stay unchanged. */
export type AccountEdit = {
  readonly address: Uint8Array
  readonly balance?: bigint | undefined
  readonly nonce?: bigint | undefined
  readonly code?: Uint8Array | undefined
  /** Slots and values of 32 bytes. */
  readonly slots?: readonly (readonly [slot: Uint8Array, value: Uint8Array])[] | undefined
}

export type StateEdit = {
  /** The height of its block, so that no two records are equal. */
  readonly height: number
  readonly accounts: readonly AccountEdit[]
} & BlockEdit

/** Overrides of block values that would otherwise follow from the parent and the genesis. */
export type BlockEdit = {
  readonly baseFeePerGas?: bigint | undefined
  readonly coinbase?: Uint8Array | undefined
  readonly prevRandao?: Uint8Array | undefined
  readonly gasLimit?: bigint | undefined
}

const optional = (value: Uint8Array | undefined): RlpItem => (value === undefined ? [] : [value])
const optionalInteger = (value: bigint | undefined): RlpItem =>
  optional(value === undefined ? undefined : bigintToBytes(value))

/** The record of an edit. */
export function encodeEdit({ height, accounts, ...block }: StateEdit): Uint8Array {
  const items = accounts.map(({ address, balance, nonce, code, slots = [] }): RlpItem => [
    address,
    optionalInteger(balance),
    optionalInteger(nonce),
    optional(code),
    slots.map(([slot, value]): RlpItem => [slot, trimLeft(value)]),
  ])
  const record = encodeRlp([
    bigintToBytes(BigInt(height)),
    items,
    optionalInteger(block.baseFeePerGas),
    optional(block.coinbase),
    optional(block.prevRandao),
    optionalInteger(block.gasLimit),
  ])
  return concatBytes(Uint8Array.of(EDIT_TYPE), record)
}

function bytesOf(item: RlpItem | undefined): Uint8Array {
  if (item instanceof Uint8Array) return item
  throw new RlpError('expected bytes')
}

function listOf(item: RlpItem | undefined): readonly RlpItem[] {
  if (item === undefined || item instanceof Uint8Array) throw new RlpError('expected a list')
  return item
}

function optionalOf(item: RlpItem | undefined): Uint8Array | undefined {
  const [value] = listOf(item)
  return value === undefined ? undefined : bytesOf(value)
}

function optionalIntegerOf(item: RlpItem | undefined): bigint | undefined {
  const value = optionalOf(item)
  return value && bytesToBigint(value)
}

function sizedOf(item: RlpItem, size: number): Uint8Array | undefined {
  const value = optionalOf(item)
  return value && padLeft(value, size)
}

function accountOf(item: RlpItem): AccountEdit {
  const [address, balance, nonce, code, slots] = listOf(item)
  return {
    address: padLeft(bytesOf(address), 20),
    balance: optionalIntegerOf(balance),
    nonce: optionalIntegerOf(nonce),
    code: optionalOf(code),
    slots: listOf(slots).map((pair) => {
      const [slot, value] = listOf(pair)
      return [padLeft(bytesOf(slot), 32), padLeft(bytesOf(value), 32)] as const
    }),
  }
}

/** The edit of a record; undefined for any other bytes. */
export function decodeEdit(raw: Uint8Array | undefined): StateEdit | undefined {
  if (raw === undefined || raw[0] !== EDIT_TYPE) return undefined
  try {
    const [height, accounts, baseFee, coinbase = [], prevRandao = [], gasLimit = []] = listOf(
      decodeRlp(raw.subarray(1)),
    )
    return {
      height: Number(bytesToBigint(bytesOf(height))),
      accounts: listOf(accounts).map(accountOf),
      baseFeePerGas: optionalIntegerOf(baseFee),
      coinbase: sizedOf(coinbase, 20),
      prevRandao: sizedOf(prevRandao, 32),
      gasLimit: optionalIntegerOf(gasLimit),
    }
  } catch (error) {
    if (error instanceof RlpError || error instanceof RangeError) return undefined
    throw error
  }
}

function effectOf(edit: AccountEdit, state: StateView): AccountEffect {
  const { address, code } = edit
  const present = state.account(address)
  const isCode = code !== undefined && code.length > 0
  return {
    address,
    account: {
      balance: edit.balance ?? present?.balance ?? 0n,
      nonce: edit.nonce ?? present?.nonce ?? 0n,
      codeHash:
        code === undefined
          ? (present?.codeHash ?? EMPTY_CODE_HASH)
          : isCode
            ? keccak256(code)
            : EMPTY_CODE_HASH,
    },
    ...(isCode && { code }),
    storageCleared: false,
    storage: new Map((edit.slots ?? []).map(([slot, value]) => [toHexDigits(slot), value])),
  }
}

/** The effects of an edit on a state. */
export function editEffects({ accounts }: StateEdit, state: StateView): Effects {
  return new Map(accounts.map((edit) => [toHexDigits(edit.address), effectOf(edit, state)]))
}
