// The dispatch loop. Program counter, stack pointer and gas are locals; the frame record's copies are valid only where
// the loop hands over. Short opcodes are inlined here, the others are functions that charge their gas and return the
// remaining gas, or a halt (halts.as.ts).
//
// This file is long because WebAssembly needs the loop in one function.
import { addressOf, balanceOf } from './accounts.as'
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
  byteLength,
  countLeadingZeros,
  exponentiate,
  multiply,
  shiftLeft,
  shiftRight,
  shiftRightSigned,
  signExtend,
} from './arithmetic.as'
import { call } from './calls.as'
import { isJumpDestination } from './code.as'
import { runCompiled } from './compiled.as'
import { create } from './creation.as'
import { selfDestruct } from './destruction.as'
import {
  balance,
  blobHash,
  codeHash,
  codeSize,
  copyCodeOf,
  copyReturnData,
  hashOfBlock,
  loadInput,
} from './environment.as'
import { Frame, HALTED, PAUSED, RETURNED, REVERTED, SWITCHED, callerOf, valueOf } from './frames.as'
import { EXP_BYTE, KECCAK_WORD, wordsOf } from './gas.as'
import {
  FRAME_OPENED,
  INVALID_JUMP,
  INVALID_OPCODE,
  OUT_OF_GAS,
  STACK_OVERFLOW,
  STACK_UNDERFLOW,
  WRITE_PROTECTION,
} from './halts.as'
import { step } from './host.as'
import {
  BASE_FEE,
  BLOB_BASE_FEE,
  CHAIN_ID,
  COINBASE,
  GAS_LIMIT,
  GAS_PRICE,
  NUMBER,
  ORIGIN,
  PREV_RANDAO,
  RULES,
  TIMESTAMP,
  message,
} from './layout.as'
import { emitLog } from './logs.as'
import { hashInto } from './mappings.as'
import { copyToMemory, expand, expandFixed, moveMemory, rangeAt } from './memory.as'
import { fits, gasOf, isDefined, needOf, trueRule, useRules } from './opcodes.as'
import { returnDataLength } from './returnData.as'
import { loadSlot, loadTransient, storeSlot, storeTransient } from './storage.as'
import {
  add,
  copyWord,
  isEqual,
  isLess,
  isLessSigned,
  isWide,
  isZero,
  readBytes,
  setSmall,
  setWord,
  subtract,
  writeBytes,
} from './words.as'

/** A frame is left and re-entered after this much gas: the host is polled then. */
let slice: i64 = 2_000_000

export function setSlice(gas: i64): void {
  slice = gas
}

let isTracing = false

/**
 * Whether the host is told about every step. When off this costs nothing: tracing invalidates the table that steps
 * read.
 */
export function setTracing(isOn: bool): void {
  isTracing = isOn
  useRules(isOn)
}

/** The slow path of a step: reports it to the host if requested, and determines why a check failed. */
function examine(frame: Frame, opcode: u32, pc: usize, sp: usize, gas: i64): i64 {
  const rule = trueRule(opcode)
  const height = <u32>(sp - frame.stack)
  // Without code nothing runs: the implicit STOP is not a step then.
  if (isTracing && frame.codeLength > 0)
    step(frame.depth, <u32>(pc - frame.code), opcode, gas, frame.stack, height >> 5)
  const left = gas - gasOf(rule)
  if (isDefined(rule) && fits(rule, height) && left >= 0) return left
  const result = message()
  result.haltedOpcode = opcode
  result.stackHeight = height >> 5
  result.stackNeed = needOf(rule) >> 5
  if (!isDefined(rule)) return INVALID_OPCODE
  if (height < needOf(rule)) return STACK_UNDERFLOW
  return fits(rule, height) ? OUT_OF_GAS : STACK_OVERFLOW
}

/** Ends a frame with a halt, which consumes all its gas. */
function halt(frame: Frame, reason: i64): i32 {
  message().reason = <i32>reason
  frame.gas = 0
  frame.outputLength = 0
  return HALTED
}

/** RETURN and REVERT: the output is a range of memory. */
function finish(frame: Frame, end: i32, sp: usize, gas: i64): i32 {
  const left = expand(frame, sp - 32, sp - 64, gas)
  if (left < 0) return halt(frame, left)
  frame.gas = left
  frame.output = rangeAt(frame, sp - 32, sp - 64)
  frame.outputLength = load<u32>(sp - 64)
  return end
}

