// Hash input of a step, see ../stepHasher.ts.

/**
 * Writes the tag (1 byte), position and index (4 bytes each, big-endian) and the two parts, one after the other.
 * Returns the address after them.
 */
export function writeStep(
  target: usize,
  tag: i32,
  position: i32,
  index: i32,
  first: usize,
  firstLength: usize,
  second: usize,
  secondLength: usize,
): usize {
  store<u8>(target, <u8>tag)
  store<u32>(target, bswap<u32>(<u32>position), 1)
  store<u32>(target, bswap<u32>(<u32>index), 5)
  memory.copy(target + 9, first, firstLength)
  memory.copy(target + 9 + firstLength, second, secondLength)
  return target + 9 + firstLength + secondLength
}
