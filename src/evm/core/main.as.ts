// The engine's module: one top-level message at a time. The host fills MESSAGE and ENVIRONMENT (layout.as.ts) after
// `begin`, warms up the entries of an access list, and calls `execute`. `begin` clears everything except codes,
// digests, and slots of an unchanged state.
import {
  Account,
  accountAt,
  addressOf,
  balanceOf,
  ensureLoaded,
  loadedAccountAt,
  movePrecompile,
  precompileAt,
  resetAccounts,
  transfer,
  warmUp,
} from './accounts.as'
import { callPrecompile, delegateOf, deliver, runningCode } from './calls.as'
import { reserveWithCodes, roomFor, trimCodes } from './code.as'
import { dynamicCost } from './cost.as'
import { deposit, openCreation } from './creation.as'
import { considerCompiling, setCompiling } from './compiled.as'
import { effectsEnd, writeEffects } from './effects.as'
import { loadInput, resetBlockHashes } from './environment.as'
import { CANCUN, OSAKA, PRAGUE, SHANGHAI, includes, setFork } from './forks.as'
import {
  Frame,
  HALTED,
  PAUSED,
  RETURNED,
  SWITCHED,
  callerFrame,
  callerOf,
  commit,
  currentFrame,
  lastOpeningCost,
  openFrame,
  setCode,
  setCurrentFrame,
  valueOf,
} from './frames.as'
import { MAX_INIT_CODE } from './gas.as'
import {
  ADDRESS_COLLISION,
  INIT_CODE_TOO_LARGE,
  INSUFFICIENT_BALANCE,
  OUT_OF_GAS,
} from './halts.as'
import { heapUsed, reserve, resetHeap } from './heap.as'
import { poll } from './host.as'
import {
  addModulo,
  divide,
  divideSigned,
  modulo,
  moduloSigned,
  multiplyModulo,
} from './division.as'
import {
  byteAt,
  multiply,
  shiftLeft,
  shiftRight,
  shiftRightSigned,
  signExtend,
} from './arithmetic.as'
import { interpret, keccak, setSlice, setTracing } from './interpreter.as'
import { resetJournal, returnToScope, undoTo } from './journal.as'
import { setKnownState } from './known.as'
import { ARENA, COINBASE, EXCHANGE, Message, STACKS, message } from './layout.as'
import { forgetLogsAfter, lastLog, logCount } from './logList.as'
import { gasOf, isDefined, needOf, setRules, trueRule } from './opcodes.as'
import {
  allocateReturnData,
  clearReturnData,
  resetReturnData,
  returnData,
  returnDataLength,
  setReturnData,
} from './returnData.as'
import {
  loadSlot,
  refundCounter,
  resetStorage,
  setRefundCounter,
  storeSlot,
  warmUpSlot,
} from './storage.as'
import {
  beginStep,
  endStep,
  opcodeTexts,
  resetStepText,
  stepText,
  stepTextLength,
} from './stepText.as'
import { setSeed } from './table.as'
import { setCallTracing, traceLeave } from './trace.as'
import { copyWord, isLess, setSmall } from './words.as'

export {
  allocateReturnData,
  effectsEnd,
  lastLog,
  lastOpeningCost,
  logCount,
  movePrecompile,
  refundCounter,
  reserve,
  returnData,
  returnDataLength,
  reserveWithCodes,
  setCallTracing,
  setCompiling,
  setKnownState,
  setTracing,
  writeEffects,
}

// Functions that compiled code calls (compiled.as.ts). Arguments are addresses of words; results replace an operand.
export {
  addModulo,
  byteAt,
  divide,
  divideSigned,
  keccak,
  loadInput,
  loadSlot,
  modulo,
  moduloSigned,
  multiply,
  multiplyModulo,
  shiftLeft,
  shiftRight,
  shiftRightSigned,
  signExtend,
  storeSlot,
}

// Functions that write the text of steps.
export { beginStep, endStep, opcodeTexts, resetStepText, stepText, stepTextLength }

// Queries of tracers between two steps.

