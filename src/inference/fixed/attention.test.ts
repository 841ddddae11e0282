/** Attention, and the rounding of its operands, against the same arithmetic in BigInt, one number after the other. */
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { openKernels, type Kernels } from './kernels.ts'
import { entryBytes } from './memoryPlan.ts'

const LIMIT = 1n << 40n
const FACTOR = 48_408_812n

function shiftRound(value: bigint, shift: number): bigint {
  return shift === 0 ? value : (value + (1n << BigInt(shift - 1))) >> BigInt(shift)
}

function bitLength(value: bigint): number {
  return value === 0n ? 0 : value.toString(2).length
}

function clamp(value: bigint, limit = LIMIT): bigint {
  if (value > limit) return limit
  return value < -limit ? -limit : value
}

/** Numbers of `bits` bits, and the shift that they share. */
function rounded(values: readonly bigint[], bits: number) {
  const most = values.reduce(
    (max, value) => (value > max ? value : -value > max ? -value : max),
    0n,
  )
  const shift = Math.max(bitLength(most) - bits, 0)
  const limit = (1n << BigInt(bits)) - 1n
  return { shift, numbers: values.map((value) => clamp(shiftRound(value, shift), limit)) }
}

function write(kernels: Kernels, values: readonly bigint[]): number {
  const address = kernels.allocate(values.length * 8)
  new BigInt64Array(kernels.bytes().buffer, address, values.length).set(values)
  return address
}

/** Q24 numbers of any size, often the largest ones and powers of two. */
const q24 = fc.oneof(
  fc.bigInt({ min: -LIMIT, max: LIMIT }),
  fc.bigInt({ min: -(1n << 25n), max: 1n << 25n }),
  fc
    .tuple(fc.integer({ min: 0, max: 40 }), fc.integer({ min: -1, max: 1 }), fc.boolean())
    .map(([bits, more, isNegative]) => {
      const value = clamp((1n << BigInt(bits)) + BigInt(more))
      return isNegative ? -value : value
    }),
)
const vector = (length: number): fc.Arbitrary<bigint[]> =>
  fc.array(q24, { minLength: length, maxLength: length })

// Holds D130.
test('numbers are rounded to the nearest within their bits, by the largest of them', () => {
  const cases = fc
    .tuple(fc.constantFrom(13, 15), fc.integer({ min: 1, max: 8 }))
    .chain(([bits, eights]) => fc.tuple(fc.constant(bits), vector(8 * eights)))
  const kernels = openKernels()
  const mark = kernels.mark()
  fc.assert(
    fc.property(cases, ([bits, values]) => {
      kernels.release(mark)
      const from = write(kernels, values)
      const target = kernels.allocate(values.length * 2)
      const shift = kernels.quantize(from, values.length, bits, target)
      const found = new Int16Array(kernels.bytes().buffer, target, values.length)
      expect({ shift, numbers: Array.from(found, BigInt) }).toEqual(rounded(values, bits))
    }),
    { numRuns: 500 },
  )
})

type Shape = { readonly heads: number; readonly keyHeads: number; readonly headSize: number }
type Position = { readonly keys: readonly bigint[]; readonly values: readonly bigint[] }

function attendPlainly(
  kernels: Kernels,
  { heads, keyHeads, headSize }: Shape,
  queries: readonly bigint[],
  positions: readonly Position[],
): bigint[] {
  return Array.from({ length: heads }, (_, head) => {
    const part = (all: readonly bigint[], i: number) => all.slice(i * headSize, (i + 1) * headSize)
    const query = rounded(part(queries, head), 13)
    const keyHead = Math.floor((head * keyHeads) / heads)
    const keys = positions.map((position) => rounded(part(position.keys, keyHead), 13))
    const values = positions.map((position) => rounded(part(position.values, keyHead), 13))
    const scores = keys.map(({ shift, numbers }) => {
      const dot = numbers.reduce((sum, n, i) => sum + n * (query.numbers[i] as bigint), 0n)
      return shiftRound(dot * FACTOR, 56 - query.shift - shift)
    })
    const most = scores.reduce((max, score) => (score > max ? score : max))
    const weights = scores.map((score) => kernels.powerOfHalf(most - score) >> 6n)
    const total = weights.reduce((sum, weight) => sum + weight, 0n)
    const topShift = Math.max(...values.map(({ shift }) => shift))
    return Array.from({ length: headSize }, (_, i) => {
      const sum = values.reduce(
        (sum, { shift, numbers }, t) =>
          sum + ((weights[t] as bigint) >> BigInt(topShift - shift)) * (numbers[i] as bigint),
        0n,
      )
      const quotient = (sum << 10n) / total
      const isLarge = topShift >= 10
      return clamp(
        isLarge ? quotient << BigInt(topShift - 10) : shiftRound(quotient, 10 - topShift),
      )
    })
  }).flat()
}

/** All largest, so that every sum is as large as it can be, or random ones. */
const numbers = (length: number): fc.Arbitrary<bigint[]> =>
  fc.oneof(
    fc.array(fc.bigInt({ min: -(1n << 27n), max: 1n << 27n }), {
      minLength: length,
      maxLength: length,
    }),
    fc.constantFrom(1n, -1n).map((sign) => Array<bigint>(length).fill(sign * ((1n << 26n) - 1n))),
  )

// Holds D130. Heads with and without a rest of sixteen numbers, of one and of two parts of 128; stretches of 64 positions.
test.each([
  [8, 5],
  [24, 9],
  [64, 131],
  [128, 66],
  [136, 7],
  [256, 64],
])('attention of heads of %d numbers over up to %d positions is exact', (headSize, most) => {
  const shape = { heads: 4, keyHeads: 2, headSize }
  const position = fc.record({ keys: numbers(2 * headSize), values: numbers(2 * headSize) })
  const cases = fc.tuple(
    numbers(4 * headSize),
    fc.array(position, { minLength: 1, maxLength: most, size: 'max' }),
  )
  const kernels = openKernels()
  const mark = kernels.mark()
  fc.assert(
    fc.property(cases, ([queries, positions]) => {
      kernels.release(mark)
      const count = positions.length
      const query = write(kernels, queries)
      const target = kernels.allocate(queries.length * 8)
      const scratch = kernels.allocate(headSize * 2 + count * 8)
      const entry = entryBytes({ keyHeads: 2, headSize })
      const cache = kernels.allocate(count * entry)
      for (const [t, { keys, values }] of positions.entries())
        kernels.storeEntry(
          write(kernels, keys),
          write(kernels, values),
          2,
          headSize,
          cache + t * entry,
        )
      kernels.attend(query, 4, 2, headSize, cache, count, FACTOR, scratch, target, 0n)
      const found = Array.from(new BigInt64Array(kernels.bytes().buffer, target, queries.length))
      expect(found).toEqual(attendPlainly(kernels, shape, queries, positions))
    }),
    { numRuns: 8, endOnFailure: true },
  )
})
