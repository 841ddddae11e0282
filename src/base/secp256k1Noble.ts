/** secp256k1 in plain JavaScript: runs where the native library does not, and is its oracle in tests (D38). */
import { secp256k1 as curve } from '@noble/curves/secp256k1.js'
import type { Secp256k1 } from './secp256k1Curve.ts'

/** The portable library behind the common interface. */
export const nobleSecp256k1: Secp256k1 = {
  publicKey: (secret) => curve.getPublicKey(secret, false),
  isPrivateKey: (secret) => curve.utils.isValidSecretKey(secret),
  sign(digest, secret) {
    const signature = curve.sign(digest, secret, {
      prehash: false,
      lowS: true,
      format: 'recovered',
    })
    return { compact: signature.subarray(1), yParity: signature[0] as number }
  },
  recover(digest, compact, yParity) {
    try {
      return curve.Signature.fromBytes(compact, 'compact')
        .addRecoveryBit(yParity)
        .recoverPublicKey(digest)
        .toBytes(false)
    } catch {
      return undefined
    }
  },
}
