import fc from 'fast-check'
import { expect, test } from 'vitest'
import { openKernels } from './kernels.ts'
import { createRopeTable } from './rope.ts'
import { gelu } from '../../../test/support/floatModel.ts'

const kernels = openKernels()
const Q24 = 2 ** 24

/** Writes numbers as Q24. */
function put(values: readonly number[]): number {
  const address = kernels.allocate(values.length * 8)
  const view = new BigInt64Array(kernels.bytes().buffer, address, values.length)
  values.forEach((value, i) => (view[i] = BigInt(Math.round(value * Q24))))
  return address
}

/** Reads Q24 numbers. */
function take(address: number, length: number): readonly number[] {
  return Array.from(
    new BigInt64Array(kernels.bytes().buffer, address, length),
    (value) => Number(value) / Q24,
  )
}

/** Runs with memory that is released afterwards. */
function scoped<T>(use: () => T): T {
  const mark = kernels.mark()
  try {
    return use()
  } finally {
    kernels.release(mark)
  }
}

test('powers of one half are within 2^-26, and exact at 0', () => {
  expect(kernels.powerOfHalf(0n)).toBe(1n << 30n)
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 40 * 2 ** 20 }), (value) => {
      const exact = 2 ** (-value / 2 ** 20)
      expect(Math.abs(Number(kernels.powerOfHalf(BigInt(value))) / 2 ** 30 - exact)).toBeLessThan(
        2 ** -26,
      )
    }),
    { numRuns: 5000 },
  )
})

test('a power of any exponent, however large, is a number from 0 to 1', () => {
  fc.assert(
    fc.property(fc.bigInt({ min: 0n, max: (1n << 62n) - 1n }), (value) => {
      const power = kernels.powerOfHalf(value)
      expect(power >= 0n && power <= 1n << 30n).toBe(true)
    }),
  )
})

test('logarithms are within 2^-26', () => {
  fc.assert(
    fc.property(fc.nat(0xffffffff), (uniform) => {
      const exact = -Math.log2((2 * uniform + 1) / 2 ** 33)
      const log = Number(kernels.negativeLog2(BigInt(uniform) * 2n + 1n)) / 2 ** 30
      expect(Math.abs(log - exact)).toBeLessThan(2 ** -26)
    }),
    { numRuns: 5000 },
  )
})

test('square roots are the largest integers whose square is not above', () => {
  fc.assert(
    fc.property(fc.bigInt({ min: 0n, max: (1n << 62n) - 1n }), (value) => {
      const root = kernels.squareRoot(value)
      expect(root * root <= value && (root + 1n) * (root + 1n) > value).toBe(true)
    }),
    { numRuns: 2000 },
  )
})

test.each([
  [64, 10_000],
  [128, 500_000],
  [8, 10_000.5],
])('sines and cosines of heads of %d and base %d are within a unit of 2^-22', (headSize, base) => {
  const table = createRopeTable(headSize, base)
  for (const position of [0, 1, 2, 7, 100, 1023, 2000]) {
    const row = table.at(position)
    for (let pair = 0; pair < headSize / 2; pair++) {
      const angle = position * base ** ((-2 * pair) / headSize)
      expect(Math.abs((row[2 * pair] as number) - Math.cos(angle) * 2 ** 22)).toBeLessThan(1)
      expect(Math.abs((row[2 * pair + 1] as number) - Math.sin(angle) * 2 ** 22)).toBeLessThan(1)
    }
  }
})

/** Vectors of 32 numbers over many orders of magnitude. */
const vector = fc
  .tuple(
    fc.array(fc.double({ min: -1, max: 1, noNaN: true }), { minLength: 32, maxLength: 32 }),
    fc.integer({ min: -6, max: 12 }),
  )
  .map(([values, exponent]) => values.map((value) => value * 2 ** exponent))

test('the norm is the root mean square norm to within 2^-14', () => {
  fc.assert(
    fc.property(vector, (values) =>
      scoped(() => {
        const rounded = values.map((value) => Math.round(value * Q24) / Q24)
        const x = put(rounded)
        const gains = kernels.allocate(32 * 4)
        new Int32Array(kernels.bytes().buffer, gains, 32).fill(1.5 * Q24)
        const target = kernels.allocate(32 * 8)
        kernels.normalize(x, gains, 24, BigInt(Math.round(1e-5 * 2 ** 48)), 32, target)
        const mean = rounded.reduce((sum, value) => sum + value * value, 0) / 32
        take(target, 32).forEach((value, i) => {
          const exact = ((rounded[i] as number) / Math.sqrt(mean + 1e-5)) * 1.5
          expect(Math.abs(value - exact)).toBeLessThan(2 ** -14)
        })
      }),
    ),
    { numRuns: 500 },
  )
})

