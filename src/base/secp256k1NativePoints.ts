/** Points of secp256k1 by the native library (D38, D153). */
import { createRequire } from 'node:module'
import { bigintToFixedBytes, concatBytes } from './bytes.ts'
import { noblePoints, POINT_LENGTH, type Points } from './secp256k1Points.ts'

type Bindings = {
  publicKeyCreate(secret: Uint8Array, compressed: boolean): Uint8Array
  publicKeyVerify(point: Uint8Array): boolean
  publicKeyNegate(point: Uint8Array, compressed: boolean): Uint8Array
  publicKeyTweakMul(point: Uint8Array, scalar: Uint8Array, compressed: boolean): Uint8Array
  publicKeyCombine(points: readonly Uint8Array[], compressed: boolean): Uint8Array
  ecdh(
    point: Uint8Array,
    scalar: Uint8Array,
    options: { readonly hashfn: (x: Uint8Array, y: Uint8Array) => Uint8Array },
    output: Uint8Array,
  ): Uint8Array
}

/** The base point, in compressed form. */
const BASE = noblePoints.publicKey(bigintToFixedBytes(1n, 32))
const scalarBytes = (scalar: bigint): Uint8Array => bigintToFixedBytes(scalar, 32)

/** Points as 33 bytes, or undefined on a platform without a prebuilt addon. */
export function loadNativePoints(): Points<Uint8Array> | undefined {
  let bindings: Bindings
  try {
    bindings = createRequire(import.meta.url)('secp256k1/bindings.js') as Bindings
  } catch {
    return undefined
  }
  return {
    publicKey: (secret) => bindings.publicKeyCreate(secret, true),
    decode: (bytes) =>
      bytes.length === POINT_LENGTH && bindings.publicKeyVerify(bytes) ? bytes : undefined,
    encode: (point) => point,
    // The library's only product in constant time is that of a key agreement.
    multiplySecret: (scalar, point = BASE) =>
      bindings.ecdh(point, scalarBytes(scalar), { hashfn: compress }, new Uint8Array(POINT_LENGTH)),
    difference(a, b, B, A = BASE) {
      try {
        const first = bindings.publicKeyTweakMul(A, scalarBytes(a), true)
        const second = bindings.publicKeyTweakMul(B, scalarBytes(b), true)
        return bindings.publicKeyCombine([first, bindings.publicKeyNegate(second, true)], true)
      } catch {
        // The library has no identity, neither as a product nor as a sum.
        const [from, minus] = [noblePoints.decode(A), noblePoints.decode(B)]
        const point = from && minus && noblePoints.difference(a, b, minus, from)
        return point && noblePoints.encode(point)
      }
    },
  }
}

function compress(x: Uint8Array, y: Uint8Array): Uint8Array {
  return concatBytes(Uint8Array.of(2 + ((y[31] as number) & 1)), x)
}
