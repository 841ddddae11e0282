// The map of the engine's linear memory. Every region has a fixed place, so an address tells its region; untouched
// pages cost nothing, because the operating system allocates memory page by page.
//
//   0x00000000  static data of the compiler: constants, Keccak state, scratch of the division
//   0x00010000  EXCHANGE     one record of the host at a time: an address, a slot, an account (1 KiB)
//   0x00010400  MESSAGE      the top-level message; what came of it (1 KiB)
//   0x00010800  ENVIRONMENT  words that opcodes push as they are: block, origin, gas price (1 KiB)
//   0x00010c00  SCRATCH      bytes that one opcode needs for itself (1 KiB)
//   0x00011000  RULES        static gas and stack bounds of the 256 opcodes, as the interpreter sees them (2 KiB)
//   0x00011800  FORK_RULES   the same as the fork has them: tracing spoils the other table, so that it sees every step
//   0x00020000  FRAMES       1,025 call frames
//   0x00100000  STACKS       operand stacks; a frame's begins where its caller's ends (33 MiB)
//   0x02200000  CODES        codes with jump tables by hash, kept between messages (64 MiB)
//   0x06200000  HEAP         accounts, slots, logs, return data of one message; never freed one by one (256 MiB)
//   0x16200000  JOURNAL      undo records, last in first out (64 MiB)
//   0x1a200000  KNOWN        values of slots in the state below, kept while it stays the same (12 MiB)
//   0x1af00000  DIGESTS      digests of 64 bytes, kept between messages (1.5 MiB)
//   0x1b080000  OPCODE_TEXTS and what follows: the text of struct logs (stepText.as.ts), of the stack (72 KiB), of steps (1.4 MiB)
//   0x1b200000  ARENA        memories of the frames, one above the other; grows up to ARENA_END
//
// The regions are sized for 25 million gas, more than a transaction may have (EIP-7825): its worst case is to load
// 9,600 codes of 24 KiB. A call with far more gas can exhaust a region: the host throws then, and there is no result.
//
// Words (256 bits) are four u64 limbs, the least significant first. Bytes that EVM code sees are big-endian.

export const EXCHANGE: usize = 0x00010000
export const MESSAGE: usize = 0x00010400
export const ENVIRONMENT: usize = 0x00010800
export const SCRATCH: usize = 0x00010c00
export const RULES: usize = 0x00011000
export const FORK_RULES: usize = 0x00011800
export const FRAMES: usize = 0x00020000
export const STACKS: usize = 0x00100000
export const CODES: usize = 0x02200000
export const CODES_END: usize = 0x06200000
export const HEAP: usize = 0x06200000
export const HEAP_END: usize = 0x16200000
export const JOURNAL: usize = 0x16200000
export const JOURNAL_END: usize = 0x1a200000
export const KNOWN: usize = 0x1a200000
export const DIGESTS: usize = 0x1af00000
export const OPCODE_TEXTS: usize = 0x1b080000
export const STACK_ENDS: usize = 0x1b084000
export const STACK_TEXT: usize = 0x1b086000
export const STEP_TEXT: usize = 0x1b0a0000
export const ARENA: usize = 0x1b200000
export const ARENA_END: usize = 0x7fff0000

/** The top-level message, written by the host, and its result, read by the host. */
@unmanaged
export class Message {
  /** Words: caller, target (of a creation: the new address), value. */
  caller0: u64
  caller1: u64
  caller2: u64
  caller3: u64
  target0: u64
  target1: u64
  target2: u64
  target3: u64
  value0: u64
  value1: u64
  value2: u64
  value3: u64
  gas: i64
  inputLength: u32
  isCreation: u32
  /** Blob hashes as words, one after the other. */
  blobHashes: usize
  blobCount: u32
  /** Result: an End (frames.as.ts) and a Halt (halts.as.ts). */
  end: i32
  reason: i32
  gasLeft: i64
  refund: i64
  output: usize
  outputLength: u32
  /** For a halt in the outermost frame: the opcode, the height of the stack, and how many words it needed. */
  haltedOpcode: u32
  stackHeight: u32
  stackNeed: u32
}

@inline
export function message(): Message {
  return changetype<Message>(MESSAGE)
}

/** Addresses of the words in ENVIRONMENT. */
export const ORIGIN: usize = ENVIRONMENT
export const GAS_PRICE: usize = ENVIRONMENT + 32
export const COINBASE: usize = ENVIRONMENT + 64
export const TIMESTAMP: usize = ENVIRONMENT + 96
export const NUMBER: usize = ENVIRONMENT + 128
export const PREV_RANDAO: usize = ENVIRONMENT + 160
export const GAS_LIMIT: usize = ENVIRONMENT + 192
export const CHAIN_ID: usize = ENVIRONMENT + 224
export const BASE_FEE: usize = ENVIRONMENT + 256
export const BLOB_BASE_FEE: usize = ENVIRONMENT + 288
