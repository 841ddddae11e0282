/** Authenticated encryption of one value: AES-256-GCM (NIST SP 800-38D) with a random nonce. */
import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto'

const VERSION = 1
const NONCE_BYTES = 12
const TAG_BYTES = 16
const HEAD_BYTES = 1 + NONCE_BYTES + TAG_BYTES

/**
 * The bytes were not sealed with this key for this place, or were modified. The message contains neither key nor
 * content.
 */
export class SealError extends Error {
  override readonly name = 'SealError'
}

/**
 * Encrypts `plain` under a 32-byte key: version, 12-byte nonce, 16-byte tag, ciphertext. `place` identifies what the
 * bytes are, so that they cannot be moved elsewhere.
 */
export function seal(key: Uint8Array, place: string, plain: Uint8Array): Buffer {
  const nonce = randomBytes(NONCE_BYTES)
  const cipher = createCipheriv('aes-256-gcm', key, nonce).setAAD(Buffer.from(place))
  const text = Buffer.concat([cipher.update(plain), cipher.final()])
  return Buffer.concat([Buffer.of(VERSION), nonce, cipher.getAuthTag(), text])
}

/** Whether bytes have the format of a sealed value; JSON never does. */
export function isSealed(bytes: Uint8Array): boolean {
  return bytes[0] === VERSION && bytes.length >= HEAD_BYTES
}

/** Decrypts the output of `seal` for the same place. Throws SealError. */
export function unseal(key: Uint8Array, place: string, sealed: Uint8Array): Buffer {
  if (!isSealed(sealed)) throw new SealError('these bytes are not sealed')
  try {
    const decipher = createDecipheriv('aes-256-gcm', key, sealed.subarray(1, 1 + NONCE_BYTES))
      .setAAD(Buffer.from(place))
      .setAuthTag(sealed.subarray(1 + NONCE_BYTES, HEAD_BYTES))
    return Buffer.concat([decipher.update(sealed.subarray(HEAD_BYTES)), decipher.final()])
  } catch {
    throw new SealError('these bytes do not open with this key')
  }
}