/** Pushes `size` bytes of code (2 to 32). Code is followed by enough zeros to read past its end. */
@inline
function push(word: usize, bytes: usize, size: u32): void {
  if (size <= 8) {
    setSmall(word, bswap(load<u64>(bytes)) >> <u64>(64 - (size << 3)))
    return
  }
  // Most long ones are hashes and addresses.
  if (size == 32) {
    readBytes(word, bytes)
    return
  }
  if (size == 20) {
    setWord(
      word,
      bswap(load<u64>(bytes, 12)),
      bswap(load<u64>(bytes, 4)),
      <u64>bswap<u32>(load<u32>(bytes)),
      0,
    )
    return
  }
  setWord(word, 0, 0, 0, 0)
  let to = word,
    left = size
  while (left >= 8) {
    left -= 8
    store<u64>(to, bswap(load<u64>(bytes + left)))
    to += 8
  }
  if (left > 0) store<u64>(to, bswap(load<u64>(bytes)) >> <u64>(64 - (left << 3)))
}

export function keccak(frame: Frame, top: usize, gas: i64): i64 {
  const length = top - 32
  const reached = expand(frame, top, length, gas)
  if (reached < 0) return reached
  const left = reached - KECCAK_WORD * wordsOf(load<u32>(length))
  if (left < 0) return OUT_OF_GAS
  hashInto(length, rangeAt(frame, top, length), load<u32>(length))
  return left
}

