// The sponge of Keccak-256 (the original padding, as Ethereum uses it), shared by the modules that hash in WebAssembly.

@inline export const RATE: u32 = 136
@inline const STATE: usize = 200
export const state: usize = memory.data(200, 8)
const roundConstants: usize = memory.data<u64>([
  0x0000000000000001, 0x0000000000008082, 0x800000000000808a, 0x8000000080008000,
  0x000000000000808b, 0x0000000080000001, 0x8000000080008081, 0x8000000000008009,
  0x000000000000008a, 0x0000000000000088, 0x0000000080008009, 0x000000008000000a,
  0x000000008000808b, 0x800000000000008b, 0x8000000000008089, 0x8000000000008003,
  0x8000000000008002, 0x8000000000000080, 0x000000000000800a, 0x800000008000000a,
  0x8000000080008081, 0x8000000000008080, 0x0000000080000001, 0x8000000080008008,
])

/** Hashes `length` bytes at an address. The digest is the first 32 bytes at `state`. */
export function digest(bytes: usize, length: u32): void {
  let at = bytes
  let left = length
  let i: usize = 0
  if (left < RATE) {
    // Most messages are a single block, absorbed into an empty state.
    for (; i + 8 <= left; i += 8) store<u64>(state + i, load<u64>(at + i))
    store<u64>(state + i, lastLane(at + i, left - <u32>i))
    clear(i + 8)
  } else {
    clear(0)
    for (; left >= RATE; left -= RATE) {
      for (i = 0; i < RATE; i += 8) mix(i, load<u64>(at + i))
      permute()
      at += RATE
    }
    for (i = 0; i + 8 <= left; i += 8) mix(i, load<u64>(at + i))
    mix(i, lastLane(at + i, left - <u32>i))
  }
  mix(RATE - 8, 0x8000000000000000)
  permute()
}

/** Zeroes the lanes from an offset on. A call of `memory.fill` costs more than these stores. */
@inline
function clear(from: usize): void {
  for (let i = from; i < STATE; i += 8) store<u64>(state + i, 0)
}

@inline
function mix(lane: usize, value: u64): void {
  store<u64>(state + lane, load<u64>(state + lane) ^ value)
}

/**
 * The `count` bytes (at most seven) that a message ends with and the padding's first bit. Computed as a whole lane:
 * loading a lane right after storing its bytes would stall.
 */
@inline
function lastLane(bytes: usize, count: u32): u64 {
  let lane: u64 = 1
  for (let i = <usize>count; i > 0; i--) lane = (lane << 8) | load<u8>(bytes + i - 1)
  return lane
}

/**
 * Keccak-f[1600]. Inside, six lanes (1, 2, 8, 12, 17, 20) are kept as their complements: a round then needs five
 * negations instead of 25 (lane complementing, Keccak implementation overview, section 2.2).
 */
