/**
 * The validator set that the staking contract returned last. It is state of the chain, in the storage of the system account,
 * where no contract can write: updates for an engine are the difference to it.
 */
import { bigintToFixedBytes, bytesToBigint, compareBytes } from '../../base/bytes.ts'
import { fromHex, toHexDigits } from '../../base/hex.ts'
import type { AccountEffect, Effects, StateView } from '../../evm/types.ts'
import { EMPTY_CODE_HASH } from '../../evm/types.ts'

/** Caller of a block's system calls; the address is that of EIP-4788. */
export const SYSTEM_ADDRESS: Uint8Array = fromHex('0xfffffffffffffffffffffffffffffffffffffffe')

/** A validator's 32-byte Ed25519 key and its power; in an update, power 0 removes it. */
export type ValidatorPower = { readonly publicKey: Uint8Array; readonly power: bigint }

/**
 * Maximum power of one validator, as in the contract. A hundred of them stay far below CometBFT's bound of 2^60 for a
 * set.
 */
export const MAX_POWER: bigint = 1n << 52n

const WORD = 32
const COUNT_SLOT = 0

const slotOf = (index: number): Uint8Array => bigintToFixedBytes(BigInt(index), WORD)
const keySlot = (index: number): Uint8Array => slotOf(1 + 2 * index)
const powerSlot = (index: number): Uint8Array => slotOf(2 + 2 * index)

const byKey = (a: ValidatorPower, b: ValidatorPower): number =>
  compareBytes(a.publicKey, b.publicKey)

/**
 * The set that the contract returned, `(bytes32 publicKey, uint64 power)[]` in ABI encoding, sorted by key; empty if it
 * changes nothing. Undefined for an invalid result: too long, too powerful, a duplicate key.
 */
export function decodeSet(
  answer: Uint8Array,
  maxValidators: number,
): readonly ValidatorPower[] | undefined {
  const wordAt = (index: number) => answer.subarray(index * WORD, (index + 1) * WORD)
  const numberAt = (index: number) => bytesToBigint(wordAt(index))
  if (answer.length < 2 * WORD || numberAt(0) !== BigInt(WORD)) return undefined
  const count = numberAt(1)
  if (count > BigInt(maxValidators)) return undefined
  if (BigInt(answer.length) !== (2n + 2n * count) * BigInt(WORD)) return undefined
  const set: ValidatorPower[] = []
  for (let at = 2; at < 2 + 2 * Number(count); at += 2)
    set.push({ publicKey: wordAt(at).slice(), power: numberAt(at + 1) })
  set.sort(byKey)
  const isValid = set.every(
    (entry, index) =>
      entry.power > 0n &&
      entry.power <= MAX_POWER &&
      (index === 0 || byKey(set[index - 1] ?? entry, entry) < 0),
  )
  return isValid ? set : undefined
}

/** The updates from one set to another, sorted by key; power 0 removes. */
export function differenceOf(
  before: readonly ValidatorPower[],
  after: readonly ValidatorPower[],
): readonly ValidatorPower[] {
  const known = new Map(before.map(({ publicKey, power }) => [toHexDigits(publicKey), power]))
  const kept = new Set(after.map(({ publicKey }) => toHexDigits(publicKey)))
  const removed = before.filter(({ publicKey }) => !kept.has(toHexDigits(publicKey)))
  return [
    ...removed.map(({ publicKey }) => ({ publicKey, power: 0n })),
    ...after.filter(({ publicKey, power }) => known.get(toHexDigits(publicKey)) !== power),
  ].sort(byKey)
}

/** The set in a state, sorted by key. */
export function readSet(state: StateView): readonly ValidatorPower[] {
  const at = (slot: Uint8Array) => state.storage(SYSTEM_ADDRESS, slot)
  const count = Number(bytesToBigint(at(slotOf(COUNT_SLOT))))
  return Array.from({ length: count }, (_, index) => ({
    publicKey: at(keySlot(index)),
    power: bytesToBigint(at(powerSlot(index))),
  }))
}

/** The effects that store a sorted set in place of one with `previous` entries. */
export function writeSet(set: readonly ValidatorPower[], previous: number): Effects {
  const storage = new Map<string, Uint8Array>()
  const put = (slot: Uint8Array, value: Uint8Array) => storage.set(toHexDigits(slot), value)
  put(slotOf(COUNT_SLOT), slotOf(set.length))
  for (const [index, { publicKey, power }] of set.entries()) {
    put(keySlot(index), publicKey)
    put(powerSlot(index), bigintToFixedBytes(power, WORD))
  }
  for (let index = set.length; index < previous; index++)
    for (const slot of [keySlot(index), powerSlot(index)]) put(slot, new Uint8Array(WORD))
  const effect: AccountEffect = {
    address: SYSTEM_ADDRESS,
    // With a nonce the account is not empty, so it stays (EIP-161).
    account: { nonce: 1n, balance: 0n, codeHash: EMPTY_CODE_HASH },
    storageCleared: false,
    storage,
  }
  return new Map([[toHexDigits(SYSTEM_ADDRESS), effect]])
}
