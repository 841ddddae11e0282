// CREATE and CREATE2: the new address, the frame that runs the init code, and the deposit of what it returns.
//
// Some functions take more than five parameters: the core has no objects but in its own memory, so one
// that carries parameters would be written and read again in every call.
import {
  Account,
  CREATED,
  EXISTS,
  TOUCHED,
  accountAt,
  addressOf,
  balanceOf,
  beforeChange,
  codeHashOf,
  ensureLoaded,
  transfer,
  warmUp,
} from './accounts.as'
import { Code, EMPTY_HASH, layOut, roomFor } from './code.as'
import {
  Frame,
  MAX_DEPTH,
  callerOf,
  commit,
  noteOpeningCost,
  openFrame,
  topOf,
  valueOf,
} from './frames.as'
import {
  CODE_BYTE,
  INIT_CODE_WORD,
  KECCAK_WORD,
  MAX_CODE,
  MAX_INIT_CODE,
  allButOne64th,
  wordsOf,
} from './gas.as'
import { HALTED } from './frames.as'
import {
  ADDRESS_COLLISION,
  CODE_BEGINS_WITH_EF,
  CODE_STORE_OUT_OF_GAS,
  CODE_TOO_LARGE,
  FRAME_OPENED,
  INIT_CODE_TOO_LARGE,
  INSUFFICIENT_BALANCE,
  NONCE_OVERFLOW,
  OUT_OF_GAS,
  TOO_DEEP,
  WRITE_PROTECTION,
} from './halts.as'
import { hasStorage } from './host.as'
import { digest, state as hashed } from '../../base/keccakSponge.as'
import { LONDON, SHANGHAI, includes } from './forks.as'
import { EXCHANGE, SCRATCH } from './layout.as'
import { expand, rangeAt } from './memory.as'
import { clearReturnData } from './returnData.as'
import { traceEnter, traceLeave } from './trace.as'
import {
  copyWord,
  isEqual,
  isLess,
  readBytes,
  saturated,
  setSmall,
  writeAddress,
  writeBytes,
} from './words.as'

const CREATE2: u32 = 0xf5
const newAddress = memory.data(32, 8)

/** The address for a creator's nonce: Keccak-256 of the RLP of both. */
function addressOfNonce(creator: Account, nonce: u64): void {
  const nonceBytes = nonce < 0x80 ? 0 : 8 - <u32>(clz(nonce) >> 3)
  store<u8>(SCRATCH, 0xc0 + 22 + nonceBytes)
  store<u8>(SCRATCH + 1, 0x80 + 20)
  writeAddress(SCRATCH + 2, addressOf(creator))
  if (nonceBytes == 0) store<u8>(SCRATCH + 22, nonce == 0 ? 0x80 : <u8>nonce)
  else {
    store<u8>(SCRATCH + 22, 0x80 + nonceBytes)
    store<u64>(SCRATCH + 23, bswap(nonce << ((<u64>(8 - nonceBytes)) << 3)))
  }
  digest(SCRATCH, 23 + nonceBytes)
  readBytes(newAddress, hashed)
}

/** The address for a salt and init code (EIP-1014). */
function addressOfSalt(creator: Account, salt: usize, initCode: usize, length: u32): void {
  digest(initCode, length)
  memory.copy(SCRATCH + 53, hashed, 32)
  store<u8>(SCRATCH, 0xff)
  writeAddress(SCRATCH + 1, addressOf(creator))
  writeBytes(SCRATCH + 21, salt)
  digest(SCRATCH, 85)
  readBytes(newAddress, hashed)
}

/** Whether the address is already in use (EIP-684, EIP-7610). */
function isTaken(account: Account): bool {
  if (account.nonce != 0 || !isEqual(codeHashOf(account), EMPTY_HASH)) return true
  if (!(account.originalFlags & EXISTS)) return false
  writeAddress(EXCHANGE, addressOf(account))
  return hasStorage() != 0
}

/**
 * Opens the frame that runs init code for an account. False when the account is taken. The frame's stack begins at
 * `stack`, code and memory above `top`, where roomFor(length) bytes are free.
 */
