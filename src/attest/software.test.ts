import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { fromBase64, toBase64 } from '../base/base64.ts'
import { toHex } from '../base/hex.ts'
import { verifyEvidence } from '../proof/attestation.ts'
import { openSoftwareAttester } from './software.ts'

const folder = path.join(fs.mkdtempSync(path.join(os.tmpdir(), 'assay-attest-')), 'worker')
const attester = openSoftwareAttester(folder, [import.meta.filename])
const subject = {
  statementHash: new Uint8Array(32).fill(1),
  nonce: new Uint8Array(32).fill(2),
}
const evidence = await attester.attest(subject)
const anyKey = { software: 'any' } as const

test('evidence holds for its statement and nonce, and says that it is software-insecure', () => {
  expect(verifyEvidence(evidence, subject, anyKey)).toEqual({
    ok: true,
    level: 'software-insecure',
    reason: '',
  })
})

test('evidence of one statement does not hold for another, nor under another nonce', () => {
  const other = new Uint8Array(32).fill(3)
  const reasonFor = (expected: typeof subject) => verifyEvidence(evidence, expected, anyKey).reason
  expect(reasonFor({ ...subject, statementHash: other })).toContain('user_data')
  expect(reasonFor({ ...subject, nonce: other })).toContain('nonce')
})

test('software evidence never passes for hardware, nor under the name of another format', () => {
  expect(verifyEvidence({ ...evidence, level: 'hardware' }, subject, anyKey)).toMatchObject({
    ok: false,
    level: 'software-insecure',
  })
  expect(verifyEvidence({ ...evidence, format: 'nitro' }, subject, anyKey).ok).toBe(false)
})

test('trust decides whose software evidence is taken', () => {
  const own = toHex(attester.publicKey)
  const holds = (software: 'refuse' | readonly `0x${string}`[]) =>
    verifyEvidence(evidence, subject, { software }).ok
  expect(holds([own])).toBe(true)
  expect(holds([])).toBe(false)
  expect(holds('refuse')).toBe(false)
})

test('a document with any bit flipped does not hold', () => {
  const document = fromBase64(evidence.document) ?? new Uint8Array()
  fc.assert(
    fc.property(fc.nat(document.length - 1), fc.nat(7), (index, bit) => {
      const tampered = document.slice()
      tampered[index] = (tampered[index] ?? 0) ^ (1 << bit)
      const verdict = verifyEvidence({ ...evidence, document: toBase64(tampered) }, subject, anyKey)
      expect(verdict.ok).toBe(false)
      expect(verdict.reason).not.toBe('')
    }),
    { numRuns: 60 },
  )
})

test('any text is a document that holds or one that does not', () => {
  fc.assert(
    fc.property(fc.oneof(fc.string(), fc.base64String()), (document) => {
      expect(verifyEvidence({ ...evidence, document }, subject, anyKey).ok).toBe(false)
    }),
  )
})

test('the key is made once, kept for its owner alone, and used again', () => {
  const file = path.join(folder, 'attestation-key.hex')
  expect(fs.statSync(file).mode & 0o777).toBe(0o600)
  expect(openSoftwareAttester(folder, []).publicKey).toEqual(attester.publicKey)
  fs.writeFileSync(file, 'garbage')
  expect(() => openSoftwareAttester(folder, [])).toThrow(/does not hold a P-384 key/)
})
