/** The dispatcher's own key: its address is what operators know it by (`dispatcher_address`). */
import { toHex, type Hex } from '../../base/hex.ts'
import { loadOrCreatePrivateKey } from '../../base/privateKey.ts'
import { addressOfPrivateKey } from '../../base/secp256k1.ts'

export type Identity = { readonly privateKey: Uint8Array; readonly address: Hex }

/** Reads the key file (64 hex digits); makes one with mode 0600 when there is none. Throws UserError. */
export function loadIdentity(file: string): Identity {
  const privateKey = loadOrCreatePrivateKey(
    file,
    'Put the key back, or remove the file to get a new key; operators must then be told the new dispatcher_address.',
  )
  return { privateKey, address: toHex(addressOfPrivateKey(privateKey)) }
}
