/** The dispatcher's own key: its address is what operators know it by (`dispatcher_address`). */
import { randomBytes } from 'node:crypto'
import { existsSync, readFileSync } from 'node:fs'
import { UserError } from '../../base/errors.ts'
import { writeFileAtomic } from '../../base/files.ts'
import { toHex, tryFromHex, tryFromHexDigits, type Hex } from '../../base/hex.ts'
import { addressOfPrivateKey, isPrivateKey } from '../../base/secp256k1.ts'

export type Identity = { readonly privateKey: Uint8Array; readonly address: Hex }

/** Reads the key file (64 hex digits); makes one with mode 0600 when there is none. Throws UserError on another content. */
export function loadIdentity(file: string): Identity {
  if (!existsSync(file)) writeFileAtomic(file, `${randomBytes(32).toString('hex')}\n`)
  const text = readFileSync(file, 'utf8').trim()
  const privateKey = tryFromHex(text) ?? tryFromHexDigits(text)
  if (privateKey === undefined || !isPrivateKey(privateKey))
    throw new UserError(
      `${file} does not hold a private key of 64 hex digits`,
      'Put the key back, or remove the file to get a new key; operators must then be told the new dispatcher_address.',
    )
  return { privateKey, address: toHex(addressOfPrivateKey(privateKey)) }
}
