/**
 * ECDSA over secp256r1 (P-256), for P256VERIFY (0x100, EIP-7951). node:crypto multiplies faster than WebAssembly can,
 * but cannot verify an already computed digest: the curve library does the rest.
 */
import { fromHex } from '../../../base/hex.ts'
import { multiplyBaseP256, multiplyP256 } from '../../../base/p256.ts'
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
  const point = (): number => mcl.reserve(group.record)
  const scalar = (): number => mcl.reserve(SCALAR_RECORD)
  return { mcl, group, key: point(), multiple: point(), r: scalar(), s: scalar(), x: scalar(), ratio: scalar() } // prettier-ignore
})

/**
 * Whether r and s (32 bytes each) sign a 32-byte digest with the public key (64 bytes, x and y). High s is accepted;
 * values out of range or not on the curve are invalid.
 */
export function isP256Signature(
  digest: Uint8Array,
  r: Uint8Array,
  s: Uint8Array,
  publicKey: Uint8Array,
): boolean {
  if (!isBelow(r, GROUP_ORDER) || !isBelow(s, GROUP_ORDER)) return false
  const { mcl, group, key, multiple, ratio, ...scalars } = curve()
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
  // Signed is digest/s * base + r/s * key = r/s * (digest/r * base + key), whose x must be r: node:crypto returns only
  // x of the last multiplication.
  mcl.setScalar(ratio, digest)
  calls.mclBnFr_inv(scalars.x, scalars.r)
  calls.mclBnFr_mul(ratio, ratio, scalars.x)
  if (calls.mclBnFr_isZero(ratio) === 0) {
    group.read(multiple, multiplyBaseP256(mcl.getScalar(ratio)))
    group.calls.add(key, key, multiple)
  }
  if (group.calls.isZero(key) === 1) return false
  calls.mclBnFr_inv(ratio, scalars.s)
  calls.mclBnFr_mul(ratio, ratio, scalars.r)
  mcl.setScalar(scalars.x, multiplyP256(group.write(key), mcl.getScalar(ratio)))
  return calls.mclBnFr_isEqual(scalars.x, scalars.r) === 1
}
