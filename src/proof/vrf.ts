/**
 * The verifiable draw of an operator (D31, D32): ECVRF-SECP256K1-SHA256-TAI.
 *
 * The construction is RFC 9381 with these suite parameters (the RFC itself names no secp256k1 suite):
 *
 * - suite_string 0xFE; hash SHA-256; points in 33-byte SEC1 form; integers big-endian; cofactor 1; cLen 16, qLen 32.
 * - encode_to_curve (5.4.1.1, try and increment): SHA-256(0xFE 01 || PK || alpha || ctr || 00) is read as the x of a point with even y.
 * - challenge (5.4.3): first 16 bytes of SHA-256(0xFE 02 || PK || H || Gamma || U || V || 00). It binds the public key,
 *   unlike the draft-05 form that some contracts use.
 * - output (5.2): beta = SHA-256(0xFE 03 || Gamma || 00), 32 bytes.
 * - proof: Gamma (33) || c (16) || s (32), 81 bytes.
 *
 * The operator's signing key is its VRF key, so the public key hashes to its address and needs no registration.
 */
import { secp256k1 } from '@noble/curves/secp256k1.js'
import { sha256 } from '@noble/hashes/sha2.js'
import { bigintToFixedBytes, bytesToBigint, concatBytes, equalBytes, utf8 } from '../base/bytes.ts'
import { keccak256 } from '../base/keccak.ts'
import { vrfNonce } from './vrfNonce.ts'

const { Point } = secp256k1
const ORDER = Point.Fn.ORDER
type CurvePoint = InstanceType<typeof Point>

const SUITE = 0xfe
const POINT_LENGTH = 33
const CHALLENGE_LENGTH = 16
const SCALAR_LENGTH = 32

/** Length of a proof in bytes. */
export const VRF_PROOF_LENGTH = POINT_LENGTH + CHALLENGE_LENGTH + SCALAR_LENGTH

/** A proof (81 bytes) and the random output that it proves (32 bytes). */
export type VrfDraw = { readonly proof: Uint8Array; readonly beta: Uint8Array }

/** The compressed public key (33 bytes) of a VRF key (32 bytes). Throws on an invalid key. */
export function vrfPublicKey(privateKey: Uint8Array): Uint8Array {
  return secp256k1.getPublicKey(privateKey, true)
}

/**
 * Draws for one input. The same key and input always give the same draw.
 * Throws when the key is not 32 bytes in the range of the group.
 */
export function proveVrf(privateKey: Uint8Array, alpha: Uint8Array): VrfDraw {
  const publicKey = vrfPublicKey(privateKey)
  const x = bytesToBigint(privateKey)
  const h = encodeToCurve(publicKey, alpha)
  const gamma = h.multiply(x)
  const k = vrfNonce(privateKey, encodePoint(h))
  const c = challenge(publicKey, h, gamma, Point.BASE.multiply(k), h.multiply(k))
  const s = (k + bytesToBigint(c) * x) % ORDER
  return {
    proof: concatBytes(encodePoint(gamma), c, bigintToFixedBytes(s, SCALAR_LENGTH)),
    beta: output(gamma),
  }
}

/**
 * The 32-byte output of a proof, or undefined if the proof is invalid for this key and input. Never throws: malformed
 * keys and proofs count as invalid. `publicKey` must be in compressed form.
 */
export function verifyVrf(
  publicKey: Uint8Array,
  alpha: Uint8Array,
  proof: Uint8Array,
): Uint8Array | undefined {
  if (proof.length !== VRF_PROOF_LENGTH) return undefined
  const y = decodePoint(publicKey)
  const gamma = decodePoint(proof.subarray(0, POINT_LENGTH))
  const c = proof.subarray(POINT_LENGTH, POINT_LENGTH + CHALLENGE_LENGTH)
  const s = bytesToBigint(proof.subarray(POINT_LENGTH + CHALLENGE_LENGTH))
  if (y === undefined || gamma === undefined || s >= ORDER) return undefined
  const scalar = bytesToBigint(c)
  const h = encodeToCurve(publicKey, alpha)
  // Both products at once: one chain of doublings, and no table of the base point, which would cost more than this
  // proof.
  const u = Point.BASE.mulAddUnsafe(s, y.negate(), scalar)
  const v = h.mulAddUnsafe(s, gamma.negate(), scalar)
  // The identity has no SEC1 form here; an honest prover meets it with probability 2^-256.
  if (u.is0() || v.is0()) return undefined
  return equalBytes(challenge(publicKey, h, gamma, u, v), c) ? output(gamma) : undefined
}

/**
 * Input of a draw: 32-byte values. `seed` is the dispatcher's nonce, so no operator can try inputs; `blockHash` is that
 * of a block after the submission, so that the dispatcher cannot try nonces (D32).
 */
export type VrfInput = {
  readonly jobId: Uint8Array
  readonly seed: Uint8Array
  readonly promptHash: Uint8Array
  readonly blockHash?: Uint8Array
}

/**
 * The VRF input of one assignment: Keccak-256("Assay/vrf-alpha/v1" 00 || jobId || seed || promptHash), or with a block
 * Keccak-256("Assay/vrf-alpha/v2" 00 || jobId || seed || promptHash || blockHash). Throws RangeError on other lengths.
 */
export function vrfAlpha({ jobId, seed, promptHash, blockHash }: VrfInput): Uint8Array {
  const parts = [jobId, seed, promptHash, ...(blockHash === undefined ? [] : [blockHash])]
  for (const part of parts)
    if (part.length !== 32) throw new RangeError('a VRF input is made of 32-byte values')
  const label = `Assay/vrf-alpha/v${blockHash === undefined ? 1 : 2}\0`
  return keccak256(concatBytes(utf8(label), ...parts))
}

function encodePoint(point: CurvePoint): Uint8Array {
  return point.toBytes(true)
}

function decodePoint(bytes: Uint8Array): CurvePoint | undefined {
  if (bytes.length !== POINT_LENGTH) return undefined
  try {
    const point = Point.fromBytes(bytes)
    return point.is0() ? undefined : point
  } catch {
    return undefined
  }
}

function encodeToCurve(publicKey: Uint8Array, alpha: Uint8Array): CurvePoint {
  for (let counter = 0; counter < 256; counter++) {
    const x = sha256(
      concatBytes(Uint8Array.of(SUITE, 1), publicKey, alpha, Uint8Array.of(counter, 0)),
    )
    const point = decodePoint(concatBytes(Uint8Array.of(2), x))
    if (point !== undefined) return point
  }
  // Each try succeeds with probability 1/2.
  throw new RangeError('no point was found for a VRF input in 256 tries')
}

function challenge(publicKey: Uint8Array, ...points: readonly CurvePoint[]): Uint8Array {
  const parts = points.map(encodePoint)
  return sha256(concatBytes(Uint8Array.of(SUITE, 2), publicKey, ...parts, Uint8Array.of(0))).slice(
    0,
    CHALLENGE_LENGTH,
  )
}

function output(gamma: CurvePoint): Uint8Array {
  return sha256(concatBytes(Uint8Array.of(SUITE, 3), encodePoint(gamma), Uint8Array.of(0)))
}
