// Weights from the younger encodings of GGML (D119; ggml-org/ggml, ggml-quants.c) into the layout of layout.as.ts, as in weights.as.ts:
// signed bytes in blocks of 32 with an integer scale, and for some a minimum, which is added to each weight of the block.
//
// Some functions take more than five parameters: between WebAssembly and its host only numbers pass.
import { PAIR, scaleAddress, weightMask, weightsAddress } from './layout.as'
import { ROW_SCALES, halfToInteger, isScale } from './weights.as'

@inline const Q4_1: i32 = 3
@inline const Q5_0: i32 = 6
@inline const Q5_1: i32 = 7
@inline const Q4_K: i32 = 12
@inline const Q5_K: i32 = 13
@inline const Q6_K: i32 = 14

/** The block that was read last: its weights, its scale and its minimum, both times 2^24. */
const weights: usize = memory.data(32)
let factor: i64 = 0
let least: i64 = 0

/** Value i of 32 that are packed in 16 bytes: low halves first. */
@inline function nibble(packed: usize, i: i32): u8 {
  return i < 16 ? load<u8>(packed + i) & 15 : load<u8>(packed + i - 16) >> 4
}

function readSmall(kind: i32, source: usize): void {
  const hasMinimum = kind != Q5_0
  factor = halfToInteger(load<u16>(source))
  least = hasMinimum ? halfToInteger(load<u16>(source, 2)) : 0
  let at = source + (hasMinimum ? 4 : 2)
  let fifth: u32 = 0
  if (kind != Q4_1) {
    fifth = load<u32>(at)
    at += 4
  }
  const zero: u8 = kind == Q5_0 ? 16 : 0
  for (let i = 0; i < 32; i++) {
    const high = (<u8>((fifth >> i) & 1)) << 4
    store<u8>(weights + i, (nibble(at, i) | high) - zero)
  }
}

/** Six bits of the scale (or the minimum) of one of eight blocks: the last four have their two highest bits elsewhere. */
@inline function sixBits(scales: usize, block: i32, isMinimum: bool): i64 {
  const offset = isMinimum ? 4 : 0
  if (block < 4) return <i64>(load<u8>(scales + block + offset) & 63)
  const low = load<u8>(scales + block + 4)
  const high = load<u8>(scales + block - 4 + offset) >> 6
  return <i64>((isMinimum ? low >> 4 : low & 15) | (high << 4))
}

/** Q4_K and Q5_K: 256 values share a scale of scales and one of minima. */
function readWithMinima(kind: i32, source: usize, block: i32): void {
  const scales = source + 4
  factor = halfToInteger(load<u16>(source)) * sixBits(scales, block, false)
  least = -halfToInteger(load<u16>(source, 2)) * sixBits(scales, block, true)
  const fifth = source + 16
  const packed = (kind == Q5_K ? fifth + 32 : fifth) + (block >> 1) * 32
  for (let i = 0; i < 32; i++) {
    const byte = load<u8>(packed + i)
    const low = block & 1 ? byte >> 4 : byte & 15
    const high: u8 = kind == Q5_K ? ((load<u8>(fifth + i) >> <u8>block) & 1) << 4 : 0
    store<u8>(weights + i, low | high)
  }
}

/** Q6_K: 16 values share a scale, so a plane takes one half of each block of 32. */
function readSix(source: usize, block: i32, plane: i32): void {
  const half = block >> 2
  const part = block & 3
  factor =
    halfToInteger(load<u16>(source, 208)) *
    <i64>load<i8>(source + 192 + half * 8 + part * 2 + plane)
  least = 0
  for (let i = 0; i < 32; i++) {
    const low = load<u8>(source + half * 64 + (part & 1) * 32 + i)
    const high = (load<u8>(source + 128 + half * 32 + i) >> <u8>(2 * part)) & 3
    const weight = ((part & 2 ? low >> 4 : low & 15) | (high << 4)) - 32
    store<u8>(weights + i, i >> 4 == plane ? weight : 0)
  }
}

@inline function superBytes(kind: i32): usize {
  return kind == Q4_K ? 144 : kind == Q5_K ? 176 : 210
}

/** Reads a block of a row into `weights`, `factor` and `least`. */
function readBlock(kind: i32, row: usize, block: i32, plane: i32): void {
  if (kind < Q4_K) {
    const bytes: usize = kind == Q4_1 ? 20 : kind == Q5_0 ? 22 : 24
    return readSmall(kind, row + <usize>block * bytes)
  }
  const source = row + <usize>(block >> 3) * superBytes(kind)
  if (kind == Q6_K) return readSix(source, block & 7, plane)
  readWithMinima(kind, source, block & 7)
}

/**
 * Reads a plane of rows of Q4_1, Q5_0, Q5_1, Q4_K, Q5_K or Q6_K (`kind`, by its number in GGML), `rowBytes` apart, from row
 * `first` on. Minima go to `minima`, an i32 for each block, row by row; 0 if there are none. False if a scale is not a number
 * or a row's scales or minima are too large.
 */
export function unpackBlocks(
  kind: i32,
  source: usize,
  rowBytes: i32,
  first: i32,
  rows: i32,
  blocks: i32,
  plane: i32,
  matrix: usize,
  minima: usize,
): bool {
  for (let row = 0; row < rows; row++) {
    const mask = weightMask(first + row)
    let scales: i64 = 0
    let minimum: i64 = 0
    for (let block = 0; block < blocks; block++) {
      readBlock(kind, source, block, plane)
      if (!isScale(factor) || !isScale(least)) return false
      scales += abs<i64>(factor)
      minimum += abs<i64>(least)
      store<i32>(scaleAddress(matrix, first + row, block, blocks), <i32>factor)
      const values = weightsAddress(matrix, first + row, block, blocks)
      for (let i: usize = 0; i < 32; i++)
        store<u8>(values + (i >> 1) * PAIR + 2 * (i & 1), load<u8>(weights + i) ^ mask)
      if (minima != 0)
        store<i32>(minima + ((<usize>((first + row) * blocks + block)) << 2), <i32>least)
    }
    if (scales > ROW_SCALES || minimum > ROW_SCALES) return false
    source += rowBytes
  }
  return true
}
