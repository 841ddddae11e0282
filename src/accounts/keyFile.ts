/** One key under a passphrase, in the format of Ethereum's wallets: Web3 Secret Storage, version 3. */
import {
  createCipheriv,
  createDecipheriv,
  randomBytes,
  randomUUID,
  timingSafeEqual,
} from 'node:crypto'
import { z } from 'zod'
import { concatBytes } from '../base/bytes.ts'
import { toHexDigits, tryFromAnyHex } from '../base/hex.ts'
import { keccak256 } from '../base/keccak.ts'
import { addressOfPrivateKey, isPrivateKey } from '../base/secp256k1.ts'
import { AccountError } from './errors.ts'
import { deriveKey, SCRYPT_COST, type Kdf, type ScryptCost } from './kdf.ts'

const hexBytes = z.string().transform((text, context) => {
  const bytes = tryFromAnyHex(text)
  if (bytes !== undefined) return bytes
  context.addIssue({ code: 'custom', message: 'not hexadecimal' })
  return z.NEVER
})

const common = {
  cipher: z.literal('aes-128-ctr'),
  cipherparams: z.object({ iv: hexBytes }),
  ciphertext: hexBytes,
  mac: hexBytes,
}

const cryptoSection = z.discriminatedUnion('kdf', [
  z.object({
    ...common,
    kdf: z.literal('scrypt'),
    kdfparams: z.object({
      dklen: z.int(),
      n: z.int(),
      r: z.int(),
      p: z.int(),
      salt: hexBytes,
    }),
  }),
  z.object({
    ...common,
    kdf: z.literal('pbkdf2'),
    kdfparams: z.object({
      dklen: z.int(),
      c: z.int(),
      prf: z.literal('hmac-sha256'),
      salt: hexBytes,
    }),
  }),
])

/** Old software spells the section "Crypto"; a file without an address is valid, but not listed. */
const keyFile = z
  .object({
    version: z.literal(3),
    address: hexBytes.optional(),
    crypto: cryptoSection.optional(),
    Crypto: cryptoSection.optional(),
  })
  .transform(({ address, crypto, Crypto }, context) => {
    const section = crypto ?? Crypto
    if (section !== undefined) return { address, crypto: section }
    context.addIssue({ code: 'custom', message: 'no crypto section' })
    return z.NEVER
  })

/** A parsed key file, still encrypted. */
export type KeyFile = z.output<typeof keyFile>

/** Parses a key file; undefined if the string is not one. */
export function parseKeyFile(text: string): KeyFile | undefined {
  try {
    return keyFile.safeParse(JSON.parse(text)).data
  } catch {
    return undefined
  }
}

function kdfOf({ crypto }: KeyFile): Kdf {
  return crypto.kdf === 'scrypt'
    ? { kdf: 'scrypt', ...crypto.kdfparams }
    : { kdf: 'pbkdf2', ...crypto.kdfparams }
}

function macOf(derived: Uint8Array, ciphertext: Uint8Array): Uint8Array {
  return keccak256(concatBytes(derived.subarray(16, 32), ciphertext))
}

/**
 * The 32-byte private key of a file; the caller wipes it. Rejects with AccountError `wrong-passphrase`, or
 * `unsupported-file` when there is no valid key inside or its derivation costs too much.
 */
export async function decryptKeyFile(file: KeyFile, passphrase: string): Promise<Uint8Array> {
  const { cipherparams, ciphertext, mac } = file.crypto
  if (cipherparams.iv.length !== 16 || ciphertext.length !== 32)
    throw new AccountError('unsupported-file', 'it does not contain a 32-byte key')
  const derived = await deriveKey(passphrase, kdfOf(file))
  try {
    const expected = macOf(derived, ciphertext)
    if (mac.length !== expected.length || !timingSafeEqual(mac, expected))
      throw new AccountError('wrong-passphrase')
    const decipher = createDecipheriv('aes-128-ctr', derived.subarray(0, 16), cipherparams.iv)
    const plain = decipher.update(ciphertext)
    const key = new Uint8Array(plain)
    plain.fill(0)
    if (isPrivateKey(key)) return key
    key.fill(0)
    throw new AccountError('unsupported-file', 'it does not contain a valid key')
  } finally {
    derived.fill(0)
  }
}

/** The contents of a new key file for a 32-byte private key. */
export async function encryptKey(
  privateKey: Uint8Array,
  passphrase: string,
  cost: ScryptCost,
): Promise<string> {
  const salt = randomBytes(32)
  const iv = randomBytes(16)
  const kdfparams = { ...SCRYPT_COST[cost], dklen: 32 }
  const derived = await deriveKey(passphrase, { kdf: 'scrypt', ...kdfparams, salt })
  const ciphertext = createCipheriv('aes-128-ctr', derived.subarray(0, 16), iv).update(privateKey)
  const mac = macOf(derived, ciphertext)
  derived.fill(0)
  return JSON.stringify({
    address: toHexDigits(addressOfPrivateKey(privateKey)),
    crypto: {
      cipher: 'aes-128-ctr',
      ciphertext: toHexDigits(ciphertext),
      cipherparams: { iv: toHexDigits(iv) },
      kdf: 'scrypt',
      kdfparams: { ...kdfparams, salt: toHexDigits(salt) },
      mac: toHexDigits(mac),
    },
    id: randomUUID(),
    version: 3,
  })
}
