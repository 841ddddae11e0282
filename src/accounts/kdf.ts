/**
 * Key derivation from passphrases: scrypt (RFC 7914) and PBKDF2 (RFC 8018), with a limit on the cost that a file may
 * require.
 */
import { pbkdf2, scrypt } from 'node:crypto'
import { promisify } from 'node:util'
import { scryptAsync as portableScrypt } from '@noble/hashes/scrypt.js'
import { createSerialQueue } from '../base/serialQueue.ts'
import { AccountError } from './errors.ts'

/** Parameters of a derivation; `dklen` is the length of the result in bytes. */
export type Kdf =
  | {
      readonly kdf: 'scrypt'
      readonly n: number
      readonly r: number
      readonly p: number
      readonly dklen: number
      readonly salt: Uint8Array
    }
  | {
      readonly kdf: 'pbkdf2'
      readonly c: number
      readonly dklen: number
      readonly salt: Uint8Array
    }

/** go-ethereum's two strengths: 0.9 s and 256 MiB, or 0.1 s and 4 MiB. */
export const SCRYPT_COST = {
  standard: { n: 2 ** 18, r: 8, p: 1 },
  light: { n: 2 ** 12, r: 8, p: 6 },
} as const

export type ScryptCost = keyof typeof SCRYPT_COST

const MAX_MEMORY = 512 * 1024 * 1024
/** Eight times the standard work: a few seconds. */
const MAX_WORK = 2 ** 24
const MAX_ITERATIONS = 10_000_000
const HEAVY_MEMORY = 32 * 1024 * 1024

const nativeScrypt: (
  passphrase: string,
  salt: Uint8Array,
  length: number,
  options: { N: number; r: number; p: number; maxmem: number },
) => Promise<Buffer> = promisify(scrypt)
const pbkdf2Async = promisify(pbkdf2)

/** Heavy derivations run one at a time: a few in parallel would take gigabytes. */
const heavy = createSerialQueue()

function checkCost(params: Kdf): void {
  const isLengthFine = params.dklen >= 32 && params.dklen <= 64
  const isFine =
    params.kdf === 'pbkdf2'
      ? params.c > 0 && params.c <= MAX_ITERATIONS
      : params.n > 1 &&
        Number.isInteger(Math.log2(params.n)) &&
        params.r > 0 &&
        params.p > 0 &&
        params.n * params.r * params.p <= MAX_WORK &&
        128 * params.n * params.r <= MAX_MEMORY
  if (!isLengthFine || !isFine)
    throw new AccountError(
      'unsupported-file',
      'its key derivation parameters are invalid or too expensive',
    )
}

/** The derived key of a passphrase (as UTF-8). Rejects with AccountError when the parameters cost too much. */
export async function deriveKey(passphrase: string, params: Kdf): Promise<Uint8Array> {
  checkCost(params)
  if (params.kdf === 'pbkdf2')
    return await pbkdf2Async(passphrase, params.salt, params.c, params.dklen, 'sha256')
  const { n, r, p, dklen, salt } = params
  const memory = 128 * n * r
  const maxmem = memory + 128 * r * p + 1024 * 1024
  // Some wallets wrote costs that RFC 7914 forbids for their block size, and OpenSSL refuses (n >= 2^16 with r = 1).
  const isForbidden = Math.log2(n) >= 16 * r
  const derive = (): Promise<Uint8Array> =>
    isForbidden
      ? portableScrypt(passphrase, salt, { N: n, r, p, dkLen: dklen, maxmem })
      : nativeScrypt(passphrase, salt, dklen, { N: n, r, p, maxmem })
  return await (memory > HEAVY_MEMORY ? heavy.run(derive) : derive())
}
