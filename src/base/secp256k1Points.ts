/**
 * Points of secp256k1: what draws need besides signatures. The native library is ten times as fast (secp256k1NativePoints.ts), this
 * one runs everywhere and is its oracle in tests (D38).
 */
import { secp256k1 } from '@noble/curves/secp256k1.js'

const { Point } = secp256k1
/** Length of a point in compressed form (SEC1), in bytes. */
export const POINT_LENGTH = 33

/** Arithmetic with points `P` of a library; none of them is the identity. Scalars are below the order of the group. */
export type Points<P> = {
  /** The 33-byte public key of a private key. Throws on an invalid one. */
  publicKey(secret: Uint8Array): Uint8Array
  /** The point that 33 bytes are the compressed form of, if any. */
  decode(bytes: Uint8Array): P | undefined
  encode(point: P): Uint8Array
  /** The product of a point, by default the base point, with a secret scalar other than 0, in a time that does not tell the scalar. */
  multiplySecret(scalar: bigint, point?: P): P
  /** `a`·A − `b`·B of public values, A by default the base point; undefined for the identity. */
  difference(a: bigint, b: bigint, B: P, A?: P): P | undefined
}

type NoblePoint = InstanceType<typeof Point>

/** The portable library. */
export const noblePoints: Points<NoblePoint> = {
  publicKey: (secret) => secp256k1.getPublicKey(secret, true),
  decode(bytes) {
    if (bytes.length !== POINT_LENGTH) return undefined
    try {
      const point = Point.fromBytes(bytes)
      return point.is0() ? undefined : point
    } catch {
      return undefined
    }
  },
  encode: (point) => point.toBytes(true),
  multiplySecret: (scalar, point = Point.BASE) => point.multiply(scalar),
  difference(a, b, B, A = Point.BASE) {
    // Both products at once: one chain of doublings, and no table of the base point, which would cost more than one
    // proof.
    const point = A.mulAddUnsafe(a, B.negate(), b)
    return point.is0() ? undefined : point
  },
}
