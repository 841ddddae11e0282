/** Weights and products against a plain reading of the formats in BigInt arithmetic. */
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { encodeF16, encodeQ4, encodeQ8 } from '../quantize.ts'
import { openKernels } from './kernels.ts'

/** Neither a multiple of 8 nor of 32. */
const ROWS = 43
const BLOCKS = 2
const COLUMNS = BLOCKS * 32
/** Bytes of a block of eight rows, see kernels/layout.as.ts. */
const GROUP = 288
/** More than the size of a vector of activations. */
const ACTIVATIONS = 256

/** A half-precision number times 2^24. */
function half(bits: number): bigint {
  const exponent = (bits >> 10) & 31
  const fraction = BigInt(bits & 1023)
  const magnitude = exponent === 0 ? fraction : (1024n + fraction) << BigInt(exponent - 1)
  return bits & 0x8000 ? -magnitude : magnitude
}

type Encoding = {
  readonly encode: (values: Float32Array) => Uint8Array
  /** The value at an index, times 2^24. */
  readonly read: (view: DataView, index: number) => bigint
}

const q8: Encoding = {
  encode: encodeQ8,
  read(view, index) {
    const block = Math.floor(index / 32) * 34
    return half(view.getUint16(block, true)) * BigInt(view.getInt8(block + 2 + (index % 32)))
  },
}

const q4: Encoding = {
  encode: encodeQ4,
  read(view, index) {
    const block = Math.floor(index / 32) * 18
    const byte = view.getUint8(block + 2 + (index % 16))
    const nibble = index % 32 < 16 ? byte & 15 : byte >> 4
    return half(view.getUint16(block, true)) * BigInt(nibble - 8)
  },
}

const f16: Encoding = {
  encode: encodeF16,
  read: (view, index) => half(view.getUint16(index * 2, true)),
}

function load(encoding: Encoding, data: Uint8Array) {
  const kernels = openKernels()
  const source = kernels.allocate(data.length)
  kernels.bytes().set(data, source)
  const count = encoding === f16 ? kernels.countPlanes(1, source, ROWS, BLOCKS) : 1
  const planes = Array.from({ length: count }, (_, plane) => {
    const matrix = kernels.allocate(Math.ceil(ROWS / 32) * 4 * BLOCKS * GROUP)
    const isUsable =
      encoding === q8
        ? kernels.unpackQ8(source, 0, ROWS, BLOCKS, matrix)
        : encoding === q4
          ? kernels.unpackQ4(source, 0, ROWS, BLOCKS, matrix)
          : kernels.unpackNumbers(1, source, 0, ROWS, BLOCKS, plane, matrix)
    expect(isUsable).toBe(1)
    return matrix
  })
  return { kernels, planes }
}

const weights = fc.array(fc.float({ min: -8, max: 8, noNaN: true }), {
  minLength: ROWS * COLUMNS,
  maxLength: ROWS * COLUMNS,
})
const encodings = [
  ['Q8_0', q8],
  ['Q4_0', q4],
  ['F16', f16],
] as const

test.each(encodings)('rows of %s are read without loss', (_name, encoding) => {
  fc.assert(
    fc.property(weights, (values) => {
      const data = encoding.encode(Float32Array.from(values))
      const view = new DataView(data.buffer)
      const { kernels, planes } = load(encoding, data)
      const target = kernels.allocate(COLUMNS * 8)
      for (let row = 0; row < ROWS; row++) {
        planes.forEach((matrix, plane) => kernels.readRow(matrix, row, BLOCKS, target, plane > 0))
        const read = Array.from(new BigInt64Array(kernels.bytes().buffer, target, COLUMNS))
        expect(read).toEqual(read.map((_, i) => encoding.read(view, row * COLUMNS + i)))
      }
    }),
    { numRuns: 30 },
  )
})

/** The products of all rows with numbers scaled by 2^shift, computed by the kernels and by BigInt; Q24. */
function products(encoding: Encoding, data: Uint8Array, x: readonly number[], shift: number) {
  const view = new DataView(data.buffer)
  const { kernels, planes } = load(encoding, data)
  const input = kernels.allocate(COLUMNS * 8)
  const inputs = new BigInt64Array(kernels.bytes().buffer, input, COLUMNS)
  x.forEach((value, i) => (inputs[i] = BigInt(value) << BigInt(shift)))
  const activations = kernels.allocate(ACTIVATIONS)
  kernels.quantizeActivations(input, BLOCKS, 1, activations)
  const target = kernels.allocate(ROWS * 8)
  planes.forEach((matrix, plane) =>
    kernels.multiplyMatrix(matrix, ROWS, BLOCKS, activations, 1, target, plane > 0),
  )
  const found = Array.from(new BigInt64Array(kernels.bytes().buffer, target, ROWS))
  const exact = found.map((_, row) => {
    const sum = x.reduce(
      (part, value, i) => part + BigInt(value) * encoding.read(view, row * COLUMNS + i),
      0n,
    )
    const drop = BigInt(24 - shift)
    return (sum + (1n << (drop - 1n))) >> drop
  })
  return { planes: planes.length, found, exact }
}

test.each(encodings)('products of %s are exact but for the last rounding', (_name, encoding) => {
  const activations = fc.array(fc.integer({ min: -32_767, max: 32_767 }), {
    minLength: COLUMNS,
    maxLength: COLUMNS,
  })
  fc.assert(
    fc.property(weights, activations, fc.integer({ min: 0, max: 12 }), (values, x, shift) => {
      const data = encoding.encode(Float32Array.from(values))
      const { planes, found, exact } = products(encoding, data, x, shift)
      if (planes === 1) expect(found).toEqual(exact)
      // Each plane of F16 is rounded on its own.
      found.forEach((product, row) => {
        const error = product - (exact[row] as bigint)
        expect(error * error <= 9n).toBe(true)
      })
    }),
    { numRuns: 30 },
  )
})

test('products of the smallest and largest weights and activations are exact', () => {
  const signs = (length: number) => fc.array(fc.boolean(), { minLength: length, maxLength: length })
  const check = (up: readonly boolean[], positive: readonly boolean[]): void => {
    const data = new Uint8Array(ROWS * BLOCKS * 34)
    const view = new DataView(data.buffer)
    up.forEach((isUp, i) => {
      const block = Math.floor(i / 32) * 34
      // Half precision: 2.
      view.setUint16(block, 0x4000, true)
      view.setInt8(block + 2 + (i % 32), isUp ? 127 : -128)
    })
    const x = positive.map((isPositive) => (isPositive ? 32_767 : -32_767))
    const { found, exact } = products(q8, data, x, 9)
    expect(found).toEqual(exact)
  }
  for (const isUp of [true, false])
    for (const isPositive of [true, false])
      check(Array(ROWS * COLUMNS).fill(isUp), Array(COLUMNS).fill(isPositive))
  fc.assert(fc.property(signs(ROWS * COLUMNS), signs(COLUMNS), check), { numRuns: 20 })
})

test.each([
  ['an infinite scale', 0x7c00],
  ['a scale that is no number', 0x7e00],
  ['a scale of 128', 0x5800],
])('%s is refused', (_name, bits) => {
  const kernels = openKernels()
  const data = new Uint8Array(34)
  new DataView(data.buffer).setUint16(0, bits, true)
  const source = kernels.allocate(34)
  kernels.bytes().set(data, source)
  expect(kernels.unpackQ8(source, 0, 1, 1, kernels.allocate(4 * GROUP))).toBe(0)
})
