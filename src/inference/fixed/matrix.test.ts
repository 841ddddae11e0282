/** Weights and products against a plain reading of the formats in BigInt arithmetic. */
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { encodeF16, encodeQ4, encodeQ8 } from '../quantize.ts'
import { openKernels } from './kernels.ts'
import { multiply, PRODUCT_SCRATCH, readRow, type Matrix } from './matrix.ts'
import { formOf, planeBytes } from './matrixForms.ts'

/** Neither a multiple of 8 nor of 32. */
const ROWS = 43
const BLOCKS = 2
const COLUMNS = BLOCKS * 32
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
  /** Its number in GGML. */
  readonly type: number
  readonly encode: (values: Float32Array) => Uint8Array
  /** The value at an index, times 2^24. */
  readonly read: (view: DataView, index: number) => bigint
}

const q8: Encoding = {
  type: 8,
  encode: encodeQ8,
  read(view, index) {
    const block = Math.floor(index / 32) * 34
    return half(view.getUint16(block, true)) * BigInt(view.getInt8(block + 2 + (index % 32)))
  },
}

const q4: Encoding = {
  type: 2,
  encode: encodeQ4,
  read(view, index) {
    const block = Math.floor(index / 32) * 18
    const byte = view.getUint8(block + 2 + (index % 16))
    const nibble = index % 32 < 16 ? byte & 15 : byte >> 4
    return half(view.getUint16(block, true)) * BigInt(nibble - 8)
  },
}

const f16: Encoding = {
  type: 1,
  encode: encodeF16,
  read: (view, index) => half(view.getUint16(index * 2, true)),
}

function load({ type }: Encoding, data: Uint8Array) {
  const kernels = openKernels()
  const source = kernels.allocate(data.length)
  kernels.bytes().set(data, source)
  const form = formOf(type)
  const perRow = data.length / ROWS
  const count = type === f16.type ? kernels.countPlanes(1, source, ROWS, BLOCKS) : 1
  const planes = Array.from({ length: count }, (_, plane) => {
    const address = kernels.allocate(planeBytes(form, ROWS, BLOCKS))
    const isUsable =
      type === f16.type
        ? kernels.unpackNumbers(1, source, 0, ROWS, BLOCKS, plane, address)
        : kernels.unpackBlocks(form, type, source, perRow, 0, ROWS, BLOCKS, address, 0)
    expect(isUsable).toBe(1)
    return address
  })
  return { kernels, matrix: { form, rows: ROWS, blocks: BLOCKS, planes } satisfies Matrix }
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
      const { kernels, matrix } = load(encoding, data)
      const target = kernels.allocate(COLUMNS * 8)
      for (let row = 0; row < ROWS; row++) {
        readRow(kernels, matrix, row, target)
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
  const { kernels, matrix } = load(encoding, data)
  const input = kernels.allocate(COLUMNS * 8)
  const inputs = new BigInt64Array(kernels.bytes().buffer, input, COLUMNS)
  x.forEach((value, i) => (inputs[i] = BigInt(value) << BigInt(shift)))
  const activations = kernels.allocate(ACTIVATIONS)
  kernels.quantizeActivations(input, BLOCKS, 1, activations)
  const target = kernels.allocate(ROWS * 8)
  const scratch = kernels.allocate(PRODUCT_SCRATCH)
  // Rows are computed apart from each other.
  for (const [from, until] of [
    [0, 16],
    [16, ROWS],
  ] as const)
    multiply(kernels, matrix, { address: activations, count: 1 }, { target, scratch, from, until })
  const found = Array.from(new BigInt64Array(kernels.bytes().buffer, target, ROWS))
  const exact = found.map((_, row) => {
    const sum = x.reduce(
      (part, value, i) => part + BigInt(value) * encoding.read(view, row * COLUMNS + i),
      0n,
    )
    const drop = BigInt(24 - shift)
    return (sum + (1n << (drop - 1n))) >> drop
  })
  return { planes: matrix.planes.length, found, exact }
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
  const target = kernels.allocate(planeBytes(formOf(8), 1, 1))
  expect(kernels.unpackBlocks(formOf(8), 8, source, 34, 0, 1, 1, target, 0)).toBe(0)
})
