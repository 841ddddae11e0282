import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { subject } from '../../test/support/evidence.ts'
import { fromBase64, toBase64 } from '../base/base64.ts'
import { toHex } from '../base/hex.ts'
import { webCrypto } from '../proof/attestation/webCrypto.ts'
import { verifyEvidence, type Evidence, type EvidenceTrust } from '../proof/attestation.ts'
import { openSoftwareAttester } from './software.ts'

const folder = path.join(fs.mkdtempSync(path.join(os.tmpdir(), 'assay-attest-')), 'worker')
const attester = openSoftwareAttester(folder, [import.meta.filename])
const evidence = await attester.attest(subject)
const anyKey = { software: 'any' } as const
const context = { crypto: webCrypto(globalThis.crypto.subtle), nowMs: Date.now() }
const verify = (shown: Evidence, expected: typeof subject, trust: EvidenceTrust) =>
  verifyEvidence(shown, expected, trust, context)

test('evidence holds for its statement and nonce, and says that it is software-insecure', async () => {
  expect(await verify(evidence, subject, anyKey)).toEqual({
    unchecked: [],
    ok: true,
    level: 'software-insecure',
    reason: '',
    checks: expect.arrayContaining(['user_data is the hash of the statement']),
  })
})

test('evidence of one statement does not hold for another, nor under another nonce', async () => {
  const other = new Uint8Array(32).fill(3)
  const reasonFor = async (expected: typeof subject) =>
    (await verify(evidence, expected, anyKey)).reason
  expect(await reasonFor({ ...subject, statementHash: other })).toContain('user_data')
  expect(await reasonFor({ ...subject, nonce: other })).toContain('nonce')
})

// Holds D34.
test('software evidence never passes for hardware, nor under the name of another format', async () => {
  expect(await verify({ ...evidence, level: 'hardware' }, subject, anyKey)).toMatchObject({
    ok: false,
    level: 'software-insecure',
  })
  expect((await verify({ ...evidence, format: 'nitro' }, subject, anyKey)).ok).toBe(false)
})

test('trust decides whose software evidence is taken', async () => {
  const own = toHex(attester.publicKey)
  const holds = async (software: 'refuse' | readonly `0x${string}`[]) =>
    (await verify(evidence, subject, { software })).ok
  expect(await holds([own])).toBe(true)
  expect(await holds([])).toBe(false)
  expect(await holds('refuse')).toBe(false)
})

test('a document with any bit flipped does not hold', async () => {
  const document = fromBase64(evidence.document) ?? new Uint8Array()
  await fc.assert(
    fc.asyncProperty(fc.nat(document.length - 1), fc.nat(7), async (index, bit) => {
      const tampered = document.slice()
      tampered[index] = (tampered[index] ?? 0) ^ (1 << bit)
      const shown = { ...evidence, document: toBase64(tampered) }
      const verdict = await verify(shown, subject, anyKey)
      expect(verdict.ok).toBe(false)
      expect(verdict.reason).not.toBe('')
    }),
    { numRuns: 60 },
  )
})

test('any text is a document that holds or one that does not', async () => {
  await fc.assert(
    fc.asyncProperty(fc.oneof(fc.string(), fc.base64String()), async (document) => {
      expect((await verify({ ...evidence, document }, subject, anyKey)).ok).toBe(false)
    }),
  )
})

test('the key is made once, kept for its owner alone, and used again', () => {
  const file = path.join(folder, 'attestation-key.hex')
  expect(fs.statSync(file).mode & 0o777).toBe(0o600)
  expect(openSoftwareAttester(folder, []).publicKey).toEqual(attester.publicKey)
  fs.writeFileSync(file, 'garbage')
  expect(() => openSoftwareAttester(folder, [])).toThrow(/does not contain a P-384 key/)
})
