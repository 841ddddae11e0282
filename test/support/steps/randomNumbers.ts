/** Random numbers of the integer engine, of every size, and its limits. */
import { pick, type Random } from '../randomProgram.ts'

/** The bound of the engine's numbers. */
export const LIMIT = 1n << 40n

const EDGES: readonly bigint[] = [
  0n,
  1n,
  -1n,
  LIMIT,
  -LIMIT,
  LIMIT - 1n,
  1n - LIMIT,
  1n << 24n,
  -(1n << 24n),
]

/** An integer below 2^bits. */
export function randomBits(random: Random, bits: number): bigint {
  let value = 0n
  for (let done = 0; done < bits; done += 16) value = (value << 16n) | BigInt(random(65_536))
  return BigInt.asUintN(bits, value)
}

/** A signed number of at most `bits` bits, of any number of them. */
export function randomSigned(random: Random, bits: number): bigint {
  const value = randomBits(random, random(bits + 1))
  return random(2) === 0 ? value : -value
}

/** A number with 24 fractional bits; every tenth is a limit. */
export function randomNumber(random: Random, bits = 40): bigint {
  return random(10) === 0 ? pick(random, EDGES) : randomSigned(random, bits)
}

/** A vector of them, of one order of magnitude, all equal to a limit, or zero. */
export function randomVector(random: Random, length: number): BigInt64Array {
  const kind = random(12)
  const bits = random(41)
  const edge = pick(random, EDGES)
  return BigInt64Array.from({ length }, () => {
    if (kind === 0) return edge
    if (kind === 1) return random(2) === 0 ? edge : -edge
    return randomSigned(random, bits)
  })
}

/** Bytes of any values. */
export function randomBytes(random: Random, length: number): Uint8Array {
  return Uint8Array.from({ length }, () => random(256))
}
