// Keccak-256 for the host, in AssemblyScript. Compiled at build time by scripts/build.mjs. The host writes the message at
// input() and reads 32 bytes at output().
import { RATE, digest, state } from './keccakSponge.as'

/** Address at which the host writes the message. */
export function input(): usize {
  return __heap_base
}

/** Address of the digest after keccak256(). */
export function output(): usize {
  return state
}

/** Makes sure that `length` message bytes fit, growing the memory if necessary. */
export function reserve(length: i32): void {
  const need = __heap_base + <usize>length + RATE
  const have = (<usize>memory.size()) << 16
  if (need > have) memory.grow(<i32>((need - have + 0xffff) >> 16))
}

/** Hashes the `length` bytes at input(). */
export function keccak256(length: i32): void {
  digest(__heap_base, length)
}

/** Hashes the `length` bytes at an address and writes the digest at another one. */
export function hashAt(bytes: usize, length: i32, target: usize): void {
  digest(bytes, length)
  memory.copy(target, state, 32)
}
