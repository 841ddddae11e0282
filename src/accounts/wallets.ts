/**
 * Software wallets (D15): `keystore://<name>` is a key file `wallet--<name>` in the folder of keys. The pairing
 * password is the passphrase of the file, empty until it is set. An unpaired wallet keeps its file, under a name that
 * is not listed.
 */
import fs from 'node:fs'
import path from 'node:path'
import { systemClock, type Clock } from '../base/clock.ts'
import { writeFileAtomic } from '../base/files.ts'
import { generatePrivateKey } from '../base/privateKey.ts'
import { addressOfPrivateKey } from '../base/secp256k1.ts'
import { createAttempts } from './attempts.ts'
import { AccountError } from './errors.ts'
import type { ScryptCost } from './kdf.ts'
import { decryptKeyFile, encryptKey, parseKeyFile, type KeyFile } from './keyFile.ts'
import { openKeyFolder } from './keyFolder.ts'

export type Wallets = {
  /**
   * Creates a wallet and returns its private key (32 bytes). Rejects with AccountError `wallet-exists`, `wallet-url`.
   */
  initialize(url: string): Promise<Uint8Array>
  /** Sets the password of a wallet that has none, or pairs an unpaired one. Rejects with AccountError. */
  open(url: string, password: string): Promise<void>
  /** Deletes the pairing and returns the account's address. Rejects with AccountError. */
  unpair(url: string, password: string): Promise<Uint8Array>
}

function nameOf(url: string): string {
  const name = /^keystore:\/\/([A-Za-z0-9][A-Za-z0-9_-]{0,63})$/.exec(url)?.[1]
  if (name !== undefined) return name
  throw new AccountError(
    'wallet-url',
    'use keystore://<name>, with up to 64 letters, digits, - and _',
  )
}

function readKeyFile(file: string): KeyFile {
  const parsed = parseKeyFile(fs.readFileSync(file, 'utf8'))
  if (parsed === undefined) throw new AccountError('unsupported-file')
  return parsed
}

/** The wallets of a folder of keys. */
export function createWallets(
  folder: string,
  options: { readonly cost?: ScryptCost; readonly clock?: Pick<Clock, 'sleep'> } = {},
): Wallets {
  const { cost = 'standard', clock = systemClock } = options
  openKeyFolder(folder)
  const attempt = createAttempts(clock)

  /** Path of a wallet's key; the key scan skips names that end in ~. */
  function filesOf(url: string): { readonly paired: string; readonly unpaired: string } {
    const paired = path.join(folder, `wallet--${nameOf(url)}`)
    return { paired, unpaired: `${paired}~` }
  }

  function decrypt(file: string, password: string): Promise<Uint8Array> {
    const keyFile = readKeyFile(file)
    return attempt(keyFile.address ?? new Uint8Array(), () => decryptKeyFile(keyFile, password))
  }

  /** Whether the wallet has no password yet. The node's own guess does not count as an attempt. */
  async function openWithoutPassword(file: string): Promise<Uint8Array | undefined> {
    try {
      return await decryptKeyFile(readKeyFile(file), '')
    } catch (error) {
      if (error instanceof AccountError && error.code === 'wrong-passphrase') return undefined
      throw error
    }
  }

  async function write(file: string, key: Uint8Array, password: string): Promise<void> {
    writeFileAtomic(file, `${await encryptKey(key, password, cost)}\n`)
  }

  return {
    async initialize(url) {
      const { paired, unpaired } = filesOf(url)
      if (fs.existsSync(paired) || fs.existsSync(unpaired)) throw new AccountError('wallet-exists')
      const key = generatePrivateKey()
      await write(paired, key, '')
      return key
    },
    async open(url, password) {
      const { paired, unpaired } = filesOf(url)
      if (fs.existsSync(paired)) {
        const key = (await openWithoutPassword(paired)) ?? (await decrypt(paired, password))
        await write(paired, key, password)
        key.fill(0)
        return
      }
      if (!fs.existsSync(unpaired)) throw new AccountError('unknown-wallet')
      const key = await decrypt(unpaired, password)
      key.fill(0)
      fs.renameSync(unpaired, paired)
    },
    async unpair(url, password) {
      const { paired, unpaired } = filesOf(url)
      if (!fs.existsSync(paired)) throw new AccountError('unknown-wallet')
      const key = await decrypt(paired, password)
      const address = addressOfPrivateKey(key)
      key.fill(0)
      fs.renameSync(paired, unpaired)
      return address
    },
  }
}
