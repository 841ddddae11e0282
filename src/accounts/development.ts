/** The ten development accounts (D40). Their keys are public knowledge: for chains that hold nothing of value. */
import fs from 'node:fs'
import path from 'node:path'
import { HDKey } from '@scure/bip32'
import { mnemonicToSeedWebcrypto } from '@scure/bip39'
import { writeFileAtomic } from '../base/files.ts'
import { addressOfPrivateKey } from '../base/secp256k1.ts'
import { encryptKey } from './keyFile.ts'
import { keyFileName, openKeyFolder } from './keyFolder.ts'

/** The mnemonic that development chains share. */
export const DEVELOPMENT_MNEMONIC = 'test test test test test test test test test test test junk'

const ACCOUNT_PATH = "m/44'/60'/0'/0"
const COUNT = 10

/** The private keys of m/44'/60'/0'/0/0 to 9 (BIP-32, BIP-39, BIP-44), 32 bytes each. */
export async function developmentKeys(): Promise<readonly Uint8Array[]> {
  const seed = await mnemonicToSeedWebcrypto(DEVELOPMENT_MNEMONIC)
  const parent = HDKey.fromMasterSeed(seed).derive(ACCOUNT_PATH)
  return Array.from({ length: COUNT }, (_, index) => {
    const { privateKey } = parent.deriveChild(index)
    if (privateKey === null) throw new Error('a derived node lacks its private key')
    return privateKey
  })
}

/**
 * Writes the key files of the development accounts that a folder lacks, under one passphrase and light scrypt, and gives
 * all ten addresses in order. Their names carry the first nanoseconds of 1970, so they are listed before all others.
 */
export async function createDevelopmentAccounts(
  folder: string,
  passphrase: string,
): Promise<readonly Uint8Array[]> {
  openKeyFolder(folder)
  const keys = await developmentKeys()
  return await Promise.all(
    keys.map(async (key, index) => {
      const address = addressOfPrivateKey(key)
      const file = path.join(folder, keyFileName(address, BigInt(index)))
      if (!fs.existsSync(file))
        writeFileAtomic(file, `${await encryptKey(key, passphrase, 'light')}\n`)
      return address
    }),
  )
}
