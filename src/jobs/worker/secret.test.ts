import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { expect, test } from 'vitest'
import { isAuthorized, loadWorkerSecret } from './secret.ts'

test('operator and worker read the same secret, whoever comes first', () => {
  const file = path.join(fs.mkdtempSync(path.join(os.tmpdir(), 'assay-secret-')), 'secret.hex')
  const secret = loadWorkerSecret(file)
  expect(secret).toMatch(/^[0-9a-f]{64}$/)
  expect(loadWorkerSecret(file)).toBe(secret)
})

test('only the secret itself, as a bearer token, is let in', () => {
  const secret = 'ab'.repeat(32)
  expect(isAuthorized(`Bearer ${secret}`, secret)).toBe(true)
  for (const header of [undefined, '', secret, `bearer ${secret}`, `Bearer ${secret}0`, 'Bearer '])
    expect(isAuthorized(header, secret)).toBe(false)
})