test('SiLU and its product are within 2^-18 of their size', () => {
  fc.assert(
    fc.property(vector, vector, (gates, ups) =>
      scoped(() => {
        const gate = put(gates)
        kernels.gate(gate, put(ups), 32)
        take(gate, 32).forEach((value, i) => {
          const [g, u] = [gates[i] as number, ups[i] as number]
          const exact = (g / (1 + Math.exp(-g))) * u
          const size = 1 + Math.abs(g) + Math.abs(u) + Math.abs(g * u)
          if (Math.abs(exact) < 60_000)
            expect(Math.abs(value - exact)).toBeLessThan(size * 2 ** -18)
        })
      }),
    ),
    { numRuns: 500 },
  )
})

// Holds D127.
test('GELU is within 2^-21, and exact beyond 8', () => {
  const one = put([1])
  fc.assert(
    fc.property(fc.double({ min: -10, max: 10, noNaN: true }), (number) =>
      scoped(() => {
        const value = Math.round(number * Q24) / Q24
        const gate = put([value])
        kernels.gateGelu(gate, one, 1)
        const [found = Number.NaN] = take(gate, 1)
        expect(Math.abs(found - gelu(value))).toBeLessThan(2 ** -21)
        if (Math.abs(value) >= 8) expect(found).toBe(Math.max(value, 0))
      }),
    ),
    { numRuns: 5000 },
  )
})

test.each([30, 50, 0.5, 127])('a bound of %d is its tanh, within 2^-24 of the bound', (cap) => {
  fc.assert(
    fc.property(fc.double({ min: -20, max: 20, noNaN: true }), (number) =>
      scoped(() => {
        const value = Math.round(number * cap * Q24) / Q24
        const x = put([value])
        kernels.softCapAll(x, 1, BigInt(cap * Q24))
        const [found = Number.NaN] = take(x, 1)
        const exact = cap * Math.tanh(value / cap)
        expect(Math.abs(found - exact)).toBeLessThan(cap * 2 ** -24 + 2 ** -23)
      }),
    ),
    { numRuns: 3000 },
  )
})

test('halves of heads are rotated pair by pair, and what is not rotated stays', () => {
  const table = createRopeTable(4, 100)
  scoped(() => {
    const angles = kernels.allocate(16)
    new Int32Array(kernels.bytes().buffer, angles, 4).set(table.at(3))
    const head = [1, 2, 3, 4, 5, 6, 7, 8]
    const x = put([...head, ...head])
    kernels.rotateHalves(x, 2, 8, 2, angles)
    const turned = (a: number, b: number, angle: number): readonly number[] => [
      a * Math.cos(angle) - b * Math.sin(angle),
      a * Math.sin(angle) + b * Math.cos(angle),
    ]
    const [first = 0, third = 0] = turned(1, 3, 3)
    const [second = 0, fourth = 0] = turned(2, 4, 0.3)
    const exact = [first, second, third, fourth, 5, 6, 7, 8]
    take(x, 16).forEach((value, i) => expect(value).toBeCloseTo(exact[i % 8] as number, 5))
  })
})

test('attention is the mean of the values by softmax', () => {
  const size = 16
  const rows = fc.array(
    fc.array(fc.double({ min: -4, max: 4, noNaN: true }), { minLength: size, maxLength: size }),
    { minLength: 2, maxLength: 150 },
  )
  fc.assert(
    fc.property(rows, (all) =>
      scoped(() => {
        const [query = [], ...keys] = all
        const values = keys.map((key, i) => key.map((value) => (value * (i + 1)) / 7))
        // Keys and values of a position, then a shift of each, filled up to a multiple of 16.
        const entry = 4 * size + 16
        const cache = kernels.allocate(keys.length * entry)
        keys.forEach((key, i) =>
          kernels.storeEntry(put(key), put(values[i] as number[]), 1, size, cache + i * entry),
        )
        const target = kernels.allocate(size * 8)
        kernels.attend(
          put(query),
          1,
          1,
          size,
          cache,
          keys.length,
          BigInt(Math.round((Math.LOG2E / 4) * 2 ** 28)),
          kernels.allocate(size * 2 + keys.length * 8),
          target,
          0n,
        )
        const weights = keys.map((key) =>
          Math.exp(key.reduce((sum, value, i) => sum + value * (query[i] as number), 0) / 4),
        )
        const total = weights.reduce((sum, weight) => sum + weight, 0)
        take(target, size).forEach((value, i) => {
          const exact =
            values.reduce((sum, row, t) => sum + (row[i] as number) * (weights[t] as number), 0) /
            total
          expect(Math.abs(value - exact)).toBeLessThan(0.1)
        })
      }),
    ),
    { numRuns: 200 },
  )
})
