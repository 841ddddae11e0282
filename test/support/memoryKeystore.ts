/** A key store in memory: passphrases are compared, nothing is derived. */
import { toHexDigits } from '../../src/base/hex.ts'
import { addressOfPrivateKey } from '../../src/base/secp256k1.ts'
import { AccountError } from '../../src/accounts/errors.ts'
import type { Keystore } from '../../src/accounts/keystore.ts'

/** A store that holds the given keys, each with its passphrase. */
export function createMemoryKeystore(
  keys: readonly (readonly [Uint8Array, string])[] = [],
): Keystore {
  const entries = new Map(
    keys.map(([key, passphrase]) => {
      const address = addressOfPrivateKey(key)
      return [toHexDigits(address), { address, key, passphrase }] as const
    }),
  )
  return {
    list: () => [...entries.values()].map(({ address }) => address),
    has: (address) => entries.has(toHexDigits(address)),
    keyFileText: () => undefined,
    async decrypt(address, passphrase) {
      const entry = entries.get(toHexDigits(address))
      if (entry === undefined) throw new AccountError('unknown')
      if (entry.passphrase !== passphrase) throw new AccountError('wrong-passphrase')
      return entry.key.slice()
    },
    async add(privateKey, passphrase) {
      const address = addressOfPrivateKey(privateKey)
      entries.set(toHexDigits(address), { address, key: privateKey.slice(), passphrase })
      return address
    },
  }
}
