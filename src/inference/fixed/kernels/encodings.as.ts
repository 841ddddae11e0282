// Weights from the encodings of GGML (D119; ggml-org/ggml, ggml-quants.c) into the layout of layout.as.ts: each at its own width, in
// blocks of 32 with integer scales, and for some a minimum, which is added to each weight of the block. Half precision is
// an integer times 2^-24, so nothing is rounded.
//
// Some functions take more than five parameters: between WebAssembly and its host only numbers pass.
import { HALVES, LEVELS, blockAddress, levelAddress } from './layout.as'
import { storeMinimum } from './minima.as'
import { groupAddress, storeScale, storeWeight } from './rows.as'
import { ROW_SCALES, halfToInteger, isScale } from './weights.as'

@inline const Q4_0: i32 = 2
@inline const Q4_1: i32 = 3
@inline const Q5_0: i32 = 6
@inline const Q5_1: i32 = 7
@inline const Q8_0: i32 = 8
@inline const Q4_K: i32 = 12
@inline const Q5_K: i32 = 13
@inline const Q6_K: i32 = 14

/** The block that was read last: its weights. */
const weights: usize = memory.data(32)
/** Its scale and its minimum, both times 2^24; of encodings with 256 values those that these share. */
let factor: i64 = 0
let least: i64 = 0
/** What a shared scale, for Q6_K that of each half, and a shared minimum are multiplied with; otherwise 1. */
let part: i32 = 1
let secondPart: i32 = 0
let leastPart: i32 = 1

/** Value i of 32 that are packed in 16 bytes: low halves first. */
@inline function nibble(packed: usize, i: i32): u8 {
  return i < 16 ? load<u8>(packed + i) & 15 : load<u8>(packed + i - 16) >> 4
}

function readEight(source: usize): void {
  factor = halfToInteger(load<u16>(source))
  memory.copy(weights, source + 2, 32)
}

function readSmall(kind: i32, source: usize): void {
  const hasMinimum = kind == Q4_1 || kind == Q5_1
  factor = halfToInteger(load<u16>(source))
  least = hasMinimum ? halfToInteger(load<u16>(source, 2)) : 0
  let at = source + (hasMinimum ? 4 : 2)
  let fifth: u32 = 0
  if (kind == Q5_0 || kind == Q5_1) {
    fifth = load<u32>(at)
    at += 4
  }
  const zero: u8 = kind == Q4_0 ? 8 : kind == Q5_0 ? 16 : 0
  for (let i = 0; i < 32; i++) {
    const high = (<u8>((fifth >> i) & 1)) << 4
    store<u8>(weights + i, (nibble(at, i) | high) - zero)
  }
}

/** Six bits of the scale (or the minimum) of one of eight blocks: the last four have their two highest bits elsewhere. */
@inline function sixBits(scales: usize, block: i32, isMinimum: bool): i32 {
  const offset = isMinimum ? 4 : 0
  if (block < 4) return <i32>(load<u8>(scales + block + offset) & 63)
  const low = load<u8>(scales + block + 4)
  const high = load<u8>(scales + block - 4 + offset) >> 6
  return <i32>((isMinimum ? low >> 4 : low & 15) | (high << 4))
}

/** Q4_K and Q5_K: 256 values share a scale of scales and one of minima. */
function readWithMinima(kind: i32, source: usize, block: i32): void {
  const scales = source + 4
  factor = halfToInteger(load<u16>(source))
  part = sixBits(scales, block, false)
  least = -halfToInteger(load<u16>(source, 2))
  leastPart = sixBits(scales, block, true)
  const fifth = source + 16
  const packed = (kind == Q5_K ? fifth + 32 : fifth) + (block >> 1) * 32
  for (let i = 0; i < 32; i++) {
    const byte = load<u8>(packed + i)
    const low = block & 1 ? byte >> 4 : byte & 15
    const high: u8 = kind == Q5_K ? ((load<u8>(fifth + i) >> <u8>block) & 1) << 4 : 0
    store<u8>(weights + i, low | high)
  }
}

