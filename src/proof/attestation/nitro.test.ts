import { expect, test } from 'vitest'
import {
  extension,
  makeCertificate,
  signRaw,
  type CertificateFields,
} from '../../../test/support/certificates.ts'
import { AROUND_NOW, DAY, judgeHardware, NOW, subject } from '../../../test/support/evidence.ts'
import { fromHex, toHexDigits } from '../../base/hex.ts'
import { sha256 } from '../../base/sha256.ts'
import { encodeCbor, type CborKey, type CborValue } from '../cbor.ts'
import { encodeCoseSign1, ES384_HEADER, signedBytes } from '../cose.ts'

const PCR0 = new Uint8Array(48).fill(0xab)

const dates = { ...AROUND_NOW, curve: 'P-384' } as const
const root = makeCertificate({ ...dates, subject: 'root', isAuthority: true })

type Change = {
  readonly middle?: Partial<CertificateFields>
  readonly leaf?: Partial<CertificateFields>
  readonly payload?: Readonly<Record<string, CborValue>>
  readonly nowMs?: number
  readonly pcr0?: Uint8Array
}

/** The verdict on a document of an enclave under a root of our own. */
function judge({ middle, leaf, payload, nowMs = NOW, pcr0 = PCR0 }: Change = {}) {
  const authority = makeCertificate({
    ...dates,
    subject: 'authority',
    isAuthority: true,
    issuer: root,
    ...middle,
  })
  const enclave = makeCertificate({
    ...dates,
    subject: 'enclave',
    isAuthority: false,
    issuer: authority,
    ...leaf,
  })
  const fields: Readonly<Record<string, CborValue>> = {
    module_id: 'i-1-enc1',
    digest: 'SHA384',
    timestamp: NOW,
    pcrs: new Map<CborKey, CborValue>([[0, pcr0]]),
    certificate: enclave.bytes,
    cabundle: [root.bytes, authority.bytes],
    public_key: null,
    user_data: subject.statementHash,
    nonce: subject.nonce,
    ...payload,
  }
  const bytes = encodeCbor(new Map<CborKey, CborValue>(Object.entries(fields)))
  const signature = signRaw(enclave, signedBytes(ES384_HEADER, bytes))
  const document = encodeCoseSign1({ protectedHeader: ES384_HEADER, payload: bytes, signature })
  const nitro = {
    measurements: [{ pcr0: toHexDigits(PCR0) }],
    roots: [toHexDigits(sha256(root.bytes))],
  }
  return judgeHardware('aws-nitro-v1', document, { nitro }, nowMs)
}

test('a document of an allowed enclave, about this statement and nonce, holds as hardware', async () => {
  expect(await judge()).toEqual({
    unchecked: [],
    ok: true,
    level: 'hardware',
    reason: '',
    checks: [
      'evidence of the format aws-nitro-v1 is of the level hardware',
      'evidence of the format aws-nitro-v1 is trusted here',
      'the AWS Nitro chain of 3 certificates ends at a pinned root',
      'every certificate of the AWS Nitro chain is within its dates',
      'every certificate of the AWS Nitro chain is issued and signed by the next',
      "the document is signed with the enclave's key",
      'the document was made within the last three hours',
      'user_data is the expected one',
      'nonce is the expected one',
      'public_key is the expected one',
      'the enclave does not run in debug mode',
      'the measurement is allowed: pcr0',
    ],
  })
})

const UNKNOWN_EXTENSION = extension(fromHex('0603550463'), Uint8Array.of(5, 0), true)
const zeros = new Uint8Array(48)
const other = new Uint8Array(32).fill(3)

test.each<[string, Change, RegExp]>([
  ['about another statement', { payload: { user_data: other } }, /user_data/],
  ['about no statement', { payload: { user_data: null } }, /user_data/],
  ['for another nonce', { payload: { nonce: other } }, /nonce/],
  ['that vouches for a key', { payload: { public_key: other } }, /public_key/],
  ['of an enclave in debug mode', { pcr0: zeros }, /debug mode/],
  ['of another enclave', { pcr0: new Uint8Array(48).fill(1) }, /measurement/],
  ['from the future', { payload: { timestamp: NOW + DAY / 2 } }, /in the future/],
  ['that is old', { payload: { timestamp: NOW - DAY / 2 } }, /three hours ago/],
  ['with a weak digest', { payload: { digest: 'SHA256' } }, /digest is not SHA384/],
  ['without its root', { payload: { cabundle: [] } }, /1 certificates/],
  ['whose leaf expired', { leaf: { notAfterMs: NOW - 1000 } }, /outside its dates/],
  ['whose leaf is not valid yet', { leaf: { notBeforeMs: NOW + 1000 } }, /outside its dates/],
  ['under an authority that is none', { middle: { isAuthority: false } }, /may not issue/],
  ['whose leaf names another issuer', { leaf: { issuerName: 'other' } }, /may not issue/],
  ['signed with an authority', { leaf: { isAuthority: true } }, /may not use its key so/],
  ['with an unknown critical extension', { leaf: { extensions: [UNKNOWN_EXTENSION] } }, /critical/],
  ['with a leaf of another curve', { leaf: { curve: 'P-256' } }, /signature does not hold/],
  [
    'signed by somebody else',
    { leaf: { issuer: { ...root, subject: 'authority' } } },
    /signature of/,
  ],
])('a document %s has its own reason', async (_name, change, reason) => {
  expect((await judge(change)).reason).toMatch(reason)
})

test('an authority issues leaves, but no authorities beyond its depth', async () => {
  expect((await judge({ middle: { pathLength: 0 } })).ok).toBe(true)
  const flat = makeCertificate({
    ...dates,
    subject: 'flat',
    isAuthority: true,
    issuer: root,
    pathLength: 0,
  })
  const low = makeCertificate({ ...dates, subject: 'authority', isAuthority: true, issuer: flat })
  const enclave = makeCertificate({ ...dates, subject: 'enclave', isAuthority: false, issuer: low })
  const payload = { certificate: enclave.bytes, cabundle: [root.bytes, flat.bytes, low.bytes] }
  expect((await judge({ payload })).reason).toMatch(/certificate 2 .* may not issue/)
})
