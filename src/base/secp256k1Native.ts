/**
 * libsecp256k1 as a native addon (D38). Only `bindings.js` is loaded: the package's index falls back to elliptic, whose
 * results differ on malleable inputs.
 */
import { createRequire } from 'node:module'
import type { Secp256k1 } from './secp256k1Curve.ts'

type Bindings = {
  privateKeyVerify(secret: Uint8Array): boolean
  publicKeyCreate(secret: Uint8Array, compressed: boolean): Uint8Array
  ecdsaSign(digest: Uint8Array, secret: Uint8Array): { signature: Uint8Array; recid: number }
  ecdsaRecover(
    compact: Uint8Array,
    recid: number,
    digest: Uint8Array,
    compressed: boolean,
  ): Uint8Array
}

/** The native library, or undefined on a platform without a prebuilt addon. */
export function loadNativeSecp256k1(): Secp256k1 | undefined {
  let bindings: Bindings
  try {
    bindings = createRequire(import.meta.url)('secp256k1/bindings.js') as Bindings
  } catch {
    return undefined
  }
  return {
    publicKey: (secret) => bindings.publicKeyCreate(secret, false),
    isPrivateKey: (secret) => secret.length === 32 && bindings.privateKeyVerify(secret),
    sign(digest, secret) {
      const { signature, recid } = bindings.ecdsaSign(digest, secret)
      return { compact: signature, yParity: recid }
    },
    recover(digest, compact, yParity) {
      try {
        return bindings.ecdsaRecover(compact, yParity, digest, false)
      } catch {
        return undefined
      }
    },
  }
}
