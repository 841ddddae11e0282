import { Wallet } from 'ethers'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { toHex } from '../base/hex.ts'
import { decryptKeyFile, encryptKey, parseKeyFile, type KeyFile } from './keyFile.ts'

const KEY = new Uint8Array(32).fill(7)

function parse(text: string): KeyFile {
  const file = parseKeyFile(text)
  if (file === undefined) throw new Error('not a key file')
  return file
}

test('a key comes back under its passphrase, and only under it', async () => {
  const file = parse(await encryptKey(KEY, 'pässword', 'light'))
  expect(await decryptKeyFile(file, 'pässword')).toEqual(KEY)
  await expect(decryptKeyFile(file, 'password')).rejects.toMatchObject({ code: 'wrong-passphrase' })
})

test('an independent wallet reads what we write', async () => {
  const text = await encryptKey(KEY, 'x', 'light')
  const wallet = await Wallet.fromEncryptedJson(text, 'x')
  expect((wallet as Wallet).privateKey).toBe(toHex(KEY))
  expect(text).not.toContain(toHex(KEY).slice(2))
})

test('two files of the same key have nothing secret in common', async () => {
  const [a, b] = await Promise.all([encryptKey(KEY, 'x', 'light'), encryptKey(KEY, 'x', 'light')])
  expect(parse(a).crypto.ciphertext).not.toEqual(parse(b).crypto.ciphertext)
})

test.each([
  ['2^30 rounds of scrypt', { n: 2 ** 30 }],
  ['gigabytes of scrypt', { n: 2 ** 20, r: 64 }],
  ['a cost that is no power of two', { n: 5000 }],
  ['a negative block size', { r: -1 }],
  ['a result too short to split', { dklen: 16 }],
])('a file that asks for %s is refused instead of tried', async (_, kdfparams) => {
  const text = await encryptKey(KEY, 'x', 'light')
  const changed = JSON.parse(text) as { crypto: { kdfparams: object } }
  changed.crypto.kdfparams = { ...changed.crypto.kdfparams, ...kdfparams }
  const started = performance.now()
  await expect(decryptKeyFile(parse(JSON.stringify(changed)), 'x')).rejects.toMatchObject({
    code: 'unsupported-file',
  })
  expect(performance.now() - started).toBeLessThan(1000)
})

test('any text is either a key file or none, without an exception', () => {
  fc.assert(
    fc.property(fc.oneof(fc.string(), fc.json()), (text) => {
      expect(parseKeyFile(text)).toBeUndefined()
    }),
  )
})
