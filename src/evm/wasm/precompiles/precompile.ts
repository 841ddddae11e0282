/** The interface of precompiled contracts. */
import type { Hardfork } from '../../rules.ts'

/** Its price and its function. Both are pure. */
export type Precompile = {
  /** The gas for this input. */
  gas(input: Uint8Array, hardfork: Hardfork): bigint
  /**
   * The output, or undefined when the input is invalid: then the call fails and consumes all its gas. It may also throw
   * in that case.
   */
  run(input: Uint8Array, hardfork: Hardfork): Uint8Array | undefined
}

/** A price per call. */
export function fixedGas(price: bigint): Precompile['gas'] {
  return () => price
}

/** A price per call and for each 32-byte word of input, the last one rounded up. */
export function wordGas(base: bigint, perWord: bigint): Precompile['gas'] {
  return (input) => base + perWord * BigInt(Math.ceil(input.length / 32))
}

/** `length` bytes from `offset` on, with zeros past the end of the input. */
export function paddedSlice(input: Uint8Array, offset: number, length: number): Uint8Array {
  const out = new Uint8Array(length)
  out.set(input.subarray(offset, offset + length))
  return out
}

/** The word 1 or 0. */
export function booleanWord(value: boolean): Uint8Array {
  const word = new Uint8Array(32)
  word[31] = value ? 1 : 0
  return word
}
