// CALL, CALLCODE, DELEGATECALL and STATICCALL: their costs, delegation (EIP-7702), precompiles, and the new frame.
import {
  Account,
  accountAt,
  addressOf,
  balanceOf,
  codeOf,
  ensureLoaded,
  precompileAt,
  transfer,
} from './accounts.as'
import { Code } from './code.as'
import { isDead, payForAccess } from './environment.as'
import {
  Frame,
  MAX_DEPTH,
  callerOf,
  noteOpeningCost,
  openFrame,
  setCode,
  topOf,
  valueOf,
} from './frames.as'
import { CALL_STIPEND, CALL_VALUE, NEW_ACCOUNT, allButOne64th } from './gas.as'
import { HALTED, RETURNED } from './frames.as'
import {
  FRAME_OPENED,
  INSUFFICIENT_BALANCE,
  OUT_OF_GAS,
  TOO_DEEP,
  WRITE_PROTECTION,
} from './halts.as'
import { journalEnd, openScope, returnToScope, undoTo } from './journal.as'
import { expand, rangeAt } from './memory.as'
import { PRAGUE, includes } from './forks.as'
import { precompile } from './precompiles.as'
import { clearReturnData, returnData, returnDataLength } from './returnData.as'
import { traceEnter, traceLeave } from './trace.as'
import { copyWord, isLess, isZero, readBytes, saturated, setSmall } from './words.as'

const CALL: u32 = 0xf1
const CALLCODE: u32 = 0xf2
const DELEGATECALL: u32 = 0xf4
const STATICCALL: u32 = 0xfa

const DELEGATION_LENGTH: u32 = 23
const delegateWord = memory.data(32, 8)
const noValue = memory.data(32, 8)

/** Whether a code is a delegation designator, 0xef0100 and an address. Leaves the address in `delegateWord`. */
function isDelegation(code: Code): bool {
  if (code.length != DELEGATION_LENGTH || !includes(PRAGUE)) return false
  if ((load<u32>(code.bytes) & 0xffffff) != 0x0001ef) return false
  // The 32 bytes that end with the address start before the code, in its record.
  readBytes(delegateWord, code.bytes + 23 - 32)
  store<u64>(delegateWord, load<u64>(delegateWord, 16) & 0xffffffff, 16)
  store<u64>(delegateWord, 0, 24)
  return true
}

/** The account whose code runs for another one: its delegate, or 0 if it has none. */
export function delegateOf(account: Account): usize {
  return isDelegation(codeOf(account)) ? changetype<usize>(accountAt(delegateWord)) : 0
}

/** The code that runs on an account's behalf. A delegate's own delegation is ignored, and so is a precompile. */
export function runningCode(account: Account, delegate: usize): Code {
  return codeOf(delegate == 0 ? account : changetype<Account>(delegate))
}

/** Ends a call that opened no frame: puts the result on the caller's stack. */
function complete(frame: Frame, isSuccess: bool): void {
  setSmall(frame.sp, u64(isSuccess))
  frame.sp += 32
}

/** Delivers a call's output to the calling frame: as return data, and in memory as far as there is room. */
export function deliver(frame: Frame, outputOffset: u32, outputRoom: u32): void {
  memory.copy(frame.memory + outputOffset, returnData(), min(outputRoom, returnDataLength()))
}

/**
 * Runs a precompile with `gas`, including the value transfer. Returns the remaining gas, none if it fails. Sets the
 * return data.
 */
export function callPrecompile(
  number: u32,
  from: Account,
  to: Account,
  value: usize,
  input: usize,
  inputLength: u32,
  gas: i64,
  outer: u32,
): i64 {
  const point = journalEnd()
  openScope()
  transfer(from, to, value)
  clearReturnData()
  const left = precompile(number, input, inputLength, gas)
  if (left < 0) {
    undoTo(point)
    clearReturnData()
  }
  returnToScope(outer)
  return left
}

