/** Cosines and sines of the rotary positions, computed with BigInt only: independent of any machine's floating point. */

/** Fractional bits of the results; kernels/layer.as.ts has the same. */
export const ANGLE_BITS = 22

const BITS = 96n
/** Fractional bits of the gain. */
const GAIN_BITS = 30
const ONE = 1n << BITS

/** A table that grows with the requested positions. */
export type RopeTable = {
  /** Cosine and sine of each pair at a position, alternating, with 22 fractional bits. */
  at(position: number): Int32Array
}

/**
 * Angles are position * base^(-2 * pair / headSize), as in Llama; with `factors`, one for each pair, they are divided by them,
 * as in Llama 3.1 (D121). Factors are single-precision numbers from 1 on, so the division is of integers. Sines and cosines are
 * multiplied by `gain`, from 1 to 16.
 */
export function createRopeTable(
  headSize: number,
  base: number,
  factors: readonly number[] = [],
  gain = 1,
): RopeTable {
  const factor = BigInt(Math.round(gain * 2 ** GAIN_BITS))
  const logBase = naturalLog(base)
  const steps = Array.from({ length: headSize / 2 }, (_, pair) =>
    cosineAndSine(
      divide(power(-(logBase * BigInt(2 * pair)) / BigInt(headSize)), factors[pair] ?? 1),
    ),
  )
  let last = steps.map(() => ({ cos: ONE, sin: 0n }))
  const rows: Int32Array[] = []
  const toRow = (): Int32Array =>
    Int32Array.from(last.flatMap(({ cos, sin }) => [round(cos * factor), round(sin * factor)]))
  return {
    at(position) {
      for (let row = rows[position]; ; row = rows[position]) {
        if (row !== undefined) return row
        rows.push(toRow())
        // The next position is one rotation further. The error grows by less than 2^-94 per position.
        last = last.map(({ cos, sin }, pair) => {
          const step = steps[pair] as (typeof steps)[number]
          return {
            cos: (cos * step.cos - sin * step.sin) >> BITS,
            sin: (sin * step.cos + cos * step.sin) >> BITS,
          }
        })
      }
    },
  }
}

/** An angle divided by a single-precision number from 1 on. */
function divide(angle: bigint, factor: number): bigint {
  return (angle << 23n) / BigInt(factor * 2 ** 23)
}

function round(value: bigint): number {
  const drop = BITS + BigInt(GAIN_BITS - ANGLE_BITS)
  return Number((value + (1n << (drop - 1n))) >> drop)
}

/** ln of a number from 1 on. */
function naturalLog(value: number): bigint {
  let exponent = 0n
  let mantissa = value
  // Halving is exact.
  while (mantissa >= 2) {
    mantissa /= 2
    exponent++
  }
  const x = BigInt(mantissa * 2 ** 52) << (BITS - 52n)
  return 2n * inverseTanh(((x - ONE) << BITS) / (x + ONE)) + exponent * 2n * inverseTanh(ONE / 3n)
}

/** The series of artanh, for 0 to 1/3. */
function inverseTanh(x: bigint): bigint {
  const square = (x * x) >> BITS
  let term = x
  let sum = 0n
  for (let i = 1n; term !== 0n; i += 2n) {
    sum += term / i
    term = (term * square) >> BITS
  }
  return sum
}

/** e^x for x <= 0: by the series at x / 2^k, squared k times. */
function power(x: bigint): bigint {
  const halvings = 6n
  const small = x >> halvings
  let term = ONE
  let sum = 0n
  for (let i = 1n; term !== 0n && term !== -1n; i++) {
    sum += term
    term = ((term * small) >> BITS) / i
  }
  for (let i = 0n; i < halvings; i++) sum = (sum * sum) >> BITS
  return sum
}

/** Of an angle from 0 to 1. */
function cosineAndSine(angle: bigint): { readonly cos: bigint; readonly sin: bigint } {
  const square = (angle * angle) >> BITS
  const series = (first: bigint, start: bigint): bigint => {
    let term = first
    let sum = 0n
    for (let i = start; term !== 0n && term !== -1n; i += 2n) {
      sum += term
      term = -((term * square) >> BITS) / (i * (i + 1n))
    }
    return sum
  }
  return { cos: series(ONE, 1n), sin: series(angle, 2n) }
}
