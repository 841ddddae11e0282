/** The key store of a home: keys at rest, each under its own passphrase. Nothing here stays decrypted. */
import fs from 'node:fs'
import path from 'node:path'
import { equalBytes } from '../base/bytes.ts'
import { writeFileAtomic } from '../base/files.ts'
import { fromHex, toHexDigits } from '../base/hex.ts'
import { addressOfPrivateKey, isPrivateKey } from '../base/secp256k1.ts'
import { AccountError } from './errors.ts'
import type { ScryptCost } from './kdf.ts'
import { decryptKeyFile, encryptKey, parseKeyFile } from './keyFile.ts'
import { createKeyScanner, keyFileName, openKeyFolder, type FoundKey } from './keyFolder.ts'

export type Keystore = {
  /** Addresses of 20 bytes in the order of their creation; files that are added externally appear automatically. */
  list(): readonly Uint8Array[]
  has(address: Uint8Array): boolean
  /** The 32-byte private key; the caller wipes it. Rejects with AccountError. */
  decrypt(address: Uint8Array, passphrase: string): Promise<Uint8Array>
  /** The encrypted key file, unchanged; undefined for an unknown address. */
  keyFileText(address: Uint8Array): string | undefined
  /** Stores a new key and returns its address. Rejects with AccountError `exists` or `invalid-key`. */
  add(privateKey: Uint8Array, passphrase: string): Promise<Uint8Array>
}

/** Writes a key file with mode 0600, after a test decryption: a key that can't be read back is lost money. */
async function writeKey(
  file: string,
  privateKey: Uint8Array,
  passphrase: string,
  cost: ScryptCost,
): Promise<void> {
  const text = await encryptKey(privateKey, passphrase, cost)
  const parsed = parseKeyFile(text)
  const copy = parsed && (await decryptKeyFile(parsed, passphrase))
  const isReadable = copy !== undefined && equalBytes(copy, privateKey)
  copy?.fill(0)
  if (!isReadable) throw new Error('a new key file could not be decrypted again')
  writeFileAtomic(file, `${text}\n`)
}

/** Opens a folder of keys, which is created if missing. Throws UserError when other users may read it. */
export function openKeystore(folder: string, cost: ScryptCost = 'standard'): Keystore {
  openKeyFolder(folder)
  const scan = createKeyScanner(folder)
  let lastStamp = 0n

  /** Nanoseconds since 1970, never the same twice, so that names keep the order of creation. */
  function nextStamp(): bigint {
    const now = BigInt(Date.now()) * 1_000_000n
    lastStamp = now > lastStamp ? now : lastStamp + 1n
    return lastStamp
  }

  function find(address: Uint8Array): FoundKey | undefined {
    const digits = toHexDigits(address)
    return scan().find((key) => key.address === digits)
  }

  return {
    list: () => scan().map(({ address }) => fromHex(address)),
    has: (address) => find(address) !== undefined,
    keyFileText(address) {
      const found = find(address)
      return found && fs.readFileSync(found.file, 'utf8')
    },
    async decrypt(address, passphrase) {
      const found = find(address)
      if (found === undefined) throw new AccountError('unknown')
      const file = parseKeyFile(fs.readFileSync(found.file, 'utf8'))
      if (file === undefined) throw new AccountError('unsupported-file')
      const key = await decryptKeyFile(file, passphrase)
      if (equalBytes(addressOfPrivateKey(key), address)) return key
      key.fill(0)
      throw new AccountError('unsupported-file', 'its key belongs to another address')
    },
    async add(privateKey, passphrase) {
      if (!isPrivateKey(privateKey)) throw new AccountError('invalid-key')
      const address = addressOfPrivateKey(privateKey)
      if (find(address) !== undefined) throw new AccountError('exists')
      const file = path.join(folder, keyFileName(address, nextStamp()))
      await writeKey(file, privateKey, passphrase, cost)
      return address
    },
  }
}
