/** The ten development accounts (D40). Their keys are public knowledge: only for chains without anything of value. */
import fs from 'node:fs'
import path from 'node:path'
import { writeFileAtomic } from '../base/files.ts'
import { fromHex } from '../base/hex.ts'
import { addressOfPrivateKey } from '../base/secp256k1.ts'
import { encryptKey } from './keyFile.ts'
import { keyFileName, openKeyFolder } from './keyFolder.ts'

/** The common mnemonic of development chains. */
export const DEVELOPMENT_MNEMONIC = 'test test test test test test test test test test test junk'

// m/44'/60'/0'/0/0 to 9 of the mnemonic. Written out, because deriving them would cost every start a tenth of a second.
const KEYS = [
  'ac0974bec39a17e36ba4a6b4d238ff944bacb478cbed5efcae784d7bf4f2ff80',
  '59c6995e998f97a5a0044966f0945389dc9e86dae88c7a8412f4603b6b78690d',
  '5de4111afa1a4b94908f83103eb1f1706367c2e68ca870fc3fb9a804cdab365a',
  '7c852118294e51e653712a81e05800f419141751be58f605c371e15141b007a6',
  '47e179ec197488593b187f80a00eb0da91f1b9d0b13f8733639f19c30a34926a',
  '8b3a350cf5c34c9194ca85829a2df0ec3153be0318b5e2d3348e872092edffba',
  '92db14e403b83dfe3df233f83dfa3a0d7096f21ca9b0d6d6b8d88b2b4ec1564e',
  '4bbbf85ce3377467afe5d46f804f221813b2bb87f24d81f60f1fcdbf7cbf4356',
  'dbda1821b80551c9d65939329250298aa3472ba22feea921c0cf5d620ea67b97',
  '2a871d0798f97d79848a013d4936a73bf4cc922c825d33c1cf7073dff6d409c6',
]

/** The private keys, 32 bytes each, as new arrays that the caller may wipe. */
export function developmentKeys(): readonly Uint8Array[] {
  return KEYS.map((key) => fromHex(key))
}

/**
 * Writes the key files of the development accounts that a folder lacks, under one passphrase and light scrypt, and
 * returns all ten addresses in order. Their names contain the first nanoseconds of 1970, so they are listed before all
 * others.
 */
export async function createDevelopmentAccounts(
  folder: string,
  passphrase: string,
): Promise<readonly Uint8Array[]> {
  openKeyFolder(folder)
  return await Promise.all(
    developmentKeys().map(async (key, index) => {
      const address = addressOfPrivateKey(key)
      const file = path.join(folder, keyFileName(address, BigInt(index)))
      if (!fs.existsSync(file))
        writeFileAtomic(file, `${await encryptKey(key, passphrase, 'light')}\n`)
      return address
    }),
  )
}
