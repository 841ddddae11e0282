// The text of logs, in AssemblyScript: a list of thousands of them is mostly hex digits, which are written 32 at a
// time. Compiled at build time by scripts/build.mjs. The host puts a slice of a block's record at input(), the text
// shared by a transaction's logs at common(), and reads the result at output().
//
// Some functions take more than five parameters: only numbers can be passed between WebAssembly and its host, and a
// record in memory would have to be written and read in every call.
import { ascii, hexOf16 } from '../../base/text.as'

const ADDRESS: usize = 20
const TOPIC: usize = 32

/** Maximum size of the text shared by a transaction's logs. */
const COMMON: usize = 1024
/** Maximum size of a log without its data and the common part, including what vector stores write past its end. */
const MOST_OF_LOG: usize = 512

const COMMON_AT: usize = (__heap_base + 15) & ~15
const INPUT_AT: usize = COMMON_AT + COMMON

let inputSize: usize = 0

/** Where the host writes the bytes between a log's data and its index: `","blockNumber": ... ,"logIndex":"`. */
export function common(): usize {
  return COMMON_AT
}

/** Where the host writes a slice of the record. */
export function input(): usize {
  return INPUT_AT
}

/** Offset of the text. It moves when reserve() grows the input. */
export function output(): usize {
  return INPUT_AT + inputSize
}

/** Makes room for an input of `size` bytes, and a text of `text` bytes and one log more. May discard the contents. */
export function reserve(size: usize, text: usize): void {
  inputSize = (max(size, inputSize) + 15) & ~15
  const need = output() + text + MOST_OF_LOG + COMMON + 2 * inputSize
  const have = (<usize>memory.size()) << 16
  if (need > have) memory.grow(<i32>((need - have + 0xffff) >> 16))
}

/** Writes the digits of some bytes, and up to 30 more after them. Returns where they end. */
@inline
function digits(to: usize, from: usize, length: usize): usize {
  for (let at: usize = 0; at < length; at += 16) hexOf16(to + 2 * at, v128.load(from + at))
  return to + 2 * length
}

/** Writes the digits of a number, without leading zeros. Returns where they end. */
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
 * Writes the log at `from`: its address, the number of its topics (a byte), and the topics. Its data is at `data`.
 * Returns where the text ends.
 */
export function writeLog(
  to: usize,
  from: usize,
  data: usize,
  dataLength: usize,
  commonLength: usize,
  index: u32,
): usize {
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
  // Blocks are final as soon as they are visible, so no log is ever removed.
  return ascii(at, '","removed":false}')
}
