/** The dispatcher's own key. Operators identify the dispatcher by its address (`dispatcher_address`). */
import { toHex, type Hex } from '../../base/hex.ts'
import { loadOrCreatePrivateKey } from '../../base/privateKey.ts'
import { addressOfPrivateKey } from '../../base/secp256k1.ts'

export type Identity = { readonly privateKey: Uint8Array; readonly address: Hex }

/** Reads the key file (64 hex digits); creates it with mode 0600 if missing. Throws UserError. */
export function loadIdentity(file: string): Identity {
  const privateKey = loadOrCreatePrivateKey(
    file,
    'Restore the key, or remove the file to get a new key; operators must then be given the new dispatcher_address.',
  )
  return { privateKey, address: toHex(addressOfPrivateKey(privateKey)) }
}
