/** Points as precompiles encode them, in the memory of the curve library. */
import { concatBytes } from '../../../base/bytes.ts'
import { FIELD_RECORD, SCALAR_RECORD, type Mcl, type PointCalls } from './mcl.ts'

/** How a group's points are encoded: affine coordinates, all zeros for infinity. */
export type PointEncoding = {
  /** Degree of the coordinates' field: 1 for G1 (Fp), 2 for G2 (Fp2). */
  readonly degree: 1 | 2
  /** Bytes of an encoded field element, and of the value in it. */
  readonly fieldSize: number
  readonly valueSize: number
  /** The field's order: `valueSize` big-endian bytes. */
  readonly order: Uint8Array
  /** Whether the imaginary part of a coordinate comes first. */
  readonly isImaginaryFirst: boolean
}

/** Points of one group. Points, scalars and field elements are addresses of records, `to` may be one of the operands. */
export type PointGroup = {
  /** Bytes of an encoded point, and of its record. */
  readonly size: number
  readonly record: number
  readonly calls: PointCalls
  /** Reads a point. Throws RangeError unless its coordinates are below the order and it is on the curve. */
  read(to: number, bytes: Uint8Array): void
  write(at: number): Uint8Array
}

/** Number of points and scalars multiplied at once: more would use more of the library's stack and gain little. */
const BATCH = 64

/** Whether a big-endian number is less than another of the same length. */
export function isBelow(value: Uint8Array, order: Uint8Array): boolean {
  for (let i = 0; i < order.length; i++) {
    const difference = (value[i] as number) - (order[i] as number)
    if (difference !== 0) return difference < 0
  }
  return false
}

const isAllZero = (bytes: Uint8Array): boolean => bytes.every((byte) => byte === 0)

/** Sets a field element. Throws RangeError when the value is not below the order. */
export function readField(
  { setField }: Mcl,
  { fieldSize, valueSize, order }: PointEncoding,
  to: number,
  bytes: Uint8Array,
): void {
  const padding = fieldSize - valueSize
  const value = bytes.subarray(padding)
  if (!isAllZero(bytes.subarray(0, padding)) || !isBelow(value, order))
    throw new RangeError('not a field element')
  setField(to, value)
}

export function createGroup(mcl: Mcl, calls: PointCalls, encoding: PointEncoding): PointGroup {
  const { degree, fieldSize, isImaginaryFirst } = encoding
  const parts = 2 * degree
  const record = 3 * degree * FIELD_RECORD
  const affine = mcl.reserve(record)
  /** The offset in the record of the field element at `index` in the encoding. */
  const offset = (index: number): number =>
    (degree === 2 && isImaginaryFirst ? index ^ 1 : index) * FIELD_RECORD
  return {
    size: parts * fieldSize,
    record,
    calls,
    read(to, bytes) {
      if (isAllZero(bytes)) {
        calls.clear(to)
        return
      }
      for (let i = 0; i < parts; i++)
        readField(mcl, encoding, to + offset(i), bytes.subarray(i * fieldSize, (i + 1) * fieldSize))
      const z = to + parts * FIELD_RECORD
      mcl.calls.mclBnFp_setInt32(z, 1)
      if (degree === 2) mcl.calls.mclBnFp_setInt32(z + FIELD_RECORD, 0)
      if (calls.isValid(to) === 0) throw new RangeError('not on the curve')
    },
    write(at) {
      if (calls.isZero(at) === 1) return new Uint8Array(parts * fieldSize)
      calls.normalize(affine, at)
      return concatBytes(
        ...Array.from({ length: parts }, (_, i) => mcl.getField(affine + offset(i), fieldSize)),
      )
    },
  }
}

/** Adds up points times scalars. */
export type MultiplicationSum = {
  /** Starts over. */
  reset(): void
  /** Takes a point of the subgroup and its scalar (big-endian bytes). `read` writes the point to an address. */
  add(read: (to: number) => void, scalar: Uint8Array): void
  /** The address of the sum. */
  total(): number
}

export function createMultiplicationSum(mcl: Mcl, group: PointGroup): MultiplicationSum {
  const { calls, record } = group
  const points = mcl.reserve(BATCH * record)
  const scalars = mcl.reserve(BATCH * SCALAR_RECORD)
  const sum = mcl.reserve(record)
  const part = mcl.reserve(record)
  let count = 0
  function flush(): void {
    if (count === 0) return
    if (count === 1) calls.mul(part, points, scalars)
    else calls.mulVec(part, points, scalars, count)
    calls.add(sum, sum, part)
    count = 0
  }
  return {
    reset() {
      count = 0
      calls.clear(sum)
    },
    add(read, scalar) {
      const point = points + count * record
      const factor = scalars + count * SCALAR_RECORD
      read(point)
      mcl.setScalar(factor, scalar)
      if (calls.isZero(point) === 1 || mcl.calls.mclBnFr_isZero(factor) === 1) return
      count++
      if (count === BATCH) flush()
    },
    total() {
      flush()
      return sum
    },
  }
}