/** Runs a frame until it ends, opens another one, or has used up its slice. */
export function interpret(frame: Frame): i32 {
  let pc = frame.pc
  let sp = frame.sp
  let gas = frame.gas
  const stack = frame.stack
  frame.pause = gas - slice
  while (true) {
    const opcode = <u32>load<u8>(pc)
    const rule = load<u64>((opcode << 3) + RULES)
    const left = gas - gasOf(rule)
    if (left < 0 || !fits(rule, <u32>(sp - stack))) {
      gas = examine(frame, opcode, pc, sp, gas)
      if (gas < 0) return halt(frame, gas)
    } else gas = left
    pc++
    const a = sp - 32
    const b = sp - 64
    switch (opcode) {
      case 0x00: // STOP
        frame.gas = gas
        frame.outputLength = 0
        return RETURNED
      case 0x01:
        add(b, a, b)
        sp = a
        break
      case 0x02:
        multiply(b, a, b)
        sp = a
        break
      case 0x03:
        subtract(b, a, b)
        sp = a
        break
      case 0x04:
        divide(a, b)
        sp = a
        break
      case 0x05:
        divideSigned(a, b)
        sp = a
        break
      case 0x06:
        modulo(a, b)
        sp = a
        break
      case 0x07:
        moduloSigned(a, b)
        sp = a
        break
      case 0x08:
        addModulo(a, b, sp - 96)
        sp = b
        break
      case 0x09:
        multiplyModulo(a, b, sp - 96)
        sp = b
        break
      case 0x0a: // EXP
        gas -= EXP_BYTE * <i64>byteLength(b)
        if (gas < 0) return halt(frame, OUT_OF_GAS)
        exponentiate(a, b)
        sp = a
        break
      case 0x0b:
        signExtend(a, b)
        sp = a
        break
      case 0x10:
        setSmall(b, u64(isLess(a, b)))
        sp = a
        break
      case 0x11:
        setSmall(b, u64(isLess(b, a)))
        sp = a
        break
      case 0x12:
        setSmall(b, u64(isLessSigned(a, b)))
        sp = a
        break
      case 0x13:
        setSmall(b, u64(isLessSigned(b, a)))
        sp = a
        break
      case 0x14:
        setSmall(b, u64(isEqual(a, b)))
        sp = a
        break
      case 0x15:
        setSmall(a, u64(isZero(a)))
        break
      case 0x16:
        setWord(
          b,
          load<u64>(a) & load<u64>(b),
          load<u64>(a, 8) & load<u64>(b, 8),
          load<u64>(a, 16) & load<u64>(b, 16),
          load<u64>(a, 24) & load<u64>(b, 24),
        )
        sp = a
        break
      case 0x17:
        setWord(
          b,
          load<u64>(a) | load<u64>(b),
          load<u64>(a, 8) | load<u64>(b, 8),
          load<u64>(a, 16) | load<u64>(b, 16),
          load<u64>(a, 24) | load<u64>(b, 24),
        )
        sp = a
        break
      case 0x18:
        setWord(
          b,
          load<u64>(a) ^ load<u64>(b),
          load<u64>(a, 8) ^ load<u64>(b, 8),
          load<u64>(a, 16) ^ load<u64>(b, 16),
          load<u64>(a, 24) ^ load<u64>(b, 24),
        )
        sp = a
        break
      case 0x19:
        setWord(a, ~load<u64>(a), ~load<u64>(a, 8), ~load<u64>(a, 16), ~load<u64>(a, 24))
        break
      case 0x1a:
        byteAt(a, b)
        sp = a
        break
      case 0x1b:
        shiftLeft(a, b)
        sp = a
        break
      case 0x1c:
        shiftRight(a, b)
        sp = a
        break
      case 0x1d:
        shiftRightSigned(a, b)
        sp = a
        break
      case 0x1e:
        countLeadingZeros(a)
        break
      case 0x20: // KECCAK256
        gas = keccak(frame, a, gas)
        if (gas < 0) return halt(frame, gas)
        sp = a
        break
      case 0x30:
        copyWord(sp, addressOf(frame.self))
        sp += 32
        break
      case 0x31: // BALANCE
        gas = balance(a, gas)
        if (gas < 0) return halt(frame, gas)
        break
      case 0x32:
        copyWord(sp, ORIGIN)
        sp += 32
        break
      case 0x33:
        copyWord(sp, callerOf(frame))
        sp += 32
        break
      case 0x34:
        copyWord(sp, valueOf(frame))
        sp += 32
        break
      case 0x35:
        loadInput(frame, a)
        break
      case 0x36:
        setSmall(sp, frame.inputLength)
        sp += 32
        break
      case 0x37: // CALLDATACOPY
        gas = copyToMemory(frame, a, b, sp - 96, frame.input, frame.inputLength, gas)
        if (gas < 0) return halt(frame, gas)
        sp -= 96
        break
      case 0x38:
        setSmall(sp, frame.codeLength)
        sp += 32
        break
      case 0x39: // CODECOPY
        gas = copyToMemory(frame, a, b, sp - 96, frame.code, frame.codeLength, gas)
        if (gas < 0) return halt(frame, gas)
        sp -= 96
        break
      case 0x3a:
        copyWord(sp, GAS_PRICE)
        sp += 32
        break
      case 0x3b: // EXTCODESIZE
        gas = codeSize(a, gas)
        if (gas < 0) return halt(frame, gas)
        break
      case 0x3c: // EXTCODECOPY
        gas = copyCodeOf(frame, a, gas)
        if (gas < 0) return halt(frame, gas)
        sp -= 128
        break
      case 0x3d:
        setSmall(sp, returnDataLength())
        sp += 32
        break
      case 0x3e: // RETURNDATACOPY
        gas = copyReturnData(frame, a, gas)
        if (gas < 0) return halt(frame, gas)
        sp -= 96
        break
      case 0x3f: // EXTCODEHASH
        gas = codeHash(a, gas)
        if (gas < 0) return halt(frame, gas)
        break
      case 0x40:
        hashOfBlock(a)
        break
      case 0x41:
        copyWord(sp, COINBASE)
        sp += 32
        break
      case 0x42:
        copyWord(sp, TIMESTAMP)
        sp += 32
        break
      case 0x43:
        copyWord(sp, NUMBER)
        sp += 32
        break
      case 0x44:
        copyWord(sp, PREV_RANDAO)
        sp += 32
        break
      case 0x45:
        copyWord(sp, GAS_LIMIT)
        sp += 32
        break
      case 0x46:
        copyWord(sp, CHAIN_ID)
        sp += 32
        break
      case 0x47:
        copyWord(sp, balanceOf(frame.self))
        sp += 32
        break
      case 0x48:
        copyWord(sp, BASE_FEE)
        sp += 32
        break
      case 0x49:
        blobHash(a)
        break
      case 0x4a:
        copyWord(sp, BLOB_BASE_FEE)
        sp += 32
        break
      case 0x50:
        sp = a
        break
      case 0x51: // MLOAD
        gas = expandFixed(frame, a, 32, gas)
        if (gas < 0) return halt(frame, gas)
        readBytes(a, frame.memory + load<u32>(a))
        break
      case 0x52: // MSTORE
        gas = expandFixed(frame, a, 32, gas)
        if (gas < 0) return halt(frame, gas)
        writeBytes(frame.memory + load<u32>(a), b)
        sp = b
        break
      case 0x53: // MSTORE8
        gas = expandFixed(frame, a, 1, gas)
        if (gas < 0) return halt(frame, gas)
        store<u8>(frame.memory + load<u32>(a), load<u8>(b))
        sp = b
        break
      case 0x54: // SLOAD
        gas = loadSlot(frame.self, a, gas)
        if (gas < 0) return halt(frame, gas)
        break
      case 0x55: // SSTORE
        if (frame.isStatic) return halt(frame, WRITE_PROTECTION)
        gas = storeSlot(frame.self, a, b, gas)
        if (gas < 0) return halt(frame, gas)
        sp = b
        break
      case 0x57: // JUMPI
        if (isZero(b)) {
          sp = b
          break
        }
      case 0x56: {
        // JUMP
        const target = load<u32>(a)
        if (
          isWide(a) ||
          load<u64>(a) >= <u64>frame.codeLength ||
          !isJumpDestination(frame.jumpTable, target)
        )
          return halt(frame, INVALID_JUMP)
        pc = frame.code + target
        sp = opcode == 0x56 ? a : b
        if (frame.compiled != 0) {
          frame.pc = pc
          frame.sp = sp
          gas = runCompiled(frame, gas)
          if (gas < 0) return halt(frame, gas)
          pc = frame.pc
          sp = frame.sp
        }
        if (gas < frame.pause) {
          frame.pc = pc
          frame.sp = sp
          frame.gas = gas
          return PAUSED
        }
        break
      }
      case 0x58:
        setSmall(sp, <u64>(pc - 1 - frame.code))
        sp += 32
        break
      case 0x59:
        setSmall(sp, frame.memorySize)
        sp += 32
        break
      case 0x5a:
        setSmall(sp, <u64>gas)
        sp += 32
        break
      case 0x5b:
        break
      case 0x5c:
        loadTransient(frame.self, a)
        break
      case 0x5d: // TSTORE
        if (frame.isStatic) return halt(frame, WRITE_PROTECTION)
        storeTransient(frame.self, a, b)
        sp = b
        break
      case 0x5e: // MCOPY
        gas = moveMemory(frame, a, b, sp - 96, gas)
        if (gas < 0) return halt(frame, gas)
        sp -= 96
        break
      case 0x5f:
        setSmall(sp, 0)
        sp += 32
        break
      case 0x60:
        setSmall(sp, load<u8>(pc))
        sp += 32
        pc++
        break
      case 0x61:
        setSmall(sp, bswap<u16>(load<u16>(pc)))
        sp += 32
        pc += 2
        break
      case 0x62:
      case 0x63:
      case 0x64:
      case 0x65:
      case 0x66:
      case 0x67:
      case 0x68:
      case 0x69:
      case 0x6a:
      case 0x6b:
      case 0x6c:
      case 0x6d:
      case 0x6e:
      case 0x6f:
      case 0x70:
      case 0x71:
      case 0x72:
      case 0x73:
      case 0x74:
      case 0x75:
      case 0x76:
      case 0x77:
      case 0x78:
      case 0x79:
      case 0x7a:
      case 0x7b:
      case 0x7c:
      case 0x7d:
      case 0x7e:
      case 0x7f: {
        const size = opcode - 0x5f
        push(sp, pc, size)
        sp += 32
        pc += size
        break
      }
      case 0x80:
        copyWord(sp, a)
        sp += 32
        break
      case 0x81:
        copyWord(sp, b)
        sp += 32
        break
      case 0x82:
      case 0x83:
      case 0x84:
      case 0x85:
      case 0x86:
      case 0x87:
      case 0x88:
      case 0x89:
      case 0x8a:
      case 0x8b:
      case 0x8c:
      case 0x8d:
      case 0x8e:
      case 0x8f: // DUP3 to DUP16
        copyWord(sp, sp - ((opcode - 0x7f) << 5))
        sp += 32
        break
      case 0x90:
      case 0x91:
      case 0x92:
      case 0x93:
      case 0x94:
      case 0x95:
      case 0x96:
      case 0x97:
      case 0x98:
      case 0x99:
      case 0x9a:
      case 0x9b:
      case 0x9c:
      case 0x9d:
      case 0x9e:
      case 0x9f: {
        // SWAP
        const other = a - ((opcode - 0x8f) << 5)
        const w0 = load<u64>(a),
          w1 = load<u64>(a, 8),
          w2 = load<u64>(a, 16),
          w3 = load<u64>(a, 24)
        copyWord(a, other)
        setWord(other, w0, w1, w2, w3)
        break
      }
      case 0xa0:
      case 0xa1:
      case 0xa2:
      case 0xa3:
      case 0xa4: // LOG
        gas = emitLog(frame, a, opcode - 0xa0, gas)
        if (gas < 0) return halt(frame, gas)
        sp = b - ((opcode - 0xa0) << 5)
        break
      case 0xf0:
      case 0xf5: // CREATE CREATE2
        frame.pc = pc
        gas = create(frame, opcode, sp, gas)
        if (gas == FRAME_OPENED) return SWITCHED
        if (gas < 0) return halt(frame, gas)
        sp = frame.sp
        break
      case 0xf1:
      case 0xf2:
      case 0xf4:
      case 0xfa: // CALL CALLCODE DELEGATECALL STATICCALL
        frame.pc = pc
        gas = call(frame, opcode, sp, gas)
        if (gas == FRAME_OPENED) return SWITCHED
        if (gas < 0) return halt(frame, gas)
        sp = frame.sp
        break
      case 0xf3:
        return finish(frame, RETURNED, sp, gas)
      case 0xfd:
        return finish(frame, REVERTED, sp, gas)
      case 0xff: // SELFDESTRUCT
        gas = selfDestruct(frame, a, gas)
        if (gas < 0) return halt(frame, gas)
        frame.gas = gas
        frame.outputLength = 0
        return RETURNED
      default:
        // The table rejects every opcode that is not handled above.
        unreachable()
    }
  }
}
