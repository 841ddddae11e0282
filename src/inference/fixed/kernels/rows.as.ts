// Single weights and scales of a matrix: written when a model is loaded, read for an embedding.
import {
  BYTES,
  HALVES,
  LEVELS,
  UNSIGNED,
  blockAddress,
  groupBytes,
  levelAddress,
  numberAddress,
} from './layout.as'
import { clamp } from './fixedPoint.as'

/** The address of the group of a row. */
@inline export function groupAddress(form: i32, matrix: usize, row: i32, blocks: i32): usize {
  return matrix + <usize>(row >> 4) * groupBytes(form, blocks)
}

/** Writes a weight into memory that was zero. `block` is the block's address. */
@inline export function storeWeight(
  form: i32,
  block: usize,
  row: i32,
  column: i32,
  weight: i32,
): void {
  const at = numberAddress(form, block, row, column)
  if (form & BYTES) {
    const isUpper = (row >> 2) & 1
    const mask: u8 = isUpper || form & HALVES ? 0 : 0x80
    return store<u8>(at + <usize>isUpper, <u8>weight ^ mask)
  }
  const field = (row >> 2) & 3
  const signed = form & UNSIGNED ? weight - 8 : weight
  const code = field == 3 ? signed & 15 : signed + 8
  store<u16>(at, load<u16>(at) | <u16>(code << (4 * field)))
}

@inline function loadWeight(form: i32, block: usize, row: i32, column: i32): i32 {
  const at = numberAddress(form, block, row, column)
  if (form & BYTES) {
    const isUpper = (row >> 2) & 1
    const mask: u8 = isUpper || form & HALVES ? 0 : 0x80
    return <i32>(<i8>(load<u8>(at + <usize>isUpper) ^ mask))
  }
  const number = <i32>load<i16>(at)
  const field = (row >> 2) & 3
  const signed = field == 3 ? number >> 12 : ((number >> (4 * field)) & 15) - 8
  return form & UNSIGNED ? signed + 8 : signed
}

/** Writes a scale of a plain form. */
@inline export function storeScale(block: usize, row: i32, scale: i32): void {
  store<i32>(block + ((<usize>(row & 15)) << 2), scale)
}

/** The scale of a column. */
@inline function loadScale(form: i32, group: usize, block: i32, row: i32, column: i32): i64 {
  const at = blockAddress(form, group, block)
  if (!(form & LEVELS)) return <i64>load<i32>(at + ((<usize>(row & 15)) << 2))
  const level = <i64>load<i32>(levelAddress(form, group, block) + ((<usize>(row & 15)) << 2))
  const half = form & HALVES ? (column >> 4) << 4 : 0
  return level * <i64>load<i8>(at + <usize>((row & 15) + half))
}

/** One row of a matrix as Q24: an embedding. With `add`, it is added to the target. */
export function readRow(
  form: i32,
  matrix: usize,
  row: i32,
  blocks: i32,
  target: usize,
  add: bool,
): void {
  const group = groupAddress(form, matrix, row, blocks)
  for (let block = 0; block < blocks; block++) {
    const at = blockAddress(form, group, block)
    for (let column = 0; column < 32; column++) {
      const weight = <i64>loadWeight(form, at, row, column)
      const value = weight * loadScale(form, group, block, row, column)
      store<i64>(target, clamp(add ? load<i64>(target) + value : value))
      target += 8
    }
  }
}
