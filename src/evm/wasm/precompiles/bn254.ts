/** The curve BN254 (alt_bn128): addition (0x06), multiplication (0x07) and pairing check (0x08), EIP-196, 197, 1108. */
import { bn254 } from '@noble/curves/bn254.js'
import { bigintToFixedBytes, bytesToBigint, concatBytes } from '../../../base/bytes.ts'
import { booleanWord, fixedGas, paddedSlice, type Precompile } from './precompile.ts'

const G1 = bn254.G1.Point
const G2 = bn254.G2.Point
const { Fp, Fp2, Fp12, Fr } = bn254.fields
const WORD = 32
const PAIR = 192

type PointG1 = InstanceType<typeof G1>
type PointG2 = InstanceType<typeof G2>

/** A coordinate; throws when it is not below the field's order. */
function coordinate(bytes: Uint8Array, index: number): bigint {
  const value = bytesToBigint(bytes.subarray(index * WORD, (index + 1) * WORD))
  if (value >= Fp.ORDER) throw new RangeError('not a field element')
  return value
}

/** Zeros are the point at infinity. Throws on what is no point. */
function decodeG1(bytes: Uint8Array): PointG1 {
  const x = coordinate(bytes, 0)
  const y = coordinate(bytes, 1)
  if (x === 0n && y === 0n) return G1.ZERO
  const point = G1.fromAffine({ x, y })
  point.assertValidity()
  return point
}

/** The imaginary part comes first. Throws on what is no point of the subgroup. */
function decodeG2(bytes: Uint8Array): PointG2 {
  const x = Fp2.fromBigTuple([coordinate(bytes, 1), coordinate(bytes, 0)])
  const y = Fp2.fromBigTuple([coordinate(bytes, 3), coordinate(bytes, 2)])
  if (Fp2.is0(x) && Fp2.is0(y)) return G2.ZERO
  const point = G2.fromAffine({ x, y })
  point.assertValidity()
  return point
}

function encodeG1(point: PointG1): Uint8Array {
  const { x, y } = point.toAffine()
  return point.is0()
    ? new Uint8Array(2 * WORD)
    : concatBytes(bigintToFixedBytes(x, WORD), bigintToFixedBytes(y, WORD))
}

export const bn254Add: Precompile = {
  gas: fixedGas(150n),
  run(input) {
    const a = decodeG1(paddedSlice(input, 0, 2 * WORD))
    return encodeG1(a.add(decodeG1(paddedSlice(input, 2 * WORD, 2 * WORD))))
  },
}

export const bn254Multiply: Precompile = {
  gas: fixedGas(6000n),
  run(input) {
    const point = decodeG1(paddedSlice(input, 0, 2 * WORD))
    const scalar = bytesToBigint(paddedSlice(input, 2 * WORD, WORD)) % Fr.ORDER
    return encodeG1(point.multiplyUnsafe(scalar))
  },
}

export const bn254Pairing: Precompile = {
  gas: (input) => 45_000n + 34_000n * BigInt(Math.floor(input.length / PAIR)),
  run(input) {
    if (input.length % PAIR !== 0) return undefined
    const pairs: { g1: PointG1; g2: PointG2 }[] = []
    for (let at = 0; at < input.length; at += PAIR) {
      const g1 = decodeG1(input.subarray(at, at + 2 * WORD))
      const g2 = decodeG2(input.subarray(at + 2 * WORD, at + PAIR))
      if (!g1.is0() && !g2.is0()) pairs.push({ g1, g2 })
    }
    return booleanWord(Fp12.eql(bn254.pairingBatch(pairs), Fp12.ONE))
  },
}
