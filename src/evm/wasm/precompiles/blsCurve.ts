/** BLS12-381 in the curve library, shared by its precompiles and by point evaluation. */
import { fromHex } from '../../../base/hex.ts'
import { CURVE, FIELD_RECORD, loadMcl } from './mcl.ts'
import { once } from './once.ts'
import { createPairingCheck } from './pairing.ts'
import { createGroup, createMultiplicationSum, isBelow } from './points.ts'

/** A field element in the encoding of EIP-2537: 16 zero bytes and 48 of the value. */
export const BLS_FIELD_SIZE = 64
export const BLS_G1_SIZE = 2 * BLS_FIELD_SIZE
export const BLS_G2_SIZE = 4 * BLS_FIELD_SIZE
export const BLS_FIELD_ORDER: Uint8Array = fromHex(
  '1a0111ea397fe69a4b1ba7b6434bacd764774b84f38512bf6730d2a0f6b0f6241eabfffeb153ffffb9feffffffffaaab',
)

const ENCODING = {
  fieldSize: BLS_FIELD_SIZE,
  valueSize: 48,
  order: BLS_FIELD_ORDER,
  isImaginaryFirst: false,
} as const

export const blsCurve = once(() => {
  const mcl = loadMcl(CURVE.bls12381)
  const encoding = { ...ENCODING, degree: 1 } as const
  const g1 = createGroup(mcl, mcl.g1, encoding)
  const g2 = createGroup(mcl, mcl.g2, { ...ENCODING, degree: 2 })
  const tools = (group: typeof g1) => ({
    mcl,
    group,
    sum: createMultiplicationSum(mcl, group),
    a: mcl.reserve(group.record),
    b: mcl.reserve(group.record),
  })
  const element = mcl.reserve(2 * FIELD_RECORD)
  return {
    mcl,
    encoding,
    g1: tools(g1),
    g2: tools(g2),
    pairing: createPairingCheck(mcl, g1, g2),
    /** Records of two field elements, which together are one of Fp2. */
    element,
    imaginary: element + FIELD_RECORD,
  }
})

const COMPRESSED = 0x80
const INFINITY = 0x40
const LARGER_Y = 0x20
/** The smallest y that is larger than its negative. */
const UPPER_HALF = fromHex(
  '0d0088f51cbff34d258dd3db21a5d66bb23ba5c279c2895fb39869507b587b120f55ffff58a9ffffdcff7fffffffd556',
)

/**
 * Reads a point of G1 from 48 bytes, its x with three flags in front. Throws RangeError unless they are canonical and the
 * point is in the subgroup.
 */
export function readCompressedG1(to: number, bytes: Uint8Array): void {
  const { mcl, g1, encoding, element } = blsCurve()
  const { calls } = mcl
  const flags = bytes[0] as number
  if (bytes.length !== encoding.valueSize || (flags & COMPRESSED) === 0)
    throw new RangeError('not a compressed point')
  if ((flags & INFINITY) !== 0) {
    if (flags !== (COMPRESSED | INFINITY) || bytes.subarray(1).some((byte) => byte !== 0))
      throw new RangeError('not the encoding of infinity')
    g1.group.calls.clear(to)
    return
  }
  const x = Uint8Array.from(bytes)
  x[0] = flags & 0x1f
  if (!isBelow(x, encoding.order)) throw new RangeError('not a field element')
  const y = to + FIELD_RECORD
  mcl.setField(to, x)
  calls.mclBnFp_setInt32(y, 4)
  calls.mclBnFp_mul(element, to, to)
  calls.mclBnFp_mul(element, element, to)
  calls.mclBnFp_add(element, element, y)
  if (calls.mclBnFp_squareRoot(y, element) !== 0) throw new RangeError('not on the curve')
  const isLarger = !isBelow(mcl.getField(y, encoding.valueSize), UPPER_HALF)
  if (isLarger !== ((flags & LARGER_Y) !== 0)) calls.mclBnFp_neg(y, y)
  calls.mclBnFp_setInt32(y + FIELD_RECORD, 1)
  if (g1.group.calls.isValidOrder(to) === 0) throw new RangeError('not in the subgroup')
}
