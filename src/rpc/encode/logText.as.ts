// The text of logs, in AssemblyScript: a list of thousands of them is mostly hex digits, which are written 32 at a time.
// Compiled at build time by scripts/build.mjs. The host puts a stretch of a block's record at input(), what the logs of a
// transaction have in common at common(), and reads their text at output().

const ADDRESS: usize = 20
const TOPIC: usize = 32

/** Most bytes of what the logs of a transaction have in common. */
const COMMON: usize = 1024
/** What a log has beside its data and the common part, with what stores of whole vectors write behind its end. */
const MOST_OF_LOG: usize = 512

const COMMON_AT: usize = (__heap_base + 15) & ~15
const INPUT_AT: usize = COMMON_AT + COMMON

let inputSize: usize = 0

/** Where the host writes the bytes between a log's data and its index: `","blockNumber": ... ,"logIndex":"`. */
export function common(): usize {
  return COMMON_AT
}

/** Where the host writes a stretch of the record. */
export function input(): usize {
  return INPUT_AT
}

/** Where the text begins. It moves when reserve() makes the input larger. */
export function output(): usize {
  return INPUT_AT + inputSize
}

/** Makes sure that an input of so many bytes fits, and a text of so many and one log more. What stands there may be lost. */
export function reserve(size: usize, text: usize): void {
  inputSize = (max(size, inputSize) + 15) & ~15
  const need = output() + text + MOST_OF_LOG + COMMON + 2 * inputSize
  const have = <usize>memory.size() << 16
  if (need > have) memory.grow(<i32>((need - have + 0xffff) >> 16))
}

/** Writes a text of ASCII, and up to 15 bytes more. Gives where it ends. */
@inline
function ascii(to: usize, text: string): usize {
  const from = changetype<usize>(text)
  const length = <usize>text.length
  for (let at: usize = 0; at < length; at += 16) {
    const units = from + 2 * at
    v128.store(to + at, v128.narrow<i16>(v128.load(units), v128.load(units, 16)))
  }
  return to + length
}

const DIGITS: v128 = i8x16(
  0x30, 0x31, 0x32, 0x33, 0x34, 0x35, 0x36, 0x37, 0x38, 0x39, 0x61, 0x62, 0x63, 0x64, 0x65, 0x66,
)

/** Writes the digits of 16 bytes. */
@inline
function digitsOf16(to: usize, from: usize): void {
  const bytes = v128.load(from)
  const high = v128.swizzle(DIGITS, v128.shr<u8>(bytes, 4))
  const low = v128.swizzle(DIGITS, v128.and(bytes, i8x16.splat(15)))
  v128.store(to, v128.shuffle<u8>(high, low, 0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23))
  v128.store(to, v128.shuffle<u8>(high, low, 8, 24, 9, 25, 10, 26, 11, 27, 12, 28, 13, 29, 14, 30, 15, 31), 16)
}

/** Writes the digits of some bytes, and up to 30 more behind them. Gives where they end. */
@inline
function digits(to: usize, from: usize, length: usize): usize {
  for (let at: usize = 0; at < length; at += 16) digitsOf16(to + 2 * at, from + at)
  return to + 2 * length
}

/** Writes the digits of a number, without leading zeros. Gives where they end. */
function number(to: usize, value: u32): usize {
  const count = value == 0 ? 1 : (35 - clz(value)) >> 2
  let rest = value
  for (let at = to + count; at > to; rest >>= 4) {
    const digit = rest & 15
    store<u8>(--at, digit < 10 ? 0x30 + digit : 0x57 + digit)
  }
  return to + count
}

/**
 * Writes the log whose address stands at `from`, before the number of its topics (a byte) and these. Its data stands at
 * `data`. Gives where the text ends.
 */
export function writeLog(to: usize, from: usize, data: usize, dataLength: usize, commonLength: usize, index: u32): usize {
  let at = ascii(to, '{"address":"0x')
  at = digits(at, from, ADDRESS)
  at = ascii(at, '","topics":[')
  const count = <usize>load<u8>(from, ADDRESS)
  for (let i: usize = 0; i < count; i++) {
    at = ascii(at, i == 0 ? '"0x' : '","0x')
    at = digits(at, from + ADDRESS + 1 + i * TOPIC, TOPIC)
  }
  at = count > 0 ? ascii(at, '"],"data":"0x') : ascii(at, '],"data":"0x')
  at = digits(at, data, dataLength)
  memory.copy(at, COMMON_AT, commonLength)
  at = ascii(at + commonLength, '0x')
  at = number(at, index)
  // Blocks are final when they are seen, so no log is ever removed.
  return ascii(at, '","removed":false}')
}