function permute(): void {
  let a0 = load<u64>(state, 0),
    a1 = ~load<u64>(state, 8),
    a2 = ~load<u64>(state, 16),
    a3 = load<u64>(state, 24),
    a4 = load<u64>(state, 32)
  let a5 = load<u64>(state, 40),
    a6 = load<u64>(state, 48),
    a7 = load<u64>(state, 56),
    a8 = ~load<u64>(state, 64),
    a9 = load<u64>(state, 72)
  let a10 = load<u64>(state, 80),
    a11 = load<u64>(state, 88),
    a12 = ~load<u64>(state, 96),
    a13 = load<u64>(state, 104),
    a14 = load<u64>(state, 112)
  let a15 = load<u64>(state, 120),
    a16 = load<u64>(state, 128),
    a17 = ~load<u64>(state, 136),
    a18 = load<u64>(state, 144),
    a19 = load<u64>(state, 152)
  let a20 = ~load<u64>(state, 160),
    a21 = load<u64>(state, 168),
    a22 = load<u64>(state, 176),
    a23 = load<u64>(state, 184),
    a24 = load<u64>(state, 192)
  for (let round = 0; round < 24; round++) {
    // theta
    const c0 = a0 ^ a5 ^ a10 ^ a15 ^ a20
    const c1 = a1 ^ a6 ^ a11 ^ a16 ^ a21
    const c2 = a2 ^ a7 ^ a12 ^ a17 ^ a22
    const c3 = a3 ^ a8 ^ a13 ^ a18 ^ a23
    const c4 = a4 ^ a9 ^ a14 ^ a19 ^ a24
    const d0 = c4 ^ rotl(c1, 1)
    const d1 = c0 ^ rotl(c2, 1)
    const d2 = c1 ^ rotl(c3, 1)
    const d3 = c2 ^ rotl(c4, 1)
    const d4 = c3 ^ rotl(c0, 1)
    // rho and pi
    const b0 = a0 ^ d0
    const b1 = rotl(a6 ^ d1, 44)
    const b2 = rotl(a12 ^ d2, 43)
    const b3 = rotl(a18 ^ d3, 21)
    const b4 = rotl(a24 ^ d4, 14)
    const b5 = rotl(a3 ^ d3, 28)
    const b6 = rotl(a9 ^ d4, 20)
    const b7 = rotl(a10 ^ d0, 3)
    const b8 = rotl(a16 ^ d1, 45)
    const b9 = rotl(a22 ^ d2, 61)
    const b10 = rotl(a1 ^ d1, 1)
    const b11 = rotl(a7 ^ d2, 6)
    const b12 = rotl(a13 ^ d3, 25)
    const b13 = rotl(a19 ^ d4, 8)
    const b14 = rotl(a20 ^ d0, 18)
    const b15 = rotl(a4 ^ d4, 27)
    const b16 = rotl(a5 ^ d0, 36)
    const b17 = rotl(a11 ^ d1, 10)
    const b18 = rotl(a17 ^ d2, 15)
    const b19 = rotl(a23 ^ d3, 56)
    const b20 = rotl(a2 ^ d2, 62)
    const b21 = rotl(a8 ^ d3, 55)
    const b22 = rotl(a14 ^ d4, 39)
    const b23 = rotl(a15 ^ d0, 41)
    const b24 = rotl(a21 ^ d1, 2)
    // chi and iota
    const n13 = ~b13
    const n18 = ~b18
    const n21 = ~b21
    a0 = b0 ^ (b1 | b2) ^ load<u64>(roundConstants + ((<usize>round) << 3))
    a1 = b1 ^ (~b2 | b3)
    a2 = b2 ^ (b3 & b4)
    a3 = b3 ^ (b4 | b0)
    a4 = b4 ^ (b0 & b1)
    a5 = b5 ^ (b6 | b7)
    a6 = b6 ^ (b7 & b8)
    a7 = b7 ^ (b8 | ~b9)
    a8 = b8 ^ (b9 | b5)
    a9 = b9 ^ (b5 & b6)
    a10 = b10 ^ (b11 | b12)
    a11 = b11 ^ (b12 & b13)
    a12 = b12 ^ (n13 & b14)
    a13 = n13 ^ (b14 | b10)
    a14 = b14 ^ (b10 & b11)
    a15 = b15 ^ (b16 & b17)
    a16 = b16 ^ (b17 | b18)
    a17 = b17 ^ (n18 | b19)
    a18 = n18 ^ (b19 & b15)
    a19 = b19 ^ (b15 | b16)
    a20 = b20 ^ (n21 & b22)
    a21 = n21 ^ (b22 | b23)
    a22 = b22 ^ (b23 & b24)
    a23 = b23 ^ (b24 | b20)
    a24 = b24 ^ (b20 & b21)
  }
  store<u64>(state, a0, 0)
  store<u64>(state, ~a1, 8)
  store<u64>(state, ~a2, 16)
  store<u64>(state, a3, 24)
  store<u64>(state, a4, 32)
  store<u64>(state, a5, 40)
  store<u64>(state, a6, 48)
  store<u64>(state, a7, 56)
  store<u64>(state, ~a8, 64)
  store<u64>(state, a9, 72)
  store<u64>(state, a10, 80)
  store<u64>(state, a11, 88)
  store<u64>(state, ~a12, 96)
  store<u64>(state, a13, 104)
  store<u64>(state, a14, 112)
  store<u64>(state, a15, 120)
  store<u64>(state, a16, 128)
  store<u64>(state, ~a17, 136)
  store<u64>(state, a18, 144)
  store<u64>(state, a19, 152)
  store<u64>(state, ~a20, 160)
  store<u64>(state, a21, 168)
  store<u64>(state, a22, 176)
  store<u64>(state, a23, 184)
  store<u64>(state, a24, 192)
}
