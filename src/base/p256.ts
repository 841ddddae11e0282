/** Multiplication on the curve secp256r1 (P-256) by node:crypto, which offers it only through key exchange. */
import { createECDH } from 'node:crypto'

const exchange = createECDH('prime256v1')
/** Prefix of an uncompressed point. */
const UNCOMPRESSED = 4

/**
 * The base point times a scalar (32 bytes, neither zero nor at least the group order): x and y, 64 bytes. Throws Error
 * for other scalars.
 */
export function multiplyBaseP256(scalar: Uint8Array): Uint8Array {
  exchange.setPrivateKey(scalar)
  return Uint8Array.from(exchange.getPublicKey().subarray(1))
}

/** The x of a point (x and y, 64 bytes) times such a scalar: 32 bytes. Throws Error when it is not on the curve. */
export function multiplyP256(point: Uint8Array, scalar: Uint8Array): Uint8Array {
  exchange.setPrivateKey(scalar)
  const encoded = new Uint8Array(1 + point.length)
  encoded[0] = UNCOMPRESSED
  encoded.set(point, 1)
  return Uint8Array.from(exchange.computeSecret(encoded))
}