/** Start of the running frame's memory, and its bytes in use. */
export function frameMemory(): usize {
  return currentFrame().memory
}

export function frameMemorySize(): u32 {
  return currentFrame().memorySize
}

/** The account whose storage the frame uses: the location of its address, as a word. */
export function frameAddress(): usize {
  return addressOf(currentFrame().self)
}

/** The gas of the running frame's caller, without the gas passed on; 0 for the outermost frame. */
export function callerGas(): i64 {
  const frame = currentFrame()
  return frame.depth == 0 ? 0 : callerFrame(frame).gas
}

/** Why the last frame that halted did so (halts.as.ts). */
export function lastHalt(): i32 {
  return message().reason
}

/** Static gas of an opcode in the fork, 0 if it has none. */
export function staticGas(opcode: u32): u32 {
  const rule = trueRule(opcode)
  return isDefined(rule) ? <u32>gasOf(rule) : 0
}

/** Number of words that an opcode takes from the stack. */
export function stackNeed(opcode: u32): u32 {
  return needOf(trueRule(opcode)) >> 5
}

/** The frame's code: its address and length. */
export function frameCode(): usize {
  return currentFrame().code
}

export function frameCodeLength(): u32 {
  return currentFrame().codeLength
}

/**
 * The cost of the step being reported to the host: only the static gas if operands are missing or no gas can pay for
 * it.
 */
export function stepCost(opcode: u32, stackHeight: u32, gas: i64): i64 {
  const rule = trueRule(opcode)
  if (!isDefined(rule) || stackHeight << 5 < needOf(rule)) return staticGas(opcode)
  const frame = currentFrame()
  return (
    gasOf(rule) +
    max(dynamicCost(frame, opcode, frame.stack + (stackHeight << 5), gas - gasOf(rule)), 0)
  )
}

/** Sets the fork (forks.as.ts) and the seed of the hash tables. Once per instance. */
export function initialise(hardfork: u32, seed: u64): void {
  if (__heap_base > EXCHANGE || !commit(ARENA)) unreachable()
  setFork(hardfork)
  setRules()
  setSeed(seed)
}

/** Clears the last message. Returns the address for the next one's input. */
export function begin(inputLength: u32): usize {
  trimCodes()
  resetHeap()
  resetJournal()
  resetStorage()
  resetReturnData()
  resetBlockHashes()
  resetAccounts(includes(PRAGUE) ? 0x11 : includes(CANCUN) ? 0x0a : 0x09, includes(OSAKA))
  forgetLogsAfter(0, 0)
  if (!commit(ARENA + inputLength)) unreachable()
  return ARENA
}

/** Warms up the account whose address is at EXCHANGE as a word. */
export function warmUpAddress(): void {
  warmUp(accountAt(EXCHANGE))
}

const slotKey = memory.data(32, 8)

/** Warms up the slot whose key is the word after the address at EXCHANGE. */
export function warmUpStorage(): void {
  copyWord(slotKey, EXCHANGE + 32)
  warmUpSlot(loadedAccountAt(EXCHANGE), slotKey)
}

function wordOf(field: usize): usize {
  return changetype<usize>(message()) + field
}

/** Writes the result of a message that opened no frame. */
function settle(end: i32, reason: i64, gasLeft: i64): void {
  const result = message()
  result.end = end
  result.reason = <i32>reason
  result.gasLeft = gasLeft
  result.refund = end == RETURNED ? refundCounter() : 0
  result.output = returnData()
  result.outputLength = returnDataLength()
}

