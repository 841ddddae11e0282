/** The block encodings against a plain reading of their formats in BigInt arithmetic (ggml-org/ggml, ggml-quants.c). */
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { BLOCK_ENCODINGS } from '../../../test/support/blockEncodings.ts'
import { openKernels } from './kernels.ts'
import { activationBytes, multiply, PRODUCT_SCRATCH, readRow, type Matrix } from './matrix.ts'
import { formOf, minimaBytes, planeBytes } from './matrixForms.ts'
import { ENCODINGS } from './tensors.ts'

/** Neither a multiple of 8 nor of 32. */
const ROWS = 11
const COLUMNS = 256
const BLOCKS = COLUMNS / 32
const ACTIVATIONS = 1024

/** A half-precision number times 2^24. */
function half(bits: number): bigint {
  const exponent = (bits >> 10) & 31
  const fraction = BigInt(bits & 1023)
  const magnitude = exponent === 0 ? fraction : (1024n + fraction) << BigInt(exponent - 1)
  return bits & 0x8000 ? -magnitude : magnitude
}

type Read = (view: DataView, index: number) => bigint

const small =
  (bytes: number, hasMinimum: boolean, hasFifth: boolean): Read =>
  (view, index) => {
    const at = Math.floor(index / 32) * bytes
    const i = index % 32
    const head = hasMinimum ? 4 : 2
    const byte = view.getUint8(at + head + (hasFifth ? 4 : 0) + (i % 16))
    const fifth = hasFifth ? ((view.getUint32(at + head, true) >>> i) & 1) * 16 : 0
    const q = (i < 16 ? byte & 15 : byte >> 4) + fifth - (hasMinimum ? 0 : 16)
    const minimum = hasMinimum ? half(view.getUint16(at + 2, true)) : 0n
    return half(view.getUint16(at, true)) * BigInt(q) + minimum
  }

/** As in ggml's get_scale_min_k4. */
function scaleAndMinimum(view: DataView, at: number, j: number): readonly [number, number] {
  const q = (i: number): number => view.getUint8(at + 4 + i)
  if (j < 4) return [q(j) & 63, q(j + 4) & 63]
  return [(q(j + 4) & 15) | ((q(j - 4) >> 6) << 4), (q(j + 4) >> 4) | ((q(j) >> 6) << 4)]
}

const withMinima =
  (bytes: number, hasFifth: boolean): Read =>
  (view, index) => {
    const at = Math.floor(index / 256) * bytes
    const [j, i] = [Math.floor((index % 256) / 32), index % 32]
    const [scale, minimum] = scaleAndMinimum(view, at, j)
    const byte = view.getUint8(at + (hasFifth ? 48 : 16) + Math.floor(j / 2) * 32 + i)
    const fifth = hasFifth ? ((view.getUint8(at + 16 + i) >> j) & 1) * 16 : 0
    const q = (j % 2 === 0 ? byte & 15 : byte >> 4) + fifth
    const d = half(view.getUint16(at, true)) * BigInt(scale)
    return d * BigInt(q) - half(view.getUint16(at + 2, true)) * BigInt(minimum)
  }

const six: Read = (view, index) => {
  const at = Math.floor(index / 256) * 210
  const i = index % 256
  const [n, l] = [Math.floor(i / 128), i % 32]
  const place = Math.floor((i % 128) / 32)
  const byte = view.getUint8(at + n * 64 + (place % 2) * 32 + l)
  const high = (view.getUint8(at + 128 + n * 32 + l) >> (2 * place)) & 3
  const q = ((place < 2 ? byte & 15 : byte >> 4) | (high << 4)) - 32
  const scale = view.getInt8(at + 192 + Math.floor(i / 16))
  return half(view.getUint16(at + 208, true)) * BigInt(scale * q)
}

const single: Read = (view, index) => BigInt(Math.round(view.getFloat32(index * 4, true) * 2 ** 24))
const bfloat: Read = (view, index) => {
  const bytes = new DataView(new ArrayBuffer(4))
  bytes.setUint16(2, view.getUint16(index * 2, true), true)
  return BigInt(Math.round(bytes.getFloat32(0, true) * 2 ** 24))
}

const READ: Readonly<Record<keyof typeof BLOCK_ENCODINGS, Read>> = {
  Q4_1: small(20, true, false),
  Q5_0: small(22, false, true),
  Q5_1: small(24, true, true),
  Q4_K: withMinima(144, false),
  Q5_K: withMinima(176, true),
  Q6_K: six,
  F32: single,
  BF16: bfloat,
}

