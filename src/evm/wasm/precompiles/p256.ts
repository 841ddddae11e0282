/** ECDSA over secp256r1 (P-256), for P256VERIFY (0x100, EIP-7951). */
import { fromHex } from '../../../base/hex.ts'
import { CURVE, loadMcl, SCALAR_RECORD } from './mcl.ts'
import { once } from './once.ts'
import { createGroup, isBelow } from './points.ts'

const WORD = 32
const FIELD_ORDER = fromHex('ffffffff00000001000000000000000000000000ffffffffffffffffffffffff')
const GROUP_ORDER = fromHex('ffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551')

const curve = once(() => {
  const mcl = loadMcl(CURVE.p256)
  const group = createGroup(mcl, mcl.g1, {
    degree: 1,
    fieldSize: WORD,
    valueSize: WORD,
    order: FIELD_ORDER,
    isImaginaryFirst: false,
  })
  // The base point and the key stand side by side, and so do their factors.
  const points = mcl.reserve(2 * group.record)
  const factors = mcl.reserve(2 * SCALAR_RECORD)
  mcl.calls.mclBnG1_getBasePoint(points)
  const base = mcl.reserve(group.record)
  mcl.copy(base, points, group.record)
  const scalar = (): number => mcl.reserve(SCALAR_RECORD)
  return {
    mcl,
    group,
    base,
    points,
    key: points + group.record,
    factors,
    sum: mcl.reserve(group.record),
    r: scalar(),
    s: scalar(),
    x: scalar(),
  }
})

/**
 * Whether r and s (32 bytes each) sign a 32-byte digest with the public key (64 bytes, x and y). High s is accepted; what is
 * out of range or not on the curve is no signature.
 */
export function isP256Signature(
  digest: Uint8Array,
  r: Uint8Array,
  s: Uint8Array,
  publicKey: Uint8Array,
): boolean {
  if (!isBelow(r, GROUP_ORDER) || !isBelow(s, GROUP_ORDER)) return false
  const { mcl, group, base, points, key, factors, sum, ...scalars } = curve()
  const { calls } = mcl
  mcl.setScalar(scalars.r, r)
  mcl.setScalar(scalars.s, s)
  if (calls.mclBnFr_isZero(scalars.r) === 1 || calls.mclBnFr_isZero(scalars.s) === 1) return false
  try {
    group.read(key, publicKey)
  } catch {
    return false
  }
  if (group.calls.isZero(key) === 1) return false
  // The point digest/s * base + r/s * key has r as its first coordinate, modulo the group's order.
  calls.mclBnFr_inv(scalars.s, scalars.s)
  mcl.setScalar(factors, digest)
  calls.mclBnFr_mul(factors, factors, scalars.s)
  calls.mclBnFr_mul(factors + SCALAR_RECORD, scalars.r, scalars.s)
  mcl.copy(points, base, group.record)
  group.calls.mulVec(sum, points, factors, 2)
  if (group.calls.isZero(sum) === 1) return false
  mcl.setScalar(scalars.x, group.write(sum).subarray(0, WORD))
  return calls.mclBnFr_isEqual(scalars.x, scalars.r) === 1
}
