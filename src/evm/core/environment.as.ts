// Opcodes that read other accounts, code and blocks. The result replaces the first operand.
import {
  Account,
  EXISTS,
  accountAt,
  balanceOf,
  codeHashOf,
  codeOf,
  ensureLoaded,
  isEmpty,
  loadedAccountAt,
  warmUp,
} from './accounts.as'
import { Frame } from './frames.as'
import { COLD_ACCOUNT, WARM_ACCESS } from './gas.as'
import { OUT_OF_GAS, RETURN_DATA_OUT_OF_BOUNDS } from './halts.as'
import { blockHash } from './host.as'
import { EXCHANGE, NUMBER, message } from './layout.as'
import { copyPadded, copyToMemory, payForCopy } from './memory.as'
import { returnData, returnDataLength } from './returnData.as'
import { copyWord, isWide, readBytes, setSmall } from './words.as'

/** The remaining gas after accessing an account (EIP-2929), which is warm from then on. */
export function payForAccess(account: Account, gas: i64): i64 {
  const left = gas - (warmUp(account) ? COLD_ACCOUNT : WARM_ACCESS)
  return left < 0 ? OUT_OF_GAS : left
}

/** BALANCE. */
export function balance(top: usize, gas: i64): i64 {
  const account = accountAt(top)
  const left = payForAccess(account, gas)
  if (left < 0) return left
  ensureLoaded(account)
  copyWord(top, balanceOf(account))
  return left
}

/** EXTCODESIZE. */
export function codeSize(top: usize, gas: i64): i64 {
  const account = accountAt(top)
  const left = payForAccess(account, gas)
  if (left >= 0) setSmall(top, codeOf(account).length)
  return left
}

/** EXTCODEHASH: zero for an account that does not exist or is empty (EIP-1052, EIP-161). */
export function codeHash(top: usize, gas: i64): i64 {
  const account = accountAt(top)
  const left = payForAccess(account, gas)
  if (left < 0) return left
  ensureLoaded(account)
  if (isEmpty(account)) setSmall(top, 0)
  else readBytes(top, codeHashOf(account))
  return left
}

/** EXTCODECOPY: address, target, offset, length. */
export function copyCodeOf(frame: Frame, top: usize, gas: i64): i64 {
  const target = top - 32,
    length = top - 96
  const paid = payForCopy(frame, target, length, gas)
  if (paid < 0) return paid
  const account = loadedAccountAt(top)
  const left = payForAccess(account, paid)
  if (left < 0) return left
  const size = load<u32>(length)
  if (size == 0) return left
  const code = codeOf(account)
  copyPadded(frame.memory + load<u32>(target), code.bytes, code.length, top - 64, size)
  return left
}

/** RETURNDATACOPY: target, offset, length. Reading past the end is a halt (EIP-211). */
export function copyReturnData(frame: Frame, top: usize, gas: i64): i64 {
  const offset = top - 32,
    length = top - 64
  const end = load<u64>(offset) + load<u64>(length)
  if (isWide(offset) || isWide(length) || end < load<u64>(offset) || end > <u64>returnDataLength())
    return RETURN_DATA_OUT_OF_BOUNDS
  return copyToMemory(frame, top, offset, length, returnData(), returnDataLength(), gas)
}

/** CALLDATALOAD. */
export function loadInput(frame: Frame, top: usize): void {
  const offset = load<u64>(top)
  const length = <u64>frame.inputLength
  if (isWide(top) || offset >= length) {
    setSmall(top, 0)
    return
  }
  const from = frame.input + <usize>offset
  if (length - offset >= 32) {
    readBytes(top, from)
    return
  }
  copyPadded(top, frame.input, frame.inputLength, top, 32)
  readBytes(top, top)
}

/** Block hashes that this message has requested, by height modulo 256: number of the message (u64), hash as a word. */
const HASH_RECORD: usize = 40
const hashes = memory.data(10240, 8)
let messages: u64 = 0

/** Clears the block hashes: every message reads them again, because it may run on another chain's state. */
export function resetBlockHashes(): void {
  messages++
}

/** BLOCKHASH: one of the last 256 blocks, zero for others. */
export function hashOfBlock(top: usize): void {
  const height = load<u64>(top),
    now = load<u64>(NUMBER)
  if (isWide(top) || height >= now || now - height > 256) {
    setSmall(top, 0)
    return
  }
  const record = hashes + (<usize>height & 255) * HASH_RECORD
  if (load<u64>(record) != messages) {
    blockHash(<f64>height)
    store<u64>(record, messages)
    readBytes(record + 8, EXCHANGE)
  }
  copyWord(top, record + 8)
}

/** BLOBHASH (EIP-4844). */
export function blobHash(top: usize): void {
  if (isWide(top) || load<u64>(top) >= <u64>message().blobCount) setSmall(top, 0)
  else copyWord(top, message().blobHashes + (load<u32>(top) << 5))
}

/** Whether a value transfer would bring the account into existence (EIP-161), which costs extra. */
export function isDead(account: Account): bool {
  ensureLoaded(account)
  return !(account.flags & EXISTS) || isEmpty(account)
}