function load(type: number, data: Uint8Array) {
  const kernels = openKernels()
  const { isNumbers = false, hasMinima = false } = ENCODINGS[type] ?? {}
  const source = kernels.allocate(data.length)
  kernels.bytes().set(data, source)
  const form = formOf(type)
  const minima = hasMinima ? kernels.allocate(minimaBytes(form, ROWS, BLOCKS)) : 0
  const count = isNumbers ? kernels.countPlanes(type, source, ROWS, BLOCKS) : 1
  const planes = Array.from({ length: count }, (_, plane) => {
    const address = kernels.allocate(planeBytes(form, ROWS, BLOCKS))
    const perRow = data.length / ROWS
    const isUsable = isNumbers
      ? kernels.unpackNumbers(type, source, 0, ROWS, BLOCKS, plane, address)
      : kernels.unpackBlocks(form, type, source, perRow, 0, ROWS, BLOCKS, address, minima)
    expect(isUsable).toBe(1)
    return address
  })
  const matrix: Matrix = { form, rows: ROWS, blocks: BLOCKS, planes, ...(hasMinima && { minima }) }
  return { kernels, matrix }
}

const weights = fc.array(fc.float({ min: -4, max: 4, noNaN: true }), {
  minLength: ROWS * COLUMNS,
  maxLength: ROWS * COLUMNS,
})

const names = Object.keys(BLOCK_ENCODINGS) as (keyof typeof BLOCK_ENCODINGS)[]

// Holds D119.
test.each(names)('rows of %s are read as their format says', (name) => {
  const { type, encode } = BLOCK_ENCODINGS[name]
  fc.assert(
    fc.property(weights, (values) => {
      const data = encode(Float32Array.from(values))
      const view = new DataView(data.buffer)
      const { kernels, matrix } = load(type, data)
      const target = kernels.allocate(COLUMNS * 8)
      for (let row = 0; row < ROWS; row++) {
        readRow(kernels, matrix, row, target)
        const read = Array.from(new BigInt64Array(kernels.bytes().buffer, target, COLUMNS))
        expect(read).toEqual(read.map((_, i) => READ[name](view, row * COLUMNS + i)))
      }
    }),
    { numRuns: 4, endOnFailure: true },
  )
})

// Holds D119.
test.each(names)('products of %s are exact but for the rounding of each plane', (name) => {
  const { type, encode } = BLOCK_ENCODINGS[name]
  const x = fc.array(fc.integer({ min: -32_767, max: 32_767 }), {
    minLength: COLUMNS,
    maxLength: COLUMNS,
  })
  fc.assert(
    fc.property(weights, x, (values, input) => {
      const data = encode(Float32Array.from(values))
      const view = new DataView(data.buffer)
      const { kernels, matrix } = load(type, data)
      const from = kernels.allocate(COLUMNS * 8)
      new BigInt64Array(kernels.bytes().buffer, from, COLUMNS).set(
        input.map((value) => BigInt(value) << 8n),
      )
      const activations = kernels.allocate(ACTIVATIONS)
      kernels.quantizeActivations(from, BLOCKS, 1, activations)
      const target = kernels.allocate(ROWS * 8)
      const scratch = kernels.allocate(PRODUCT_SCRATCH)
      const all = { target, scratch, from: 0, until: ROWS }
      multiply(kernels, matrix, { address: activations, count: 1 }, all)
      const found = Array.from(new BigInt64Array(kernels.bytes().buffer, target, ROWS))
      found.forEach((product, row) => {
        const sum = input.reduce(
          (part, value, i) => part + BigInt(value) * READ[name](view, row * COLUMNS + i),
          0n,
        )
        const error = (product << 16n) - sum
        // Q6_K's halves of blocks are rounded apart from each other.
        const most = BigInt(matrix.planes.length + 2) << 16n
        expect(error <= most && error >= -most).toBe(true)
      })
    }),
    { numRuns: 4, endOnFailure: true },
  )
})

