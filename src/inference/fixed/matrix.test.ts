/** Weights and products against a plain reading of the formats in BigInt arithmetic. */
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { encodeF16, encodeQ4, encodeQ8 } from '../quantize.ts'
import { openKernels } from './kernels.ts'

const ROWS = 6
const BLOCKS = 2
const COLUMNS = BLOCKS * 32
/** Bytes of a block of four rows, see kernels/layout.as.ts. */
const GROUP = 144

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
  const count = encoding === f16 ? kernels.halfPlanes(source, ROWS, BLOCKS) : 1
  const planes = Array.from({ length: count }, (_, plane) => {
    const matrix = kernels.allocate(Math.ceil(ROWS / 4) * BLOCKS * GROUP)
    const isUsable =
      encoding === q8
        ? kernels.unpackQ8(source, 0, ROWS, BLOCKS, matrix)
        : encoding === q4
          ? kernels.unpackQ4(source, 0, ROWS, BLOCKS, matrix)
          : kernels.unpackHalf(source, 0, ROWS, BLOCKS, plane, matrix)
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
        const read = new BigInt64Array(kernels.bytes().buffer, target, COLUMNS)
        read.forEach((value, i) => expect(value).toBe(encoding.read(view, row * COLUMNS + i)))
      }
    }),
    { numRuns: 30 },
  )
})

test.each(encodings)('products of %s are exact but for the last rounding', (_name, encoding) => {
  const activations = fc.array(fc.integer({ min: -32_767, max: 32_767 }), {
    minLength: COLUMNS,
    maxLength: COLUMNS,
  })
  fc.assert(
    fc.property(weights, activations, fc.integer({ min: 0, max: 12 }), (values, x, shift) => {
      const data = encoding.encode(Float32Array.from(values))
      const view = new DataView(data.buffer)
      const { kernels, planes } = load(encoding, data)
      const input = kernels.allocate(COLUMNS * 2)
      new Int16Array(kernels.bytes().buffer, input, COLUMNS).set(x)
      const shifts = kernels.allocate(4)
      kernels.bytes()[shifts] = shift
      const target = kernels.allocate(ROWS * 8)
      planes.forEach((matrix, plane) =>
        kernels.multiplyMatrix(matrix, ROWS, BLOCKS, input, COLUMNS, shifts, 1, target, plane > 0),
      )
      const products = new BigInt64Array(kernels.bytes().buffer, target, ROWS)
      products.forEach((product, row) => {
        const exact = x.reduce(
          (sum, value, i) => sum + BigInt(value) * encoding.read(view, row * COLUMNS + i),
          0n,
        )
        const drop = BigInt(24 - shift)
        const rounded = (exact + (1n << (drop - 1n))) >> drop
        const error = product - rounded
        // Each plane of F16 is rounded on its own.
        expect(planes.length === 1 ? error === 0n : error * error <= 9n).toBe(true)
      })
    }),
    { numRuns: 100 },
  )
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
  expect(kernels.unpackQ8(source, 0, 1, 1, kernels.allocate(GROUP))).toBe(0)
})
