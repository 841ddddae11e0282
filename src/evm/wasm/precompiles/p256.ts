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
  const base = mcl.reserve(group.record)
  mcl.calls.mclBnG1_getBasePoint(base)
  const scalar = (): number => mcl.reserve(SCALAR_RECORD)
  return {
    mcl,
    group,
    base,
    key: mcl.reserve(group.record),
    sum: mcl.reserve(group.record),
    r: scalar(),
    s: scalar(),
    factor: scalar(),
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
  const { mcl, group, base, key, sum, ...scalars } = curve()
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
  calls.mclBnFr_mul(scalars.factor, scalars.r, scalars.s)
  group.calls.mul(key, key, scalars.factor)
  mcl.setScalar(scalars.factor, digest)
  calls.mclBnFr_mul(scalars.factor, scalars.factor, scalars.s)
  group.calls.mul(sum, base, scalars.factor)
  group.calls.add(sum, sum, key)
  if (group.calls.isZero(sum) === 1) return false
  mcl.setScalar(scalars.x, group.write(sum).subarray(0, WORD))
  return calls.mclBnFr_isEqual(scalars.x, scalars.r) === 1
}
