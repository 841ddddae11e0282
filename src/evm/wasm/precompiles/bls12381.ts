/** The curve BLS12-381 (EIP-2537), 0x0b to 0x11. Infinity is all zeros; the coordinates of G2 have their real part first. */
import { bls12_381 } from '@noble/curves/bls12-381.js'
import { bigintToFixedBytes, bytesToBigint, concatBytes } from '../../../base/bytes.ts'
import { msmGas } from './blsDiscount.ts'
import { booleanWord, fixedGas, type Precompile } from './precompile.ts'

const G1 = bls12_381.G1.Point
const G2 = bls12_381.G2.Point
const { Fp, Fp2, Fp12, Fr } = bls12_381.fields
/** A field element: 16 zero bytes and 48 of the value. */
const FIELD = 64
const SCALAR = 32
const G1_SIZE = 2 * FIELD
const G2_SIZE = 4 * FIELD
const PAIR = G1_SIZE + G2_SIZE

type PointG1 = InstanceType<typeof G1>
type PointG2 = InstanceType<typeof G2>

/** What addition, multiplication and their codecs need of one of the groups. */
type Group<Point> = {
  readonly size: number
  readonly zero: Point
  decode(bytes: Uint8Array): Point
  encode(point: Point): Uint8Array
}

function fieldElement(bytes: Uint8Array, index: number): bigint {
  const value = bytesToBigint(bytes.subarray(index * FIELD, (index + 1) * FIELD))
  if (value >= Fp.ORDER) throw new RangeError('not a field element')
  return value
}

const encodeField = (value: bigint): Uint8Array => bigintToFixedBytes(value, FIELD)

const g1: Group<PointG1> = {
  size: G1_SIZE,
  zero: G1.ZERO,
  decode(bytes) {
    const x = fieldElement(bytes, 0)
    const y = fieldElement(bytes, 1)
    if (x === 0n && y === 0n) return G1.ZERO
    if (Fp.sqr(y) !== Fp.add(Fp.mul(Fp.sqr(x), x), 4n)) throw new RangeError('not on the curve')
    return G1.fromAffine({ x, y })
  },
  encode(point) {
    if (point.is0()) return new Uint8Array(G1_SIZE)
    const { x, y } = point.toAffine()
    return concatBytes(encodeField(x), encodeField(y))
  },
}

/** The b of G2's equation y^2 = x^3 + b. */
const B2 = Fp2.fromBigTuple([4n, 4n])

const g2: Group<PointG2> = {
  size: G2_SIZE,
  zero: G2.ZERO,
  decode(bytes) {
    const x = Fp2.fromBigTuple([fieldElement(bytes, 0), fieldElement(bytes, 1)])
    const y = Fp2.fromBigTuple([fieldElement(bytes, 2), fieldElement(bytes, 3)])
    if (Fp2.is0(x) && Fp2.is0(y)) return G2.ZERO
    if (!Fp2.eql(Fp2.sqr(y), Fp2.add(Fp2.mul(Fp2.sqr(x), x), B2)))
      throw new RangeError('not on the curve')
    return G2.fromAffine({ x, y })
  },
  encode(point) {
    if (point.is0()) return new Uint8Array(G2_SIZE)
    const { x, y } = point.toAffine()
    return concatBytes(...[x.c0, x.c1, y.c0, y.c1].map(encodeField))
  },
}

/** All but addition want points of the prime-order subgroup. */
function inSubgroup<Point extends { isTorsionFree(): boolean }>(point: Point): Point {
  if (!point.isTorsionFree()) throw new RangeError('not in the subgroup')
  return point
}

type Addable<Point> = {
  add(other: Point): Point
  multiplyUnsafe(scalar: bigint): Point
  isTorsionFree(): boolean
}

function addition<Point extends Addable<Point>>(group: Group<Point>, price: bigint): Precompile {
  const { size } = group
  return {
    gas: fixedGas(price),
    run(input) {
      if (input.length !== 2 * size) return undefined
      const sum = group.decode(input.subarray(0, size)).add(group.decode(input.subarray(size)))
      return group.encode(sum)
    },
  }
}

/** Multi-scalar multiplication: the sum of points times scalars. */
function multiplication<Point extends Addable<Point>>(
  group: Group<Point>,
  gas: (pairs: number) => bigint,
): Precompile {
  const pair = group.size + SCALAR
  return {
    gas: (input) => gas(Math.floor(input.length / pair)),
    run(input) {
      if (input.length === 0 || input.length % pair !== 0) return undefined
      let sum = group.zero
      for (let at = 0; at < input.length; at += pair) {
        const point = inSubgroup(group.decode(input.subarray(at, at + group.size)))
        const scalar = bytesToBigint(input.subarray(at + group.size, at + pair)) % Fr.ORDER
        sum = sum.add(point.multiplyUnsafe(scalar))
      }
      return group.encode(sum)
    },
  }
}

export const g1Add = addition(g1, 375n)
export const g1Multiply = multiplication(g1, (pairs) => msmGas(pairs, 12_000n, 'g1'))
export const g2Add = addition(g2, 600n)
export const g2Multiply = multiplication(g2, (pairs) => msmGas(pairs, 22_500n, 'g2'))

export const blsPairing: Precompile = {
  gas: (input) => 37_700n + 32_600n * BigInt(Math.floor(input.length / PAIR)),
  run(input) {
    if (input.length === 0 || input.length % PAIR !== 0) return undefined
    const pairs: { g1: PointG1; g2: PointG2 }[] = []
    for (let at = 0; at < input.length; at += PAIR) {
      const a = inSubgroup(g1.decode(input.subarray(at, at + G1_SIZE)))
      const b = inSubgroup(g2.decode(input.subarray(at + G1_SIZE, at + PAIR)))
      if (!a.is0() && !b.is0()) pairs.push({ g1: a, g2: b })
    }
    return booleanWord(Fp12.eql(bls12_381.pairingBatch(pairs), Fp12.ONE))
  },
}

export const mapToG1: Precompile = {
  gas: fixedGas(5500n),
  run(input) {
    if (input.length !== FIELD) return undefined
    const { x, y } = bls12_381.G1.mapToCurve([fieldElement(input, 0)])
    return g1.encode(G1.fromAffine({ x, y }))
  },
}

export const mapToG2: Precompile = {
  gas: fixedGas(23_800n),
  run(input) {
    if (input.length !== 2 * FIELD) return undefined
    const { x, y } = bls12_381.G2.mapToCurve([fieldElement(input, 0), fieldElement(input, 1)])
    return g2.encode(G2.fromAffine({ x, y }))
  },
}
