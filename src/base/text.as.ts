// ASCII texts, written as bytes: literals, hex digits, decimals. Whole vectors are stored, so a few bytes behind the
// end of the output change, too.

/** Writes a literal, and up to 15 bytes more. Returns the address of its end. */
@inline
export function ascii(to: usize, text: string): usize {
  const from = changetype<usize>(text)
  const length = <usize>text.length
  for (let at: usize = 0; at < length; at += 16) {
    const units = from + 2 * at
    v128.store(to + at, v128.narrow<i16>(v128.load(units), v128.load(units, 16)))
  }
  return to + length
}

const DIGITS: v128 = i8x16(
  0x30,
  0x31,
  0x32,
  0x33,
  0x34,
  0x35,
  0x36,
  0x37,
  0x38,
  0x39,
  0x61,
  0x62,
  0x63,
  0x64,
  0x65,
  0x66,
)

/** Writes the 32 hex digits of 16 bytes. */
@inline
export function hexOf16(to: usize, bytes: v128): void {
  const high = v128.swizzle(DIGITS, v128.shr<u8>(bytes, 4))
  const low = v128.swizzle(DIGITS, v128.and(bytes, i8x16.splat(15)))
  v128.store(
    to,
    v128.shuffle<u8>(high, low, 0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23),
  )
  v128.store(
    to,
    v128.shuffle<u8>(high, low, 8, 24, 9, 25, 10, 26, 11, 27, 12, 28, 13, 29, 14, 30, 15, 31),
    16,
  )
}

/** Writes a decimal below 10^19. Returns the address of its end. */
export function decimal(to: usize, value: u64): usize {
  let end = to + 1
  for (let bound: u64 = 10; bound <= value; bound *= 10) end++
  let rest = value
  let at = end
  // Most values are short, and 32-bit division is faster.
  for (; rest > u32.MAX_VALUE; rest /= 10) store<u8>(--at, 0x30 + <u8>(rest % 10))
  for (let short = <u32>rest; at > to; short /= 10) store<u8>(--at, 0x30 + <u8>(short % 10))
  return end
}
