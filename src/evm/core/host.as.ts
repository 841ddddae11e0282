// The functions that the engine imports from its host. All calls are synchronous; records are exchanged at EXCHANGE
// (layout.as.ts).

/**
 * The 20-byte address at EXCHANGE: writes nonce (u64), balance (a word) and code hash (32 bytes) there. Returns 0 if
 * there is no account.
 */
@external("host", "loadAccount")
export declare function loadAccount(): i32

/** The 20-byte address at EXCHANGE and the slot (32 bytes) after it, at 32: writes the value (32 bytes) to EXCHANGE. */
@external("host", "loadStorage")
export declare function loadStorage(): void

/** Whether the account at EXCHANGE has any storage. */
@external("host", "hasStorage")
export declare function hasStorage(): i32

/** The length of the code whose hash is at EXCHANGE; `copyCode` then writes that code to an address. */
@external("host", "loadCode")
export declare function loadCode(): u32
@external("host", "copyCode")
export declare function copyCode(to: usize): void

/** Writes the hash of a block (32 bytes) to EXCHANGE. */
@external("host", "blockHash")
export declare function blockHash(height: f64): void

/**
 * Runs a precompile; its output goes to the return data (returnData.as.ts). Returns the remaining gas, negative if it
 * failed.
 */
@external("host", "runPrecompile")
export declare function runPrecompile(address: u32, input: usize, length: u32, gas: i64): i64

/** Called when the message needs more memory than there is. Throws. */
@external("host", "outOfMemory")
export declare function outOfMemory(): void

/** Called periodically. Throws to end the execution. */
@external("host", "poll")
export declare function poll(): void

/**
 * Called when the code of `length` bytes has used up a slice of gas and jumps to an offset. Returns the number of its
 * compiled form in the table of functions, or 0; `known` is its current number.
 */
@external("host", "compile")
export declare function compile(code: usize, length: u32, offset: u32, known: u32): u32

/** Called before each step, if the host requested steps. */
@external("host", "step")
export declare function step(
  depth: u32,
  pc: u32,
  opcode: u32,
  gas: i64,
  stack: usize,
  height: u32,
): void

/**
 * Called when a call, creation or self-destruction begins, if the host requested calls; words at `from`, `to` and
 * `value`.
 */
@external("host", "enterCall")
export declare function enterCall(
  opcode: u32,
  from: usize,
  to: usize,
  value: usize,
  input: usize,
  inputLength: u32,
  gas: i64,
): void

/** Called when the innermost of these ends. */
@external("host", "leaveCall")
export declare function leaveCall(
  end: i32,
  reason: i32,
  gasLeft: i64,
  output: usize,
  outputLength: u32,
): void

/** A log record (logs.as.ts) was written; `index` counts the message's logs that were not reverted. */
@external("host", "logEmitted")
export declare function logEmitted(record: usize, index: u32): void
