// 256-bit words in memory: four u64 limbs, the least significant first. Arguments are addresses.

@inline
export function setWord(word: usize, w0: u64, w1: u64, w2: u64, w3: u64): void {
  store<u64>(word, w0)
  store<u64>(word, w1, 8)
  store<u64>(word, w2, 16)
  store<u64>(word, w3, 24)
}

/** Sets a word to a value of 64 bits. */
@inline
export function setSmall(word: usize, value: u64): void {
  setWord(word, value, 0, 0, 0)
}

@inline
export function copyWord(to: usize, from: usize): void {
  setWord(to, load<u64>(from), load<u64>(from, 8), load<u64>(from, 16), load<u64>(from, 24))
}

@inline
export function isZero(word: usize): bool {
  return (load<u64>(word) | load<u64>(word, 8) | load<u64>(word, 16) | load<u64>(word, 24)) == 0
}

/** Whether the value does not fit into 64 bits. */
@inline
export function isWide(word: usize): bool {
  return (load<u64>(word, 8) | load<u64>(word, 16) | load<u64>(word, 24)) != 0
}

/** The value, or 2^64 - 1 when it does not fit. */
@inline
export function saturated(word: usize): u64 {
  return isWide(word) ? u64.MAX_VALUE : load<u64>(word)
}

@inline
export function isEqual(a: usize, b: usize): bool {
  return (
    ((load<u64>(a) ^ load<u64>(b)) |
      (load<u64>(a, 8) ^ load<u64>(b, 8)) |
      (load<u64>(a, 16) ^ load<u64>(b, 16)) |
      (load<u64>(a, 24) ^ load<u64>(b, 24))) ==
    0
  )
}

/** Unsigned a < b. */
@inline
export function isLess(a: usize, b: usize): bool {
  const a3 = load<u64>(a, 24),
    b3 = load<u64>(b, 24)
  if (a3 != b3) return a3 < b3
  const a2 = load<u64>(a, 16),
    b2 = load<u64>(b, 16)
  if (a2 != b2) return a2 < b2
  const a1 = load<u64>(a, 8),
    b1 = load<u64>(b, 8)
  if (a1 != b1) return a1 < b1
  return load<u64>(a) < load<u64>(b)
}

/** Two's complement a < b. */
@inline
export function isLessSigned(a: usize, b: usize): bool {
  const sign = load<i64>(a, 24) < 0
  return sign != load<i64>(b, 24) < 0 ? sign : isLess(a, b)
}

/** Reads 32 big-endian bytes into a word. The two may overlap. */
@inline
export function readBytes(word: usize, bytes: usize): void {
  setWord(
    word,
    bswap(load<u64>(bytes, 24)),
    bswap(load<u64>(bytes, 16)),
    bswap(load<u64>(bytes, 8)),
    bswap(load<u64>(bytes)),
  )
}

/** Writes a word as 32 big-endian bytes. The two may overlap. */
@inline
export function writeBytes(bytes: usize, word: usize): void {
  readBytes(bytes, word)
}

/** Writes the low 160 bits of a word as 20 big-endian bytes. */
export function writeAddress(bytes: usize, word: usize): void {
  store<u32>(bytes, bswap<u32>(load<u32>(word, 16)))
  store<u64>(bytes, bswap(load<u64>(word, 8)), 4)
  store<u64>(bytes, bswap(load<u64>(word)), 12)
}

/** sum = a + b; returns whether it overflowed 2^256. */
@inline
export function add(sum: usize, a: usize, b: usize): bool {
  const a0 = load<u64>(a),
    s0 = a0 + load<u64>(b)
  let carry = u64(s0 < a0)
  const a1 = load<u64>(a, 8),
    p1 = a1 + load<u64>(b, 8),
    s1 = p1 + carry
  carry = u64(p1 < a1) | u64(s1 < p1)
  const a2 = load<u64>(a, 16),
    p2 = a2 + load<u64>(b, 16),
    s2 = p2 + carry
  carry = u64(p2 < a2) | u64(s2 < p2)
  const a3 = load<u64>(a, 24),
    p3 = a3 + load<u64>(b, 24),
    s3 = p3 + carry
  setWord(sum, s0, s1, s2, s3)
  return (u64(p3 < a3) | u64(s3 < p3)) != 0
}

/** difference = a - b, modulo 2^256. */
@inline
export function subtract(difference: usize, a: usize, b: usize): void {
  const a0 = load<u64>(a),
    b0 = load<u64>(b)
  const a1 = load<u64>(a, 8),
    b1 = load<u64>(b, 8)
  const a2 = load<u64>(a, 16),
    b2 = load<u64>(b, 16)
  let borrow = u64(a0 < b0)
  const p1 = a1 - b1,
    d1 = p1 - borrow
  borrow = u64(a1 < b1) | u64(p1 < borrow)
  const p2 = a2 - b2,
    d2 = p2 - borrow
  borrow = u64(a2 < b2) | u64(p2 < borrow)
  setWord(difference, a0 - b0, d1, d2, load<u64>(a, 24) - load<u64>(b, 24) - borrow)
}
