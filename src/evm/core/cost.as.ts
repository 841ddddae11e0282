// The cost of a step, for tracers that need it before the step executes. The opcodes themselves charge as they run
// (calls.as.ts, storage.as.ts and others); this computes the same in advance, without warming anything.
import { Account, accountAt, balanceOf, isWarm } from './accounts.as'
import { byteLength } from './arithmetic.as'
import { delegateOf } from './calls.as'
import { isDead } from './environment.as'
import { Frame } from './frames.as'
import {
  CALL_VALUE,
  COLD_ACCOUNT,
  COLD_SLOT,
  COPY_WORD,
  EXP_BYTE,
  INIT_CODE_WORD,
  KECCAK_WORD,
  LOG_BYTE,
  MAX_INIT_CODE,
  NEW_ACCOUNT,
  RESET_SLOT,
  SET_SLOT,
  SSTORE_SENTRY,
  WARM_ACCESS,
  allButOne64th,
  wordsOf,
} from './gas.as'
import { expansionCost } from './memory.as'
import { originalOf, slotAt, valueOf } from './storage.as'
import { isEqual, isWide, isZero, saturated } from './words.as'

/** More than any gas can pay for. */
const BEYOND: i64 = -1
const word = memory.data<u64>([32, 0, 0, 0])
const byte = memory.data<u64>([1, 0, 0, 0])

@inline
function accessCost(account: Account): i64 {
  return isWarm(account) ? WARM_ACCESS : COLD_ACCOUNT
}

/** Memory for a range, and `price` for each word of it or, with `isBytes`, for each byte. */
function rangeCost(frame: Frame, offset: usize, length: usize, price: i64, isBytes: bool): i64 {
  const expansion = expansionCost(frame, offset, length)
  if (expansion < 0 || isWide(length) || load<u64>(length) > u32.MAX_VALUE) return BEYOND
  const size = load<u32>(length)
  return expansion + price * (isBytes ? <i64>size : wordsOf(size))
}

function plus(cost: i64, more: i64): i64 {
  return cost < 0 ? cost : cost + more
}

/** MCOPY: whichever range reaches further. */
function moveCost(frame: Frame, target: usize, offset: usize, length: usize): i64 {
  const from = expansionCost(frame, offset, length)
  const to = rangeCost(frame, target, length, COPY_WORD, false)
  if (from < 0 || to < 0) return BEYOND
  return max(to, to - expansionCost(frame, target, length) + from)
}

function storeCost(frame: Frame, key: usize, value: usize, gas: i64): i64 {
  if (gas <= SSTORE_SENTRY) return BEYOND
  const slot = slotAt(frame.self, key)
  const current = valueOf(slot),
    original = originalOf(slot)
  const cold = slot.isWarm ? 0 : COLD_SLOT
  if (isEqual(current, value) || !isEqual(original, current)) return cold + WARM_ACCESS
  return cold + (isZero(original) ? SET_SLOT : RESET_SLOT)
}

/** Includes the gas passed on, without a stipend. */
function callCost(frame: Frame, opcode: u32, sp: usize, gas: i64): i64 {
  const hasValue = opcode == 0xf1 || opcode == 0xf2
  const range = hasValue ? sp - 128 : sp - 96
  const input = expansionCost(frame, range, range - 32)
  const output = expansionCost(frame, range - 64, range - 96)
  if (input < 0 || output < 0) return BEYOND
  const account = accountAt(sp - 64)
  let cost = max(input, output) + accessCost(account)
  if (hasValue && !isZero(sp - 96)) {
    cost += CALL_VALUE
    if (opcode == 0xf1 && isDead(account)) cost += NEW_ACCOUNT
  }
  const delegate = delegateOf(account)
  // An account that delegates to itself is already warm by then.
  if (delegate != 0)
    cost +=
      delegate == changetype<usize>(account)
        ? WARM_ACCESS
        : accessCost(changetype<Account>(delegate))
  if (cost > gas) return cost
  return cost + <i64>min<u64>(saturated(sp - 32), <u64>allButOne64th(gas - cost))
}

/** Does not include the gas passed on. */
function creationCost(frame: Frame, opcode: u32, sp: usize): i64 {
  if (saturated(sp - 96) > MAX_INIT_CODE) return BEYOND
  const price = opcode == 0xf5 ? INIT_CODE_WORD + KECCAK_WORD : INIT_CODE_WORD
  return rangeCost(frame, sp - 64, sp - 96, price, false)
}

function destructionCost(frame: Frame, heirWord: usize): i64 {
  const heir = accountAt(heirWord)
  const cold = isWarm(heir) ? 0 : COLD_ACCOUNT
  return cold + (isDead(heir) && !isZero(balanceOf(frame.self)) ? NEW_ACCOUNT : 0)
}

/** The cost of a step beyond its static gas; negative if no gas can pay for it. Its operands are on the stack. */
export function dynamicCost(frame: Frame, opcode: u32, sp: usize, gas: i64): i64 {
  const a = sp - 32,
    b = sp - 64,
    c = sp - 96
  switch (opcode) {
    case 0x0a:
      return EXP_BYTE * <i64>byteLength(b)
    case 0x20:
      return rangeCost(frame, a, b, KECCAK_WORD, false)
    case 0x31:
    case 0x3b:
    case 0x3f:
      return accessCost(accountAt(a))
    case 0x37:
    case 0x39:
    case 0x3e:
      return rangeCost(frame, a, c, COPY_WORD, false)
    case 0x3c:
      return plus(rangeCost(frame, b, sp - 128, COPY_WORD, false), accessCost(accountAt(a)))
    case 0x51:
    case 0x52:
      return expansionCost(frame, a, word)
    case 0x53:
      return expansionCost(frame, a, byte)
    case 0x54:
      return slotAt(frame.self, a).isWarm ? WARM_ACCESS : COLD_SLOT
    case 0x55:
      return storeCost(frame, a, b, gas)
    case 0x5e:
      return moveCost(frame, a, b, c)
    case 0xa0:
    case 0xa1:
    case 0xa2:
    case 0xa3:
    case 0xa4:
      return rangeCost(frame, a, b, LOG_BYTE, true)
    case 0xf0:
    case 0xf5:
      return creationCost(frame, opcode, sp)
    case 0xf1:
    case 0xf2:
    case 0xf4:
    case 0xfa:
      return callCost(frame, opcode, sp, gas)
    case 0xf3:
    case 0xfd:
      return expansionCost(frame, a, b)
    case 0xff:
      return destructionCost(frame, a)
    default:
      return 0
  }
}