/** Writes vectors, and returns the products of all of them together, or of each alone. */
function manyProducts(name: keyof typeof BLOCK_ENCODINGS, data: Uint8Array, x: readonly number[]) {
  const { kernels, matrix } = load(BLOCK_ENCODINGS[name].type, data)
  const count = x.length / COLUMNS
  const from = kernels.allocate(x.length * 8)
  new BigInt64Array(kernels.bytes().buffer, from, x.length).set(x.map((value) => BigInt(value)))
  const activations = kernels.allocate(activationBytes(BLOCKS) * count)
  kernels.quantizeActivations(from, BLOCKS, count, activations)
  const scratch = kernels.allocate(PRODUCT_SCRATCH)
  const target = kernels.allocate(ROWS * count * 8)
  const take = (): readonly bigint[] => {
    const numbers = new BigInt64Array(kernels.bytes().buffer, target, ROWS * count)
    const taken = [...numbers]
    numbers.fill(0n)
    return taken
  }
  const rows = { scratch, from: 0, until: ROWS }
  multiply(kernels, matrix, { address: activations, count }, { target, ...rows })
  const together = take()
  for (let i = 0; i < count; i++) {
    const address = activations + i * activationBytes(BLOCKS)
    multiply(kernels, matrix, { address, count: 1 }, { target: target + i * ROWS * 8, ...rows })
  }
  return { together, alone: take() }
}

// Holds D131.
test.each(names)('products of %s with several vectors are those with each alone', (name) => {
  const { encode } = BLOCK_ENCODINGS[name]
  const extreme = fc.constantFrom(-32_767, 32_767)
  const vectors = fc
    .tuple(fc.integer({ min: 1, max: 5 }), fc.boolean())
    .chain(([count, isExtreme]) =>
      fc.array(isExtreme ? extreme : fc.integer({ min: -(2 ** 40), max: 2 ** 40 }), {
        minLength: count * COLUMNS,
        maxLength: count * COLUMNS,
      }),
    )
  fc.assert(
    fc.property(weights, vectors, (values, x) => {
      const { together, alone } = manyProducts(name, encode(Float32Array.from(values)), x)
      expect(together).toEqual(alone)
    }),
    { numRuns: 6, endOnFailure: true },
  )
})

/** A block of 256 weights whose scales, minima and weights are all as large as they can be. */
const LARGEST = [
  ['Q4_K', [0x00, 0x3c, 0x00, 0x3c, ...Array<number>(140).fill(0xff)]],
  ['Q5_K', [0x00, 0x3c, 0x00, 0x3c, ...Array<number>(172).fill(0xff)]],
  ['Q6_K', [...Array<number>(192).fill(0), ...Array<number>(16).fill(0x80), 0x00, 0x38]],
] as const

// Holds D131: sums of a block, or of several, must not overflow.
test.each(LARGEST)(
  'the largest weights of %s times the largest activations are exact',
  (name, row) => {
    const data = Uint8Array.from(
      { length: ROWS * row.length },
      (_, i) => row[i % row.length] as number,
    )
    const view = new DataView(data.buffer)
    for (const sign of [1, -1]) {
      const x = Array<number>(2 * COLUMNS).fill(sign * 32_767)
      const { together, alone } = manyProducts(name, data, x)
      const sum = x
        .slice(0, COLUMNS)
        .reduce((part, value, i) => part + BigInt(value) * READ[name](view, i), 0n)
      expect(together).toEqual(alone)
      for (const product of together) {
        const error = product * 2n ** 24n - sum
        expect(error < 2n ** 26n && error > -(2n ** 26n)).toBe(true)
      }
    }
  },
)

test.each(names)('an infinite scale or number of %s is refused', (name) => {
  const { type } = BLOCK_ENCODINGS[name]
  const { bytes = 0, block = 1, isNumbers = false } = ENCODINGS[type] ?? {}
  const data = new Uint8Array((COLUMNS / block) * bytes).fill(0x7f)
  if (name === 'Q6_K') data.fill(0x7c, 208, 210)
  const kernels = openKernels()
  const source = kernels.allocate(data.length)
  kernels.bytes().set(data, source)
  const form = formOf(type)
  const matrix = kernels.allocate(planeBytes(form, 1, BLOCKS))
  const minima = kernels.allocate(minimaBytes(form, 1, BLOCKS))
  if (isNumbers) expect(kernels.countPlanes(type, source, 1, BLOCKS)).toBe(0)
  else
    expect(
      kernels.unpackBlocks(form, type, source, data.length, 0, 1, BLOCKS, matrix, minima),
    ).toBe(0)
})
