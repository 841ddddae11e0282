import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { toHexDigits } from '../base/hex.ts'
import { addressOfPrivateKey } from '../base/secp256k1.ts'
import { createDevelopmentAccounts } from './development.ts'
import { openKeystore } from './keystore.ts'

let home: string
let folder: string

beforeEach(() => {
  home = fs.mkdtempSync(path.join(os.tmpdir(), 'assay-keystore-'))
  folder = path.join(home, 'keystore')
})
afterEach(() => fs.rmSync(home, { recursive: true }))

const key = (byte: number): Uint8Array => new Uint8Array(32).fill(byte)

test('keys are listed in the order of their creation and can be read back', async () => {
  const keystore = openKeystore(folder, 'light')
  const second = await keystore.add(key(9), 'a')
  const third = await keystore.add(key(3), 'b')
  expect(keystore.list()).toEqual([second, third])
  expect(openKeystore(folder).list()).toEqual([second, third])
  expect(await keystore.decrypt(second, 'a')).toEqual(key(9))
  await expect(keystore.decrypt(second, 'b')).rejects.toMatchObject({ code: 'wrong-passphrase' })
  await expect(keystore.decrypt(key(1).subarray(12), 'a')).rejects.toMatchObject({
    code: 'unknown',
  })
})

test('files are for their owner alone and carry the usual names', async () => {
  const address = await openKeystore(folder, 'light').add(key(5), 'a')
  expect(fs.statSync(folder).mode & 0o777).toBe(0o700)
  const names = fs.readdirSync(folder)
  expect(names).toHaveLength(1)
  expect(names[0]).toMatch(/^UTC--\d{4}-\d\d-\d\dT\d\d-\d\d-\d\d\.\d{9}Z--[0-9a-f]{40}$/)
  expect(names[0]).toContain(toHexDigits(address))
  expect(fs.statSync(path.join(folder, names[0] ?? '')).mode & 0o777).toBe(0o600)
})

test('a folder that other users may read is refused', () => {
  fs.mkdirSync(folder, { mode: 0o755 })
  fs.chmodSync(folder, 0o755)
  expect(() => openKeystore(folder)).toThrow('accessible to other users')
})

test('foreign files are passed over, and a key file copied in later appears', async () => {
  const other = openKeystore(path.join(home, 'other'), 'light')
  const address = await other.add(key(8), 'a')
  const [name = ''] = fs.readdirSync(path.join(home, 'other'))
  const keystore = openKeystore(folder, 'light')
  fs.writeFileSync(path.join(folder, 'notes.txt'), 'hello')
  fs.writeFileSync(path.join(folder, 'empty'), '')
  fs.writeFileSync(path.join(folder, 'no-address'), '{"version":3}')
  fs.writeFileSync(path.join(folder, '.hidden'), fs.readFileSync(path.join(home, 'other', name)))
  fs.mkdirSync(path.join(folder, 'foo'))
  expect(keystore.list()).toEqual([])
  fs.copyFileSync(path.join(home, 'other', name), path.join(folder, 'mykey.json'))
  expect(keystore.list()).toEqual([address])
  expect(await keystore.decrypt(address, 'a')).toEqual(key(8))
})

test('an invalid or known key is not stored', async () => {
  const keystore = openKeystore(folder, 'light')
  await keystore.add(key(5), 'a')
  await expect(keystore.add(key(5), 'b')).rejects.toMatchObject({ code: 'exists' })
  await expect(keystore.add(new Uint8Array(32), 'b')).rejects.toMatchObject({ code: 'invalid-key' })
  await expect(keystore.add(key(255), 'b')).rejects.toMatchObject({ code: 'invalid-key' })
  expect(keystore.list()).toEqual([addressOfPrivateKey(key(5))])
})

// Holds D40.
test('the development accounts come first, even before older keys', async () => {
  const keystore = openKeystore(folder, 'light')
  const own = await keystore.add(key(5), 'a')
  const development = await createDevelopmentAccounts(folder, 'phrase')
  expect(toHexDigits(development[0] ?? key(0))).toBe('f39fd6e51aad88f6f4ce6ab8827279cfffb92266')
  expect(toHexDigits(development[9] ?? key(0))).toBe('a0ee7a142d267c1f36714e4a8f75612f20a79720')
  expect(keystore.list()).toEqual([...development, own])
  const names = fs.readdirSync(folder)
  await createDevelopmentAccounts(folder, 'another')
  expect(fs.readdirSync(folder)).toEqual(names)
  expect(addressOfPrivateKey(await keystore.decrypt(development[3] ?? own, 'phrase'))).toEqual(
    development[3],
  )
})
