// EVM memory: its gas cost, and copies into it. Offsets and lengths are addresses of words on the stack.
import { Frame, commit, topOf } from './frames.as'
import { COPY_WORD, wordsOf } from './gas.as'
import { GAS_OVERFLOW, OUT_OF_GAS } from './halts.as'
import { isWide, isZero } from './words.as'

/** More than any gas can pay for: 3w + w^2/512 for these bytes is above 2^42. */
const MAX_MEMORY: u64 = 0x60000000

/** The price of `words` words. */
@inline
function priceOf(words: u64): i64 {
  return <i64>(words * 3 + (words * words) / 512)
}

/** The remaining gas after expanding the memory to `end`, which is above its size. */
export function grow(frame: Frame, end: u64, gas: i64): i64 {
  if (end > MAX_MEMORY) return end > u64.MAX_VALUE - 31 ? GAS_OVERFLOW : OUT_OF_GAS
  const size = frame.memorySize
  const wanted = <u32>((end + 31) & ~31)
  const left = gas - (priceOf(wanted >> 5) - priceOf(size >> 5))
  if (left < 0 || !commit(frame.memory + wanted)) return OUT_OF_GAS
  const from = frame.memory + size
  if (wanted - size > 256) memory.fill(from, 0, wanted - size)
  else for (let at = from; at < frame.memory + wanted; at += 8) store<u64>(at, 0)
  frame.memorySize = wanted
  return left
}

/** The remaining gas after ensuring that `length` bytes at `offset` exist. Zero bytes cost nothing. */
export function expand(frame: Frame, offset: usize, length: usize, gas: i64): i64 {
  if (isZero(length)) return gas
  if (isWide(offset) || isWide(length)) return GAS_OVERFLOW
  const end = load<u64>(offset) + load<u64>(length)
  if (end < load<u64>(offset)) return GAS_OVERFLOW
  return end <= <u64>frame.memorySize ? gas : grow(frame, end, gas)
}

/** The cost of that expansion; negative if no gas can pay for it. */
export function expansionCost(frame: Frame, offset: usize, length: usize): i64 {
  if (isZero(length)) return 0
  if (isWide(offset) || isWide(length)) return GAS_OVERFLOW
  const end = load<u64>(offset) + load<u64>(length)
  if (end < load<u64>(offset) || end > MAX_MEMORY) return GAS_OVERFLOW
  return end <= <u64>frame.memorySize
    ? 0
    : priceOf((end + 31) >> 5) - priceOf(frame.memorySize >> 5)
}

/** The same for `size` bytes at `offset`. */
@inline
export function expandFixed(frame: Frame, offset: usize, size: u64, gas: i64): i64 {
  const end = load<u64>(offset) + size
  if (isWide(offset) || end < size) return GAS_OVERFLOW
  return end <= <u64>frame.memorySize ? gas : grow(frame, end, gas)
}

/** The remaining gas after paying for a copy of `length` bytes to `offset` in memory. */
export function payForCopy(frame: Frame, offset: usize, length: usize, gas: i64): i64 {
  const left = expand(frame, offset, length, gas)
  // An expansion that was paid for bounds the length.
  if (left < 0) return left
  const rest = left - COPY_WORD * wordsOf(load<u32>(length))
  return rest < 0 ? OUT_OF_GAS : rest
}

/** Copies from a bounded source; zeros follow its end. */
export function copyPadded(
  to: usize,
  source: usize,
  sourceLength: u32,
  offset: usize,
  length: u32,
): void {
  const from =
    !isWide(offset) && load<u64>(offset) < <u64>sourceLength ? load<u32>(offset) : sourceLength
  const there = min(sourceLength - from, length)
  memory.copy(to, source + from, there)
  memory.fill(to + there, 0, length - there)
}

/** CALLDATACOPY, CODECOPY, EXTCODECOPY after their access: stack is target, offset, length. */
export function copyToMemory(
  frame: Frame,
  target: usize,
  offset: usize,
  length: usize,
  source: usize,
  sourceLength: u32,
  gas: i64,
): i64 {
  const left = payForCopy(frame, target, length, gas)
  if (left < 0) return left
  const size = load<u32>(length)
  if (size > 0) copyPadded(frame.memory + load<u32>(target), source, sourceLength, offset, size)
  return left
}

/** MCOPY (EIP-5656). */
export function moveMemory(
  frame: Frame,
  target: usize,
  offset: usize,
  length: usize,
  gas: i64,
): i64 {
  const reached = expand(frame, offset, length, gas)
  if (reached < 0) return reached
  const left = payForCopy(frame, target, length, reached)
  if (left < 0) return left
  const size = load<u32>(length)
  if (size > 0)
    memory.copy(frame.memory + load<u32>(target), frame.memory + load<u32>(offset), size)
  return left
}

/** The address of a memory range given on the stack; arbitrary if it is empty. */
@inline
export function rangeAt(frame: Frame, offset: usize, length: usize): usize {
  return isZero(length) ? topOf(frame) : frame.memory + load<u32>(offset)
}
