/** Signature checks by the Web Cryptography API, which browsers and Node both have. */
import type { AttestationCrypto } from './crypto.ts'

/** The two functions of SubtleCrypto that are used, over any type of key handle. */
type Subtle<Key> = {
  importKey(
    format: 'raw' | 'spki',
    bytes: Uint8Array,
    algorithm: Readonly<Record<string, string>> & { readonly name: string },
    extractable: boolean,
    usages: 'verify'[],
  ): Promise<Key>
  verify(
    algorithm: { readonly name: string; readonly hash?: string; readonly saltLength?: number },
    key: Key,
    signature: Uint8Array,
    message: Uint8Array,
  ): Promise<boolean>
}

/** The checks over an implementation, usually `globalThis.crypto.subtle`. */
export function webCrypto<Key>(subtle: Subtle<Key>): AttestationCrypto {
  return {
    async verifyEcdsa(namedCurve, publicKey, signature, message) {
      const hash = namedCurve === 'P-256' ? 'SHA-256' : 'SHA-384'
      try {
        const algorithm = { name: 'ECDSA', namedCurve }
        const key = await subtle.importKey('raw', publicKey, algorithm, false, ['verify'])
        return await subtle.verify({ name: 'ECDSA', hash }, key, signature, message)
      } catch {
        return false
      }
    },
    async verifyRsaPss(spki, signature, message) {
      try {
        const algorithm = { name: 'RSA-PSS', hash: 'SHA-384' }
        const key = await subtle.importKey('spki', spki, algorithm, false, ['verify'])
        return await subtle.verify({ name: 'RSA-PSS', saltLength: 48 }, key, signature, message)
      } catch {
        return false
      }
    },
  }
}
