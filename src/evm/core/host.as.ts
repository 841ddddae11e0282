// What the engine asks of its host. All calls are synchronous; records are exchanged at EXCHANGE (layout.as.ts).

/** The 20-byte address at EXCHANGE: writes nonce (u64), balance (a word) and code hash (32 bytes) there. 0 when there is no account. */
@external("host", "loadAccount")
export declare function loadAccount(): i32

/** The 20-byte address at EXCHANGE and the slot (32 bytes) behind it, at 32: writes the value (32 bytes) to EXCHANGE. */
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

/** Runs a precompile; its output goes to the return data (returnData.as.ts). The gas that is left, negative when it failed. */
@external("host", "runPrecompile")
export declare function runPrecompile(address: u32, input: usize, length: u32, gas: i64): i64

/** There is no room for what the message needs. Throws. */
@external("host", "outOfMemory")
export declare function outOfMemory(): void

/** Called every now and then. Throws when the execution shall end. */
@external("host", "poll")
export declare function poll(): void

/**
 * The code of `length` bytes has used a slice of gas and jumps to an offset: the number of its compiled form in the
 * table of functions, or 0; `known` is the number that it has.
 */
@external("host", "compile")
export declare function compile(code: usize, length: u32, offset: u32, known: u32): u32

/** A step is about to be taken, if the host asked for steps. */
@external("host", "step")
export declare function step(depth: u32, pc: u32, opcode: u32, gas: i64, stack: usize, height: u32): void

/** A call, creation or self-destruction begins, if the host asked for calls; words at `from`, `to` and `value`. */
@external("host", "enterCall")
export declare function enterCall(opcode: u32, from: usize, to: usize, value: usize, input: usize, inputLength: u32, gas: i64): void

/** The last one that began and has not ended yet ends. */
@external("host", "leaveCall")
export declare function leaveCall(end: i32, reason: i32, gasLeft: i64, output: usize, outputLength: u32): void

/** A log record (logs.as.ts) was written; `index` counts the logs of the message that stand. */
@external("host", "logEmitted")
export declare function logEmitted(record: usize, index: u32): void
