/**
 * Whether a point of BN254's twist is in the subgroup of prime order, by the curve's endomorphism: it takes a third of
 * the time of a multiplication by the order. See "A note on group membership tests for G1, G2 and GT on BLS
 * pairing-friendly curves" (Scott, IACR ePrint 2021/1130), section 4.2 for BN curves.
 */
import { fromHex } from '../../../base/hex.ts'
import { FIELD_RECORD, type Mcl } from './mcl.ts'
import type { PointGroup } from './points.ts'

/** The curve's parameter, in binary after its leading one. */
const PARAMETER = 4_965_661_367_192_848_881n.toString(2).slice(1)

/**
 * Factors by which the endomorphism multiplies the conjugated coordinates: (9 + u) ^ ((p - 1) / 3) and ^ ((p - 1) / 2),
 * real part first.
 */
const FACTOR_X = [
  '2fb347984f7911f74c0bec3cf559b143b78cc310c2c3330c99e39557176f553d',
  '16c9e55061ebae204ba4cc8bd75a079432ae2a1d0b7c9dce1665d51c640fcba2',
]
const FACTOR_Y = [
  '063cf305489af5dcdc5ec698b6e2f9b9dbaae0eda9c95998dc54014671a0135a',
  '07c03cbcac41049a0704b5a7ec796f2b21807dc98fa25bd282d37f632623b0e3',
]

/** A coordinate: real and imaginary part. */
const COORDINATE = 2 * FIELD_RECORD

/** The test for points at an address, which must be on the twist. */
export function createSubgroupTest(
  mcl: Mcl,
  { calls, record }: PointGroup,
): (at: number) => boolean {
  const constant = (parts: readonly string[]): number => {
    const at = mcl.reserve(COORDINATE)
    parts.forEach((part, index) => mcl.setField(at + index * FIELD_RECORD, fromHex(part)))
    return at
  }
  const factors = [constant(FACTOR_X), constant(FACTOR_Y)]
  const point = (): number => mcl.reserve(record)
  const [multiple, image, sum] = [point(), point(), point()]

  /** The endomorphism: coordinates are conjugated, the first two multiplied. */
  function map(at: number): void {
    for (let i = 0; i < 3; i++) {
      const imaginary = at + i * COORDINATE + FIELD_RECORD
      mcl.calls.mclBnFp_neg(imaginary, imaginary)
    }
    factors.forEach((factor, index) => {
      const coordinate = at + index * COORDINATE
      mcl.calls.mclBnFp2_mul(coordinate, coordinate, factor)
    })
  }

  /** Doubles and adds: the library's own multiplication is correct only for points of the subgroup. */
  function multiplyByParameter(to: number, from: number): void {
    mcl.copy(to, from, record)
    for (const bit of PARAMETER) {
      calls.dbl(to, to)
      if (bit === '1') calls.add(to, to, from)
    }
  }

  // With the parameter x and the endomorphism f: [x + 1]P + f([x]P) + f(f([x]P)) = [2]f(f(f([x]P))).
  return (at) => {
    multiplyByParameter(multiple, at)
    calls.add(sum, multiple, at)
    mcl.copy(image, multiple, record)
    map(image)
    calls.add(sum, sum, image)
    map(image)
    calls.add(sum, sum, image)
    map(image)
    calls.dbl(image, image)
    calls.neg(image, image)
    calls.add(sum, sum, image)
    return calls.isZero(sum) === 1
  }
}
