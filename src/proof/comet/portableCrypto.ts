/** The cryptography of consensus in plain JavaScript, the same in Node and in a page. */
import { ed25519 } from '@noble/curves/ed25519.js'
import { sha256 } from '@noble/hashes/sha2.js'
import type { CometCrypto } from './crypto.ts'

const KEY_LENGTH = 32
const SIGNATURE_LENGTH = 64

/** As CometBFT judges signatures: by ZIP-215. */
export const portableCrypto: CometCrypto = {
  sha256,
  verifyEd25519: (key, message, signature) =>
    key.length === KEY_LENGTH &&
    signature.length === SIGNATURE_LENGTH &&
    ed25519.verify(signature, message, key, { zip215: true }),
}
