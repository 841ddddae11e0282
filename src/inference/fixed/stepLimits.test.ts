/** The contract of the steps (contracts/InferenceSteps.sol) at the limits of the arithmetic, and beyond them. */
import { expect, test } from 'vitest'
import { toHex } from '../../base/hex.ts'
import { openKernelSteps } from '../../../test/support/steps/kernelSteps.ts'
import { compareProduct } from '../../../test/support/steps/operations/rows.ts'
import { LIMIT } from '../../../test/support/steps/randomNumbers.ts'
import { openSteps, type StepName } from '../../../test/support/steps/rig.ts'
import { ENCODINGS, type Encoding } from './tensors.ts'

const engine = openKernelSteps()
const steps = openSteps()

/** Where scales are in a block, and the largest one that the engine takes in a row of 512 weights. */
const LARGEST: Readonly<Record<number, readonly [places: readonly number[], bits: number]>> = {
  0: [[], 0],
  1: [[], 0],
  2: [[0], 0x57ff],
  3: [[0, 2], 0x57ff],
  6: [[0], 0x57ff],
  7: [[0, 2], 0x57ff],
  8: [[0], 0x57ff],
  12: [[0, 2], 0x3fff],
  13: [[0, 2], 0x3fff],
  14: [[208], 0x3bff],
  30: [[], 0],
}

function filledRow(type: number, columns: number, fill: number): Uint8Array {
  const { block, bytes } = ENCODINGS[type] as Encoding
  const row = new Uint8Array((columns / block) * bytes).fill(fill)
  const [places, scale] = LARGEST[type] ?? [[], 0]
  for (let at = 0; at < row.length; at += bytes)
    for (const place of places) new DataView(row.buffer).setUint16(at + place, scale, true)
  return row
}

const TYPES = Object.keys(LARGEST).map(Number)
const VECTORS: readonly ((i: number) => bigint)[] = [
  () => LIMIT,
  () => -LIMIT,
  () => LIMIT - 1n,
  (i) => (i % 2 === 0 ? LIMIT - 1n : 1n - LIMIT),
  () => 0n,
  (i) => (i % 32 < 16 ? -1n : 1n),
]

// Holds D161.
test.each(TYPES)('rows of equal bytes in encoding %d times vectors at the limits agree', (type) => {
  let computed = 0
  for (const fill of [0x00, 0x7f, 0x80, 0x88, 0xff])
    for (const vector of VECTORS)
      engine.scoped(() => {
        const x = BigInt64Array.from({ length: 512 }, (_, i) => vector(i))
        const { found, expected } = compareProduct(
          type,
          filledRow(type, 512, fill),
          x,
          engine,
          steps,
        )
        expect({ fill, values: found }).toEqual({ fill, values: expected })
        if (expected !== 'refused') computed++
      })
  expect(computed).toBeGreaterThan(0)
})

test('a row whose scales add up to more than the engine loads is refused by both', () => {
  engine.scoped(() => {
    const zeros = new BigInt64Array(544)
    const { found, expected } = compareProduct(8, filledRow(8, 544, 1), zeros, engine, steps)
    expect([found, expected]).toEqual(['refused', 'refused'])
  })
})

test('a norm of the largest width, with the largest gain and the smallest mean, agrees', () => {
  const length = 32_768
  const gain = 2 ** 31 - 1
  const { kernels, put, take } = engine
  for (const first of [255n, -255n])
    engine.scoped(() => {
      const vector = new BigInt64Array(length)
      vector[0] = first
      const gains = kernels.allocate(length * 4)
      new Int32Array(kernels.bytes().buffer, gains, length).fill(gain)
      const target = kernels.allocate(length * 8)
      kernels.normalize(put(vector), gains, 30, 0n, length, target)
      const squares = steps.one('squares', toHex(new Uint8Array(vector.buffer)), 0, 0)
      const [inverse, up] = steps.compute('inverseRoot', squares, length, 0, 0)
      const found = steps.compute('normalized', first, 0, inverse, up, gain, 30)
      expect(found).toEqual([...take(target, 1)])
    })
})