export function openCreation(
  account: Account,
  depth: u32,
  stack: usize,
  top: usize,
  creator: Account,
  value: usize,
  initCode: usize,
  length: u32,
  gas: i64,
): bool {
  if (isTaken(account)) return false
  const frame = openFrame(depth, account, stack, top + roomFor(length))
  frame.isCreation = 1
  frame.isStatic = 0
  frame.compiled = 0
  frame.jumpTable = layOut(top, initCode, length)
  frame.code = top
  frame.codeLength = length
  frame.pc = top
  frame.input = top
  frame.inputLength = 0
  frame.outputRoom = 0
  frame.gas = gas
  copyWord(callerOf(frame), addressOf(creator))
  copyWord(valueOf(frame), value)
  beforeChange(account)
  account.nonce = 1
  account.flags |= EXISTS | CREATED | TOUCHED
  transfer(creator, account, value)
  return true
}

/** Why a creation cannot begin; 0 if it can. */
function whyRefused(frame: Frame, self: Account, value: usize): i64 {
  if (frame.depth >= MAX_DEPTH) return TOO_DEEP
  if (isLess(balanceOf(self), value)) return INSUFFICIENT_BALANCE
  return self.nonce == u64.MAX_VALUE ? NONCE_OVERFLOW : 0
}

/** A creation opcode. `sp` is after its operands; `frame.pc` is already after the opcode. Sets `frame.sp`. */
export function create(frame: Frame, opcode: u32, sp: usize, gas: i64): i64 {
  const value = sp - 32,
    offset = sp - 64,
    size = sp - 96,
    salt = sp - 128
  if (frame.isStatic) return WRITE_PROTECTION
  let left = expand(frame, offset, size, gas)
  if (left < 0) return left
  const hasLimit = includes(SHANGHAI)
  if (hasLimit && saturated(size) > MAX_INIT_CODE) return INIT_CODE_TOO_LARGE
  const length = load<u32>(size)
  left -=
    ((hasLimit ? INIT_CODE_WORD : 0) + (opcode == CREATE2 ? KECCAK_WORD : 0)) * wordsOf(length)
  if (left < 0) return OUT_OF_GAS
  noteOpeningCost(gas - left)
  const initCode = rangeAt(frame, offset, size)
  const self = frame.self
  frame.sp = opcode == CREATE2 ? salt : size
  clearReturnData()
  if (opcode == CREATE2) addressOfSalt(self, salt, initCode, length)
  else addressOfNonce(self, self.nonce)
  const given = allButOne64th(left)
  traceEnter(opcode, addressOf(self), newAddress, value, initCode, length, given)
  const refusal = whyRefused(frame, self, value)
  if (refusal != 0) {
    traceLeave(HALTED, refusal, given, 0, 0)
    setSmall(frame.sp, 0)
    frame.sp += 32
    return left
  }
  beforeChange(self)
  self.nonce++
  left -= given
  const account = accountAt(newAddress)
  warmUp(account)
  ensureLoaded(account)
  const top = topOf(frame)
  if (!commit(top + roomFor(length))) return OUT_OF_GAS
  frame.gas = left
  if (openCreation(account, frame.depth + 1, frame.sp, top, self, value, initCode, length, given))
    return FRAME_OPENED
  traceLeave(HALTED, ADDRESS_COLLISION, 0, 0, 0)
  setSmall(frame.sp, 0)
  frame.sp += 32
  return left
}

/** Stores the output of init code as the account's code. Returns the reason if it cannot, otherwise 0. */
export function deposit(frame: Frame): i64 {
  const length = frame.outputLength
  if (length > MAX_CODE) return CODE_TOO_LARGE
  if (length == 0) return 0
  if (load<u8>(frame.output) == 0xef && includes(LONDON)) return CODE_BEGINS_WITH_EF
  const left = frame.gas - CODE_BYTE * <i64>length
  if (left < 0) return CODE_STORE_OUT_OF_GAS
  frame.gas = left
  digest(frame.output, length)
  let code = Code.find(hashed)
  if (code == 0) {
    const record = Code.create(hashed, length)
    memory.copy(record.bytes, frame.output, length)
    code = changetype<usize>(record)
  }
  const account = frame.self
  beforeChange(account)
  copyWord(codeHashOf(account), hashed)
  account.code = code
  return 0
}