/** Q6_K: 16 values share a scale. */
function readSix(source: usize, block: i32): void {
  const half = block >> 2
  const quarter = block & 3
  const scales = source + 192 + half * 8 + quarter * 2
  factor = halfToInteger(load<u16>(source, 208))
  part = <i32>load<i8>(scales)
  secondPart = <i32>load<i8>(scales, 1)
  least = 0
  for (let i = 0; i < 32; i++) {
    const low = load<u8>(source + half * 64 + (quarter & 1) * 32 + i)
    const high = (load<u8>(source + 128 + half * 32 + i) >> <u8>(2 * quarter)) & 3
    store<u8>(weights + i, ((quarter & 2 ? low >> 4 : low & 15) | (high << 4)) - 32)
  }
}

@inline function smallBytes(kind: i32): usize {
  if (kind == Q4_0) return 18
  if (kind == Q4_1) return 20
  return kind == Q5_0 ? 22 : kind == Q5_1 ? 24 : 34
}

@inline function superBytes(kind: i32): usize {
  return kind == Q4_K ? 144 : kind == Q5_K ? 176 : 210
}

/** Reads a block of a row. */
function readBlock(kind: i32, row: usize, block: i32): void {
  part = 1
  secondPart = 0
  leastPart = 1
  least = 0
  if (kind < Q4_K) {
    const source = row + <usize>block * smallBytes(kind)
    return kind == Q8_0 ? readEight(source) : readSmall(kind, source)
  }
  const source = row + <usize>(block >> 3) * superBytes(kind)
  if (kind == Q6_K) return readSix(source, block & 7)
  readWithMinima(kind, source, block & 7)
}

/** Whether the scales of the block that was read can be used. */
function isUsable(): bool {
  if (factor == i64.MIN_VALUE || least == i64.MIN_VALUE) return false
  const isPair = isScale(factor * <i64>part) && isScale(factor * <i64>secondPart)
  return isPair && isScale(least * <i64>leastPart)
}

function storeBlock(form: i32, group: usize, row: i32, block: i32): void {
  const target = blockAddress(form, group, block)
  for (let i = 0; i < 32; i++) storeWeight(form, target, row, i, <i32>load<i8>(weights + i))
  if (!(form & LEVELS)) return storeScale(target, row, <i32>factor)
  // One that no block uses may be too large.
  storeScale(levelAddress(form, group, block), row, isScale(factor) ? <i32>factor : 0)
  store<i8>(target + <usize>(row & 15), <i8>part)
  if (form & HALVES) store<i8>(target + 16 + <usize>(row & 15), <i8>secondPart)
}

/**
 * Reads rows of blocks of weights (`kind`: the encoding's number in GGML), `rowBytes` apart, from row `first` on into memory that was
 * zero. Minima go to `minima` (minima.as.ts), 0 if there are none. False if a scale is not a number, or a row's scales or
 * minima are too large.
 */
export function unpackBlocks(
  form: i32,
  kind: i32,
  source: usize,
  rowBytes: i32,
  first: i32,
  rows: i32,
  blocks: i32,
  matrix: usize,
  minima: usize,
): bool {
  for (let row = first; row < first + rows; row++) {
    const group = groupAddress(form, matrix, row, blocks)
    let scales: i64 = 0
    let seconds: i64 = 0
    let minimum: i64 = 0
    for (let block = 0; block < blocks; block++) {
      readBlock(kind, source, block)
      if (!isUsable()) return false
      scales += abs<i64>(factor * <i64>part)
      seconds += abs<i64>(factor * <i64>secondPart)
      minimum += abs<i64>(least * <i64>leastPart)
      storeBlock(form, group, row, block)
      if (minima != 0) storeMinimum(form, minima, row, block, blocks, least, leastPart)
    }
    if (scales > ROW_SCALES || seconds > ROW_SCALES || minimum > ROW_SCALES) return false
    source += rowBytes
  }
  return true
}
