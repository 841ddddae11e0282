// Codes by hash, each with its table of jump destinations: both are kept between messages, because a hash always
// identifies the same bytes. When their region is full, further codes are put on the heap, and after the message all
// are dropped.
//
// A code in memory: its bytes, 33 zero bytes so that reading past the end means STOP and PUSH arguments of zero, and
// the jump table, one bit per byte of code.
import { allocate } from './heap.as'
import { copyCode, loadCode } from './host.as'
import { CODES, CODES_END, EXCHANGE } from './layout.as'
import { hashOf } from './table.as'
import { copyWord, isEqual } from './words.as'

/** Marks a code that has not been requested yet. */
export const CODE_FROM_VIEW: usize = 0

const PADDING: u32 = 40
const BUCKETS: u32 = 65536
const JUMPDEST: i32 = 0x5b
const PUSH1: i32 = 0x60

/** Keccak-256 of no bytes. */
export const EMPTY_HASH: usize = memory.data<u64>([
  0x3c23f7860146d2c5, 0xc003c7dcb27d7e92, 0x3b2782ca53b600e5, 0x70a4855d04d8fa7b,
])

/** Start of the codes, after the table of their addresses. */
const FIRST: usize = CODES + (BUCKETS << 2)
let next: usize = FIRST
let isOverflowing = false

@unmanaged
export class Code {
  hash0: u64
  hash1: u64
  hash2: u64
  hash3: u64
  bytes: usize
  length: u32
  /** 0 until the code runs. */
  jumpTable: usize
  /** The next code in the same bucket, or 0. */
  next: usize
  /** The compiled form (compiled.as.ts), or 0. */
  compiled: u32

  /** The code with the hash at `hash`, requested from the host if it is not cached. */
  static at(hash: usize): Code {
    const known = Code.find(hash)
    if (known != 0) return changetype<Code>(known)
    copyWord(EXCHANGE, hash)
    const length = isEqual(hash, EMPTY_HASH) ? 0 : loadCode()
    const code = Code.create(hash, length)
    if (length > 0) copyCode(code.bytes)
    return code
  }

  /** The code with this hash, or 0. */
  static find(hash: usize): usize {
    let at = <usize>load<u32>(bucketOf(hash))
    while (at != 0 && !isEqual(at, hash)) at = changetype<Code>(at).next
    return at
  }

  /** A record for a code that is not cached, with room for its bytes. */
  static create(hash: usize, length: u32): Code {
    const record = take(offsetof<Code>() + length + PADDING)
    const code = changetype<Code>(record)
    copyWord(record, hash)
    code.bytes = record + offsetof<Code>()
    code.length = length
    code.jumpTable = 0
    code.compiled = 0
    memory.fill(code.bytes + length, 0, PADDING)
    const bucket = bucketOf(hash)
    code.next = <usize>load<u32>(bucket)
    store<u32>(bucket, <u32>record)
    return code
  }

  /** The jump table, built on first use. */
  jumps(): usize {
    if (this.jumpTable == 0) {
      this.jumpTable = take(jumpTableSize(this.length))
      analyse(this.bytes, this.length, this.jumpTable)
    }
    return this.jumpTable
  }
}

/** Seeded, because anyone can search for codes whose hashes share a prefix. */
@inline
function bucketOf(hash: usize): usize {
  const mixed = hashOf(
    0,
    load<u64>(hash),
    load<u64>(hash, 8),
    load<u64>(hash, 16),
    load<u64>(hash, 24),
  )
  return CODES + ((mixed & (BUCKETS - 1)) << 2)
}

function take(size: usize): usize {
  if (size > CODES_END - next - 8) {
    isOverflowing = true
    return allocate(size)
  }
  const at = next
  next = (at + size + 7) & ~7
  return at
}

/** The record of the code whose bytes are at an address. */
@inline
export function codeOfBytes(bytes: usize): Code {
  return changetype<Code>(bytes - offsetof<Code>())
}

/** Allocates `size` zeroed bytes for as long as the codes are kept; returns 0 if there is no room. */
export function reserveWithCodes(size: u32): usize {
  if (<usize>size > CODES_END - next - 8) return 0
  const at = take(size)
  memory.fill(at, 0, size)
  return at
}

/** Must be called between messages: drops all codes once they use three quarters of their region. */
export function trimCodes(): void {
  if (!isOverflowing && next - CODES < ((CODES_END - CODES) / 4) * 3) return
  memory.fill(CODES, 0, BUCKETS << 2)
  next = FIRST
  isOverflowing = false
}

/** Size of a jump table in bytes. */
@inline
function jumpTableSize(codeLength: u32): u32 {
  return ((codeLength >> 6) + 1) << 3
}

/** The space needed by code that is kept elsewhere: bytes, padding and jump table. */
@inline
export function roomFor(codeLength: u32): u32 {
  return ((codeLength + PADDING + 7) & ~7) + jumpTableSize(codeLength)
}

/** Lays out code that is not kept (init code) at `to`. Returns its jump table. */
export function layOut(to: usize, from: usize, length: u32): usize {
  memory.copy(to, from, length)
  memory.fill(to + length, 0, PADDING)
  const jumpTable = to + ((length + PADDING + 7) & ~7)
  analyse(to, length, jumpTable)
  return jumpTable
}

/** The most significant bit of every byte, and the least one. */
const TOP_BITS: u64 = 0x8080808080808080
const LOW_BITS: u64 = 0x0101010101010101

/** Whether eight bytes hold an opcode of PUSH1 to PUSH32: those whose top three bits are 011. */
@inline
function hasPush(bytes: u64): bool {
  return (~bytes & (bytes << 1) & (bytes << 2) & TOP_BITS) != 0
}

/** Which of eight bytes, none of them a PUSH, are JUMPDEST: one bit for each, the first byte's lowest. */
@inline
function jumpDestinations(bytes: u64): u8 {
  const differences = bytes ^ (LOW_BITS * <u64>JUMPDEST)
  const low = (differences & ~TOP_BITS) + ~TOP_BITS
  const equal = ~(low | differences) & TOP_BITS
  // The multiplication gathers the top bits in the highest byte.
  return <u8>(((equal >> 7) * 0x0102040810204080) >> 56)
}

/** Marks each JUMPDEST that is not part of a PUSH argument. The table is zeroed beforehand; zeros follow the code. */
function analyse(code: usize, length: u32, jumpTable: usize): void {
  memory.fill(jumpTable, 0, jumpTableSize(length))
  let i: u32 = 0
  while (i < length) {
    if ((i & 7) == 0) {
      const bytes = load<u64>(code + i)
      if (!hasPush(bytes)) {
        const marks = jumpDestinations(bytes)
        if (marks != 0) store<u8>(jumpTable + (i >> 3), marks)
        i += 8
        continue
      }
    }
    // As signed bytes, all values from PUSH1 upwards are PUSHes.
    const opcode = <i32>load<i8>(code + i)
    if (opcode >= PUSH1) {
      i += opcode - PUSH1 + 2
      continue
    }
    if (opcode == JUMPDEST) {
      const place = jumpTable + (i >> 3)
      store<u8>(place, load<u8>(place) | (1 << (<u8>(i & 7))))
    }
    i++
  }
}

@inline
export function isJumpDestination(jumpTable: usize, target: u32): bool {
  return ((load<u8>(jumpTable + (target >> 3)) >> <u8>(target & 7)) & 1) != 0
}
