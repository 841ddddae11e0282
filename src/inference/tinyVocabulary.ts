/** Tokens of the generated model: three special ones, all bytes (any prompt can be read), and printable ASCII (for writing). */

/** Numbers of llama.cpp's token types. */
const TYPE = { normal: 1, unknown: 2, control: 3, unused: 5, byte: 6 } as const

type Entry = { readonly text: string; readonly type: number }

const SPECIAL: readonly Entry[] = [
  { text: '<unk>', type: TYPE.unknown },
  { text: '<s>', type: TYPE.control },
  { text: '</s>', type: TYPE.control },
]

const BYTES: readonly Entry[] = Array.from({ length: 256 }, (_, byte) => ({
  text: `<0x${byte.toString(16).toUpperCase().padStart(2, '0')}>`,
  type: TYPE.byte,
}))

// SentencePiece writes a space as U+2581.
const PRINTABLE: readonly Entry[] = Array.from({ length: 95 }, (_, i) => ({
  text: i === 0 ? '\u2581' : String.fromCharCode(32 + i),
  type: TYPE.normal,
}))

/** The first token of printable text. */
export const PRINTABLE_FIRST: number = SPECIAL.length + BYTES.length
/** The last token of printable text. */
export const PRINTABLE_LAST: number = PRINTABLE_FIRST + PRINTABLE.length - 1

const USED = [...SPECIAL, ...BYTES, ...PRINTABLE]

// The number of rows of a matrix is kept a multiple of 32, a full block.
const PADDING: readonly Entry[] = Array.from(
  { length: (32 - (USED.length % 32)) % 32 },
  (_, i) => ({
    text: `<pad${i}>`,
    type: TYPE.unused,
  }),
)

const ENTRIES = [...USED, ...PADDING]

/** Text of every token, by its number. */
export const TOKENS: readonly string[] = ENTRIES.map(({ text }) => text)

/** Type of every token, by its number. */
export const TOKEN_TYPES: readonly number[] = ENTRIES.map(({ type }) => type)
