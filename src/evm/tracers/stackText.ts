/**
 * The words of a stack as JSON texts, one after the other. A step changes few of them, so the text of the lower ones is kept
 * from step to step: writing them all anew is most of the work of a trace.
 */
import { utf8 } from '../../base/bytes.ts'

const WORD = 32
const MOST_WORDS = 1024
/** "0x", 64 digits, quotes and a comma. */
const MOST_PER_WORD = 69

const QUOTE = 0x22
const COMMA = 0x2c
const ZERO = 0x30
const X = 0x78
const DIGITS = utf8('0123456789abcdef')

export type StackText = {
  /** The text stands at the begin of it. */
  readonly bytes: Uint8Array
  /**
   * Makes it the text of the `height` words from `stack` on, least significant byte first, and gives its length. The
   * lowest `kept` words are what they were the last time.
   */
  update(memory: Uint8Array, stack: number, height: number, kept: number): number
}

/** The text of an empty stack. */
export function createStackText(): StackText {
  const bytes = new Uint8Array(MOST_WORDS * MOST_PER_WORD)
  /** Where the text of each word ends. */
  const ends = new Int32Array(MOST_WORDS)

  function writeWord(memory: Uint8Array, from: number, start: number): number {
    let at = start
    bytes[at++] = QUOTE
    bytes[at++] = ZERO
    bytes[at++] = X
    let i = from + WORD - 1
    while (i > from && memory[i] === 0) i--
    const first = memory[i--] as number
    if (first > 15) bytes[at++] = DIGITS[first >> 4] as number
    bytes[at++] = DIGITS[first & 15] as number
    for (; i >= from; i--) {
      const byte = memory[i] as number
      bytes[at++] = DIGITS[byte >> 4] as number
      bytes[at++] = DIGITS[byte & 15] as number
    }
    bytes[at++] = QUOTE
    return at
  }

  return {
    bytes,
    update(memory, stack, height, kept) {
      let at = kept === 0 ? 0 : (ends[kept - 1] as number)
      for (let index = kept; index < height; index++) {
        if (index > 0) bytes[at++] = COMMA
        at = writeWord(memory, stack + index * WORD, at)
        ends[index] = at
      }
      return at
    },
  }
}