/** A call opcode. `sp` is after its operands; `frame.pc` is already after the opcode. Sets `frame.sp`. */
export function call(frame: Frame, opcode: u32, sp: usize, gas: i64): i64 {
  const hasValue = opcode == CALL || opcode == CALLCODE
  const requested = sp - 32,
    target = sp - 64
  const value = hasValue ? sp - 96 : noValue
  const range = hasValue ? sp - 128 : sp - 96
  const input = range,
    inputSize = range - 32,
    output = range - 64,
    outputSize = range - 96
  const sendsValue = hasValue && !isZero(value)
  if (opcode == CALL && sendsValue && frame.isStatic) return WRITE_PROTECTION
  let left = expand(frame, input, inputSize, gas)
  if (left < 0) return left
  left = expand(frame, output, outputSize, left)
  if (left < 0) return left
  const account = accountAt(target)
  left = payForAccess(account, left)
  if (left < 0) return left
  ensureLoaded(account)
  if (sendsValue) {
    left -= CALL_VALUE
    if (opcode == CALL && isDead(account)) left -= NEW_ACCOUNT
    if (left < 0) return OUT_OF_GAS
  }
  const delegate = delegateOf(account)
  if (delegate != 0) {
    left = payForAccess(changetype<Account>(delegate), left)
    if (left < 0) return left
  }
  const most = allButOne64th(left),
    wanted = saturated(requested)
  let given = wanted < <u64>most ? <i64>wanted : most
  left -= given
  noteOpeningCost(gas - left)
  if (sendsValue) given += CALL_STIPEND

  frame.sp = outputSize
  const inputLength = load<u32>(inputSize)
  const outputRoom = load<u32>(outputSize),
    outputOffset = outputRoom == 0 ? 0 : load<u32>(output)
  const inputAt = rangeAt(frame, input, inputSize)
  traceEnter(
    opcode,
    addressOf(frame.self),
    addressOf(account),
    opcode == DELEGATECALL ? valueOf(frame) : value,
    inputAt,
    inputLength,
    given,
  )
  const isTooDeep = frame.depth >= MAX_DEPTH
  if (isTooDeep || (sendsValue && isLess(balanceOf(frame.self), value))) {
    traceLeave(HALTED, isTooDeep ? TOO_DEEP : INSUFFICIENT_BALANCE, given, 0, 0)
    clearReturnData()
    complete(frame, false)
    return left + given
  }
  const self = opcode == CALL || opcode == STATICCALL ? account : frame.self
  const number = precompileAt(account)
  if (number != 0) {
    const rest = callPrecompile(
      number,
      frame.self,
      self,
      value,
      inputAt,
      inputLength,
      given,
      frame.scope,
    )
    traceLeave(rest >= 0 ? RETURNED : HALTED, rest, max(rest, 0), returnData(), returnDataLength())
    if (rest >= 0) deliver(frame, outputOffset, outputRoom)
    complete(frame, rest >= 0)
    return rest < 0 ? left : left + rest
  }
  clearReturnData()
  const code = runningCode(account, delegate)
  if (code.length == 0) {
    // No code runs, so nothing can revert the transfer: it belongs to the caller's scope.
    transfer(frame.self, self, value)
    traceLeave(RETURNED, 0, given, 0, 0)
    complete(frame, true)
    return left + given
  }
  frame.gas = left
  const callee = openFrame(frame.depth + 1, self, frame.sp, topOf(frame))
  callee.isCreation = 0
  callee.isStatic = opcode == STATICCALL ? 1 : frame.isStatic
  callee.input = inputAt
  callee.inputLength = inputLength
  callee.outputOffset = outputOffset
  callee.outputRoom = outputRoom
  callee.gas = given
  if (opcode == DELEGATECALL) {
    copyWord(callerOf(callee), callerOf(frame))
    copyWord(valueOf(callee), valueOf(frame))
  } else {
    copyWord(callerOf(callee), addressOf(frame.self))
    copyWord(valueOf(callee), value)
  }
  setCode(callee, code)
  transfer(frame.self, self, value)
  return FRAME_OPENED
}
