import { randomBytes } from 'node:crypto'
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { loadOrCreateSecret } from './secretFile.ts'

let home: string
let file: string

beforeEach(() => {
  home = fs.mkdtempSync(path.join(os.tmpdir(), 'assay-secret-'))
  file = path.join(home, 'config', 'secret.hex')
})
afterEach(() => fs.rmSync(home, { recursive: true }))

function load(): Uint8Array {
  return loadOrCreateSecret(file, {
    what: '32 bytes as hex',
    advice: 'Remove it.',
    isValid: (secret) => secret.length === 32,
    generate: () => randomBytes(32),
  })
}

test('a secret is made once, for its owner alone, with its folder and nothing beside it', () => {
  const secret = load()
  expect(secret).toHaveLength(32)
  expect(load()).toEqual(secret)
  expect(fs.statSync(file).mode & 0o777).toBe(0o600)
  expect(fs.readdirSync(path.dirname(file))).toEqual(['secret.hex'])
})

test('a secret that another process made in between is taken, not replaced', () => {
  const theirs = 'cd'.repeat(32)
  const secret = loadOrCreateSecret(file, {
    what: '32 bytes as hex',
    advice: 'Remove it.',
    isValid: (bytes) => bytes.length === 32,
    generate() {
      fs.writeFileSync(file, theirs, { mode: 0o600 })
      return randomBytes(32)
    },
  })
  expect(secret).toEqual(new Uint8Array(32).fill(0xcd))
  expect(fs.readFileSync(file, 'utf8')).toBe(theirs)
})

test('a secret made by openssl, with or without 0x, is read', () => {
  fs.mkdirSync(path.dirname(file))
  for (const text of [`0x${'ab'.repeat(32)}\n`, 'ab'.repeat(32)]) {
    fs.writeFileSync(file, text, { mode: 0o600 })
    expect(load()).toEqual(new Uint8Array(32).fill(0xab))
  }
})

test.each([0o640, 0o604, 0o666])('a file of mode %o is refused', (mode) => {
  load()
  fs.chmodSync(file, mode)
  expect(load).toThrow('can be read by other users')
})

test.each(['', 'ab', 'hunter2'.repeat(10)])(
  'a file that holds "%s" is refused in words that do not repeat it',
  (text) => {
    fs.mkdirSync(path.dirname(file))
    fs.writeFileSync(file, text, { mode: 0o600 })
    expect(load).toThrow(/^[^\n]*secret\.hex does not contain 32 bytes as hex$/)
  },
)
