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
import { noblePoints, POINT_LENGTH, type Points } from '../base/secp256k1Points.ts'
import { vrfNonce } from './vrfNonce.ts'

const ORDER = secp256k1.Point.Fn.ORDER

const SUITE = 0xfe
const CHALLENGE_LENGTH = 16
const SCALAR_LENGTH = 32

/** Length of a proof in bytes. */
export const VRF_PROOF_LENGTH = POINT_LENGTH + CHALLENGE_LENGTH + SCALAR_LENGTH

/** A proof (81 bytes) and the random output that it proves (32 bytes). */
export type VrfDraw = { readonly proof: Uint8Array; readonly beta: Uint8Array }

/** The compressed public key (33 bytes) of a VRF key (32 bytes). Throws on an invalid key. */
export function vrfPublicKey(privateKey: Uint8Array): Uint8Array {
  return noblePoints.publicKey(privateKey)
}

export type Vrf = {
  /**
   * Draws for one input. The same key and input always give the same draw.
   * Throws when the key is not 32 bytes in the range of the group.
   */
  prove(privateKey: Uint8Array, alpha: Uint8Array): VrfDraw & { readonly publicKey: Uint8Array }
  /**
   * The 32-byte output of a proof, or undefined if the proof is invalid for this key and input. Never throws: malformed
   * keys and proofs count as invalid. `publicKey` must be in compressed form.
   */
  verify(publicKey: Uint8Array, alpha: Uint8Array, proof: Uint8Array): Uint8Array | undefined
}

/** Draws by a library of points. */
export function createVrf<P>(points: Points<P>): Vrf {
  const { encode, decode } = points
  const encodeToCurve = (publicKey: Uint8Array, alpha: Uint8Array): P => {
    for (let counter = 0; counter < 256; counter++) {
      const x = sha256(
        concatBytes(Uint8Array.of(SUITE, 1), publicKey, alpha, Uint8Array.of(counter, 0)),
      )
      const point = decode(concatBytes(Uint8Array.of(2), x))
      if (point !== undefined) return point
    }
    // Each try succeeds with probability 1/2.
    throw new RangeError('no point was found for a VRF input in 256 tries')
  }
  const challenge = (publicKey: Uint8Array, ...of: readonly P[]): Uint8Array => {
    const parts = of.map(encode)
    return sha256(
      concatBytes(Uint8Array.of(SUITE, 2), publicKey, ...parts, Uint8Array.of(0)),
    ).slice(0, CHALLENGE_LENGTH)
  }
  const output = (gamma: P): Uint8Array =>
    sha256(concatBytes(Uint8Array.of(SUITE, 3), encode(gamma), Uint8Array.of(0)))

  return {
    prove(privateKey, alpha) {
      const publicKey = points.publicKey(privateKey)
      const x = bytesToBigint(privateKey)
      const h = encodeToCurve(publicKey, alpha)
      const gamma = points.multiplySecret(x, h)
      const k = vrfNonce(privateKey, encode(h))
      const [u, v] = [points.multiplySecret(k), points.multiplySecret(k, h)]
      const c = challenge(publicKey, h, gamma, u, v)
      const s = (k + bytesToBigint(c) * x) % ORDER
      return {
        publicKey,
        proof: concatBytes(encode(gamma), c, bigintToFixedBytes(s, SCALAR_LENGTH)),
        beta: output(gamma),
      }
    },
    verify(publicKey, alpha, proof) {
      if (proof.length !== VRF_PROOF_LENGTH) return undefined
      const y = decode(publicKey)
      const gamma = decode(proof.slice(0, POINT_LENGTH))
      const c = proof.subarray(POINT_LENGTH, POINT_LENGTH + CHALLENGE_LENGTH)
      const s = bytesToBigint(proof.subarray(POINT_LENGTH + CHALLENGE_LENGTH))
      if (y === undefined || gamma === undefined || s >= ORDER) return undefined
      const scalar = bytesToBigint(c)
      const h = encodeToCurve(publicKey, alpha)
      const u = points.difference(s, scalar, y)
      const v = points.difference(s, scalar, gamma, h)
      // The identity has no SEC1 form here; an honest prover meets it with probability 2^-256.
      if (u === undefined || v === undefined) return undefined
      return equalBytes(challenge(publicKey, h, gamma, u, v), c) ? output(gamma) : undefined
    },
  }
}

/** Draws by the portable library, which runs in a page, too. */
export const { prove: proveVrf, verify: verifyVrf } = createVrf(noblePoints)

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