/** Runs the message. Its result is in MESSAGE; if it succeeded the host reads logs and effects. */
export function execute(): void {
  const job = message()
  const sender = loadedAccountAt(wordOf(offsetof<Message>('caller0')))
  const target = accountAt(wordOf(offsetof<Message>('target0')))
  const value = wordOf(offsetof<Message>('value0'))
  warmUp(sender)
  warmUp(target)
  // EIP-3651.
  if (includes(SHANGHAI)) warmUp(accountAt(COINBASE))
  ensureLoaded(target)
  if (isLess(balanceOf(sender), value)) {
    settle(HALTED, INSUFFICIENT_BALANCE, job.gas)
    return
  }
  const top = (ARENA + job.inputLength + 31) & ~31
  if (job.isCreation) {
    if (<u64>job.inputLength > MAX_INIT_CODE && includes(SHANGHAI))
      settle(HALTED, INIT_CODE_TOO_LARGE, 0)
    else if (!commit(top + roomFor(job.inputLength))) settle(HALTED, OUT_OF_GAS, 0)
    else if (!openCreation(target, 0, STACKS, top, sender, value, ARENA, job.inputLength, job.gas))
      settle(HALTED, ADDRESS_COLLISION, 0)
    else run()
    return
  }
  const number = precompileAt(target)
  if (number != 0) {
    const left = callPrecompile(number, sender, target, value, ARENA, job.inputLength, job.gas, 0)
    settle(left < 0 ? HALTED : RETURNED, left < 0 ? left : 0, max(left, 0))
    return
  }
  const delegate = delegateOf(target)
  if (delegate != 0) warmUp(changetype<Account>(delegate))
  const code = runningCode(target, delegate)
  const frame = openFrame(0, target, STACKS, top)
  copyWord(callerOf(frame), wordOf(offsetof<Message>('caller0')))
  copyWord(valueOf(frame), value)
  frame.isCreation = 0
  frame.isStatic = 0
  frame.input = ARENA
  frame.inputLength = job.inputLength
  frame.outputRoom = 0
  frame.gas = job.gas
  transfer(sender, target, value)
  if (code.length == 0) {
    settle(RETURNED, 0, job.gas)
    return
  }
  setCode(frame, code)
  run()
}

/** Runs frames until the outermost one has ended. */
function run(): void {
  while (true) {
    const frame = currentFrame()
    const end = interpret(frame)
    if (end == PAUSED) {
      poll()
      considerCompiling(frame)
    } else if (end != SWITCHED && leave(frame, end)) return
    else if (end == SWITCHED) countFrame()
  }
}

let frames: u32 = 0
let framesPerPoll: u32 = 4096

/** Frames may be many and short, so every N-th one polls the host, too. */
function countFrame(): void {
  frames++
  if (frames < framesPerPoll) return
  frames = 0
  poll()
}

/** Sets how often the host is polled: after how much gas of a frame, and after how many frames. */
export function setPolling(gas: i64, frameCount: u32): void {
  setSlice(gas)
  framesPerPoll = frameCount
}

/** Ends a frame and passes its result to the caller's frame. Returns whether it was the outermost one. */
function leave(frame: Frame, how: i32): bool {
  let end = how
  if (frame.isCreation && end == RETURNED) {
    const reason = deposit(frame)
    if (reason != 0) {
      message().reason = <i32>reason
      end = HALTED
    }
  }
  if (end == HALTED) {
    frame.gas = 0
    frame.outputLength = 0
  }
  if (end != RETURNED) {
    undoTo(frame.journal)
    setRefundCounter(frame.refund)
    forgetLogsAfter(frame.log, frame.logs)
  }
  if (frame.isCreation && end == RETURNED && frame.depth > 0) clearReturnData()
  else setReturnData(frame.output, frame.outputLength)
  if (frame.depth == 0) {
    settle(end, end == HALTED ? message().reason : 0, frame.gas)
    return true
  }
  traceLeave(end, end == HALTED ? message().reason : 0, frame.gas, frame.output, frame.outputLength)
  const caller = callerFrame(frame)
  setCurrentFrame(caller)
  returnToScope(caller.scope)
  caller.gas += frame.gas
  if (end == RETURNED && frame.isCreation) copyWord(caller.sp, addressOf(frame.self))
  else setSmall(caller.sp, u64(end == RETURNED))
  caller.sp += 32
  if (!frame.isCreation) deliver(caller, frame.outputOffset, frame.outputRoom)
  return false
}

/** Number of heap bytes that the message has used: after very large ones the host starts a new instance. */
export function heapTaken(): u32 {
  return <u32>heapUsed()
}
