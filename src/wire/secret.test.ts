import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { loadOrCreateSecret } from './secret.ts'

let home: string
let file: string

beforeEach(() => {
  home = fs.mkdtempSync(path.join(os.tmpdir(), 'assay-secret-'))
  file = path.join(home, 'config', 'jwt.hex')
})
afterEach(() => fs.rmSync(home, { recursive: true }))

test('a secret is made once, for its owner alone', () => {
  const secret = loadOrCreateSecret(file)
  expect(secret).toHaveLength(32)
  expect(loadOrCreateSecret(file)).toEqual(secret)
  expect(fs.statSync(file).mode & 0o777).toBe(0o600)
})

test('a secret made by openssl, with or without 0x, is read', () => {
  fs.mkdirSync(path.dirname(file))
  fs.writeFileSync(file, `0x${'ab'.repeat(32)}\n`, { mode: 0o600 })
  expect(loadOrCreateSecret(file)).toEqual(new Uint8Array(32).fill(0xab))
})

test.each([0o640, 0o604, 0o666])('a file of mode %o is refused', (mode) => {
  loadOrCreateSecret(file)
  fs.chmodSync(file, mode)
  expect(() => loadOrCreateSecret(file)).toThrow('can be read by other users')
})

test.each(['', 'ab', 'x'.repeat(64)])(
  'a file that holds "%s" is refused, without its content',
  (text) => {
    fs.mkdirSync(path.dirname(file))
    fs.writeFileSync(file, text, { mode: 0o600 })
    expect(() => loadOrCreateSecret(file)).toThrow('does not hold 32 bytes')
  },
)