// What docs/arithmetic.md says under "Bounds". Holds D163.
test.each([
  [65_544, 1],
  [65_545, -1],
])('the mean of %d equal positions at the limit agrees, and has the sign %d', (count, sign) => {
  const { kernels, put, take } = engine
  engine.scoped(() => {
    const size = 8
    const entry = 48
    const cache = kernels.allocate(count * entry)
    const values = put(new BigInt64Array(size).fill(LIMIT - 1n))
    const zeros = put(new BigInt64Array(size))
    for (let i = 0; i < count; i++) kernels.storeEntry(zeros, values, 1, size, cache + i * entry)
    const target = kernels.allocate(size * 8)
    const scratch = kernels.allocate(size * 2 + count * 8)
    kernels.attend(zeros, 1, 1, size, cache, count, 1n << 28n, scratch, target, 0n)
    const total = BigInt(count) << 24n
    const [found = 0n] = steps.compute('weightedMean', total * 8191n, total, 27)
    expect(found).toBe(take(target, 1)[0])
    expect(Math.sign(Number(found))).toBe(sign)
  })
})

const NO_BYTES = '0x'
const zeroBytes = (length: number): string => toHex(new Uint8Array(length))
const NO_PARTS = [0, 0, 0, 0]

const REFUSED: readonly (readonly [error: string, name: StepName, args: readonly unknown[]])[] = [
  ['OutOfRange', 'sum', [LIMIT + 1n, 0]],
  ['OutOfRange', 'product', [0, -LIMIT - 1n]],
  ['OutOfRange', 'rotated', [0, LIMIT + 1n, 0, 0]],
  ['OutOfRange', 'siluGate', [LIMIT + 1n, 0]],
  ['OutOfRange', 'geluGate', [0, LIMIT + 1n]],
  ['OutOfRange', 'quantized', [LIMIT + 1n, 0, 15]],
  ['OutOfRange', 'normalized', [LIMIT + 1n, 0, 0, 0, 0, 0]],
  ['OutOfRange', 'normalized', [0, 0, 0, 37, 0, 0]],
  ['OutOfRange', 'largest', [`0x${'ff'.repeat(31)}7f`, 0]],
  ['OutOfRange', 'squares', [`0x${'ff'.repeat(7)}7f${'00'.repeat(24)}`, 0, 0]],
  ['OutOfRange', 'softCapped', [1, 0]],
  ['OutOfRange', 'weight', [0, 1]],
  ['OutOfRange', 'weightedMean', [0, 0, 0]],
  ['OutOfRange', 'tokenWeight', [0, 1, 1]],
  ['OutOfRange', 'roundParts', [[1n << 63n, 0, 0, 0], 0]],
  ['ShiftOutOfRange', 'score', [zeroBytes(16), zeroBytes(16), 29, 0, 1, 0]],
  ['ShiftOutOfRange', 'weightedSum', [0, 1, 3, 4, 1]],
  ['WrongLength', 'largest', [NO_BYTES, 0]],
  ['WrongLength', 'largest', [zeroBytes(40), 0]],
  ['WrongLength', 'score', [zeroBytes(16), zeroBytes(32), 0, 0, 1, 0]],
  ['WrongLength', 'rowParts', [12, zeroBytes(18), zeroBytes(64), NO_PARTS]],
  ['WrongRow', 'rowParts', [8, zeroBytes(33), zeroBytes(64), NO_PARTS]],
  ['WrongRow', 'rowParts', [1, zeroBytes(63), zeroBytes(64), NO_PARTS]],
  ['UnknownEncoding', 'rowParts', [10, zeroBytes(33), zeroBytes(64), NO_PARTS]],
  ['UnknownEncoding', 'embedding', [9, zeroBytes(33), 0]],
  ['NoColumn', 'embedding', [8, zeroBytes(34), 32]],
  ['NoColumn', 'embedding', [1, zeroBytes(64), 1n << 255n]],
  ['NotANumber', 'single', [0x7fc00000, 24]],
  ['ScaleTooLarge', 'embedding', [8, `0x0058${'00'.repeat(32)}`, 0]],
  ['WrongBits', 'quantizeShift', [1, 14]],
  ['WrongAngle', 'firstAngle', [1n << 23n, 8, 0, 1n << 23n]],
  ['WrongAngle', 'firstAngle', [1n << 24n, 8, 4, 1n << 23n]],
  ['WrongAngle', 'firstAngle', [1n << 24n, 8, 0, 1n << 22n]],
  ['WrongSize', 'inverseRoot', [1, 0, 0, 0]],
  ['WrongSize', 'scoreFactor', [0]],
  ['NoTemperature', 'tokenWeight', [0, 0, 0]],
]

test.each(REFUSED)('%s is the error of %s with %o', (error, name, args) => {
  expect(steps.call(name, ...args).error).toBe(error)
})
