/** The cryptography of consensus, in plain JavaScript. */
import { ed25519 } from '@noble/curves/ed25519.js'
import type { CometCrypto } from '../../../src/proof/comet/crypto.ts'
import { sha256 } from './hashes.ts'

const KEY_LENGTH = 32
const SIGNATURE_LENGTH = 64

/** As CometBFT judges signatures: by ZIP-215. */
export const pageCrypto: CometCrypto = {
  sha256,
  verifyEd25519: (key, message, signature) =>
    key.length === KEY_LENGTH &&
    signature.length === SIGNATURE_LENGTH &&
    ed25519.verify(signature, message, key, { zip215: true }),
}
