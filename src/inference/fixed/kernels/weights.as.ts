// Plain numbers as planes of signed bytes in blocks of 32, each block with an integer scale: half precision is an integer
// times 2^-24, so nothing is rounded.
//
// Some functions take more than five parameters: between WebAssembly and its host only numbers pass,
// and a record in memory would be written and read again in every call.

import { BYTES, blockAddress } from './layout.as'
import { groupAddress, storeScale, storeWeight } from './rows.as'

/** Largest sum of a row's scales: with 2^27 for the product of a block, a row stays below 2^62. */
@inline export const ROW_SCALES: i64 = (<i64>1) << 35
@inline const BLOCK: usize = 32

/** A half-precision number times 2^24; the smallest i64 for infinities and NaN. */
export function halfToInteger(bits: u32): i64 {
  const exponent = (bits >> 10) & 31
  const fraction = <i64>(bits & 1023)
  if (exponent == 31) return i64.MIN_VALUE
  const magnitude = exponent == 0 ? fraction : (1024 + fraction) << (<i64>(exponent - 1))
  return bits & 0x8000 ? -magnitude : magnitude
}

/** Whether a scale can be used. */
@inline export function isScale(scale: i64): bool {
  return scale > i32.MIN_VALUE && scale <= i32.MAX_VALUE
}

@inline const F16: i32 = 1
@inline const BF16: i32 = 30

/** Bytes of a number of F32 (0), F16 or BF16. */
@inline function numberBytes(kind: i32): usize {
  return kind == 0 ? 4 : 2
}

/**
 * A number times 2^24: exact for F16; others are rounded to the nearest integer, halves upwards, which is finer than any
 * activation. The smallest i64 for infinities, NaN, and what is beyond half precision's range.
 */
function toInteger(kind: i32, source: usize): i64 {
  if (kind == F16) return halfToInteger(load<u16>(source))
  const bits = kind == BF16 ? (<u32>load<u16>(source)) << 16 : load<u32>(source)
  const value = <f64>reinterpret<f32>(bits)
  // Scaling by a power of two is exact. A comparison with NaN is false.
  return abs<f64>(value) < 65536 ? <i64>floor<f64>(value * 16777216 + 0.5) : i64.MIN_VALUE
}

/** Trailing zero bits that the 32 integers of a block of numbers share; 64 when all are 0, -1 if one is not a number. */
function sharedZeros(kind: i32, source: usize): i32 {
  let all: i64 = 0
  for (let i: usize = 0; i < BLOCK; i++) {
    const value = toInteger(kind, source + numberBytes(kind) * i)
    if (value == i64.MIN_VALUE) return -1
    all |= value
  }
  return <i32>ctz<i64>(all)
}

/**
 * Reads one plane of rows of F32, F16 or BF16 (`kind`, by its number in GGML) into memory that was zero. A number is written to
 * base 256 with digits of -128 to 127, counted from the lowest bit that its block uses; plane n takes digit n, with the
 * scale 256^n. False if a value is not a number, or a scale would be too large.
 */
export function unpackNumbers(
  kind: i32,
  source: usize,
  first: i32,
  rows: i32,
  blocks: i32,
  plane: i32,
  matrix: usize,
): bool {
  for (let row = 0; row < rows; row++) {
    const group = groupAddress(BYTES, matrix, first + row, blocks)
    let sum: i64 = 0
    for (let block = 0; block < blocks; block++) {
      const zeros = sharedZeros(kind, source)
      if (zeros < 0) return false
      const target = blockAddress(BYTES, group, block)
      let used: i8 = 0
      for (let i: usize = 0; i < BLOCK; i++) {
        let rest = zeros == 64 ? 0 : toInteger(kind, source + numberBytes(kind) * i) >> <i64>zeros
        for (let skip = 0; skip < plane; skip++) rest = (rest - <i64>(<i8>rest)) >> 8
        storeWeight(BYTES, target, first + row, <i32>i, <i32>(<i8>rest))
        used |= <i8>rest
      }
      const shift = zeros + 8 * plane
      if (used != 0 && shift > 30) return false
      const scale: i64 = used == 0 ? 0 : (<i64>1) << (<i64>shift)
      sum += scale
      storeScale(target, first + row, <i32>scale)
      source += numberBytes(kind) * BLOCK
    }
    if (sum > ROW_SCALES) return false
  }
  return true
}

/** Number of planes needed for rows of F32, F16 or BF16: 1 to 5; 0 if a value is not a number. */
export function countPlanes(kind: i32, source: usize, rows: i32, blocks: i32): i32 {
  let most = 1
  for (let block = 0; block < rows * blocks; block++) {
    const zeros = sharedZeros(kind, source)
    if (zeros < 0) return 0
    for (let i: usize = 0; i < BLOCK && zeros < 64; i++) {
      let rest = toInteger(kind, source + numberBytes(kind) * i) >> <i64>zeros
      let planes = 0
      while (rest != 0) {
        rest = (rest - <i64>(<i8>rest)) >> 8
        planes++
      }
      most = max<i32>(most, planes)
    }
    source += numberBytes(kind) * BLOCK
  }
  return most
}
