/**
 * Proofs of the older network's operators (D32): ECVRF-ED25519-SHA512-TAI as in draft-irtf-cfrg-vrf-04, suite_string 0x03.
 * It differs from RFC 9381 in three places: no 00 at the end of what is hashed for the point and for the output, and a
 * challenge without the public key. Such proofs are only verified, never created.
 */
import { ed25519 } from '@noble/curves/ed25519.js'
import { sha512 } from '@noble/hashes/sha2.js'
import { bytesToBigint, concatBytes, equalBytes } from '../base/bytes.ts'

const { Point } = ed25519
const ORDER = Point.Fn.ORDER
type CurvePoint = InstanceType<typeof Point>

const SUITE = 0x03
const COFACTOR = 8n
const POINT_LENGTH = 32
const CHALLENGE_LENGTH = 16
const PROOF_LENGTH = POINT_LENGTH + CHALLENGE_LENGTH + 32

/**
 * The 64-byte output that a proof (80 bytes: Gamma || c || s, little-endian) encodes, or undefined if it is invalid.
 * The older network's input is the ASCII text of the prompt's SHA-512 in hex. Never throws.
 */
export function verifyLegacyVrf(
  publicKey: Uint8Array,
  alpha: Uint8Array,
  proof: Uint8Array,
): Uint8Array | undefined {
  if (proof.length !== PROOF_LENGTH) return undefined
  const y = decodePoint(publicKey)
  const gamma = decodePoint(proof.subarray(0, POINT_LENGTH))
  const c = proof.subarray(POINT_LENGTH, POINT_LENGTH + CHALLENGE_LENGTH)
  const s = littleEndian(proof.subarray(POINT_LENGTH + CHALLENGE_LENGTH))
  // A key of small order would let its holder prove any output.
  if (y === undefined || gamma === undefined || y.isSmallOrder() || s >= ORDER) return undefined
  const h = encodeToCurve(publicKey, alpha)
  const scalar = littleEndian(c)
  const u = Point.BASE.multiplyUnsafe(s).subtract(y.multiplyUnsafe(scalar))
  const v = h.multiplyUnsafe(s).subtract(gamma.multiplyUnsafe(scalar))
  const points = [h, gamma, u, v].map((point) => point.toBytes())
  const challenge = sha512(concatBytes(Uint8Array.of(SUITE, 2), ...points))
  if (!equalBytes(challenge.subarray(0, CHALLENGE_LENGTH), c)) return undefined
  return sha512(concatBytes(Uint8Array.of(SUITE, 3), gamma.multiplyUnsafe(COFACTOR).toBytes()))
}

function littleEndian(bytes: Uint8Array): bigint {
  return bytesToBigint(bytes.toReversed())
}

function decodePoint(bytes: Uint8Array): CurvePoint | undefined {
  try {
    return Point.fromBytes(bytes, false)
  } catch {
    return undefined
  }
}

function encodeToCurve(publicKey: Uint8Array, alpha: Uint8Array): CurvePoint {
  for (let counter = 0; counter < 256; counter++) {
    const hash = sha512(
      concatBytes(Uint8Array.of(SUITE, 1), publicKey, alpha, Uint8Array.of(counter)),
    )
    const point = decodePoint(hash.subarray(0, POINT_LENGTH))?.multiplyUnsafe(COFACTOR)
    if (point !== undefined && !point.is0()) return point
  }
  throw new RangeError('no point was found for a VRF input in 256 tries')
}
