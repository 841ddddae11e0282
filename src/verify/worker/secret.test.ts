import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { expect, test } from 'vitest'
import { isAuthorized, loadOrCreateSecret } from './secret.ts'

const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'assay-secret-'))

test('a secret is made once, for its owner alone, with its folder', () => {
  const file = path.join(folder, 'new', 'secret.hex')
  const secret = loadOrCreateSecret(file)
  expect(secret).toMatch(/^[0-9a-f]{64}$/)
  expect(loadOrCreateSecret(file)).toBe(secret)
  expect(fs.statSync(file).mode & 0o777).toBe(0o600)
  expect(fs.readdirSync(path.dirname(file))).toEqual(['secret.hex'])
})

test('a file that holds something else is an error that does not repeat it', () => {
  const file = path.join(folder, 'bad.hex')
  fs.writeFileSync(file, 'hunter2')
  expect(() => loadOrCreateSecret(file)).toThrow(/does not hold a worker secret/)
  expect(() => loadOrCreateSecret(file)).not.toThrow(/hunter2/)
})

test('only the secret itself, as a bearer token, is let in', () => {
  const secret = 'ab'.repeat(32)
  expect(isAuthorized(`Bearer ${secret}`, secret)).toBe(true)
  for (const header of [undefined, '', secret, `bearer ${secret}`, `Bearer ${secret}0`, 'Bearer '])
    expect(isAuthorized(header, secret)).toBe(false)
})
