// The compression function F of BLAKE2b (RFC 7693, section 3.2) for the precompile of EIP-152. It is implemented here
// because a round costs one gas, however long it takes.

const IV = memory.data<u64>([
  0x6a09e667f3bcc908, 0xbb67ae8584caa73b, 0x3c6ef372fe94f82b, 0xa54ff53a5f1d36f1,
  0x510e527fade682d1, 0x9b05688c2b3e6c1f, 0x1f83d9abfb41bd6b, 0x5be0cd19137e2179,
])
const SIGMA = memory.data<u8>([
  0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 14, 10, 4, 8, 9, 15, 13, 6, 1, 12, 0, 2, 11,
  7, 5, 3, 11, 8, 12, 0, 5, 2, 15, 13, 10, 14, 3, 6, 7, 1, 9, 4, 7, 9, 3, 1, 13, 12, 11, 14, 2, 6,
  5, 10, 4, 0, 15, 8, 9, 0, 5, 7, 2, 4, 10, 15, 14, 1, 11, 12, 6, 8, 3, 13, 2, 12, 6, 10, 0, 11, 8,
  3, 4, 13, 7, 5, 15, 14, 1, 9, 12, 5, 1, 15, 14, 13, 4, 10, 0, 7, 6, 3, 9, 2, 8, 11, 13, 11, 7, 14,
  12, 1, 3, 9, 5, 0, 15, 4, 8, 6, 2, 10, 6, 15, 14, 9, 11, 3, 0, 8, 12, 2, 13, 7, 1, 4, 10, 5, 10,
  2, 8, 4, 7, 6, 1, 5, 15, 11, 9, 14, 3, 12, 13, 0,
])
const work = memory.data(128, 8)

@inline
function mix(a: usize, b: usize, c: usize, d: usize, x: u64, y: u64): void {
  let va = load<u64>(work + (a << 3)),
    vb = load<u64>(work + (b << 3))
  let vc = load<u64>(work + (c << 3)),
    vd = load<u64>(work + (d << 3))
  va += vb + x
  vd = rotr(vd ^ va, 32)
  vc += vd
  vb = rotr(vb ^ vc, 24)
  va += vb + y
  vd = rotr(vd ^ va, 16)
  vc += vd
  vb = rotr(vb ^ vc, 63)
  store<u64>(work + (a << 3), va)
  store<u64>(work + (b << 3), vb)
  store<u64>(work + (c << 3), vc)
  store<u64>(work + (d << 3), vd)
}

@inline
function word(message: usize, row: usize, index: usize): u64 {
  return load<u64>(message + ((<usize>load<u8>(row + index)) << 3))
}

/** `state` (8 words), `message` (16 words) and `counter` (2 words) are little-endian; the new state goes to `output`. */
export function compress(
  rounds: u32,
  state: usize,
  message: usize,
  counter: usize,
  isFinal: bool,
  output: usize,
): void {
  memory.copy(work, state, 64)
  memory.copy(work + 64, IV, 64)
  store<u64>(work, load<u64>(work, 96) ^ load<u64>(counter), 96)
  store<u64>(work, load<u64>(work, 104) ^ load<u64>(counter, 8), 104)
  if (isFinal) store<u64>(work, ~load<u64>(work, 112), 112)
  let row = SIGMA
  for (let round: u32 = 0; round < rounds; round++) {
    mix(0, 4, 8, 12, word(message, row, 0), word(message, row, 1))
    mix(1, 5, 9, 13, word(message, row, 2), word(message, row, 3))
    mix(2, 6, 10, 14, word(message, row, 4), word(message, row, 5))
    mix(3, 7, 11, 15, word(message, row, 6), word(message, row, 7))
    mix(0, 5, 10, 15, word(message, row, 8), word(message, row, 9))
    mix(1, 6, 11, 12, word(message, row, 10), word(message, row, 11))
    mix(2, 7, 8, 13, word(message, row, 12), word(message, row, 13))
    mix(3, 4, 9, 14, word(message, row, 14), word(message, row, 15))
    row = row == SIGMA + 144 ? SIGMA : row + 16
  }
  for (let i: usize = 0; i < 64; i += 8) {
    store<u64>(output + i, load<u64>(state + i) ^ load<u64>(work + i) ^ load<u64>(work + 64 + i))
  }
}
