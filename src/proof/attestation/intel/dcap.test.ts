import { expect, test } from 'vitest'
import {
  der,
  extension,
  makeCertificate,
  makeRevocationList,
  signRaw,
  type TestCertificate,
} from '../../../../test/support/certificates.ts'
import { AROUND_NOW, DAY, judgeHardware, NOW, subject } from '../../../../test/support/evidence.ts'
import { toBase64 } from '../../../base/base64.ts'
import { concatBytes, utf8 } from '../../../base/bytes.ts'
import { fromHex, toHexDigits } from '../../../base/hex.ts'
import { sha256 } from '../../../base/sha256.ts'
import { encodeIntelDocument } from '../documents.ts'
import type { IntelPolicy } from './dcap.ts'

const MRTD = new Uint8Array(48).fill(0xab)
const QE_SIGNER = new Uint8Array(32).fill(0xcd)

/** Numbers below 1.2.840.113741.1.13.1 in DER, with their values. */
const sgx = (...arcs: readonly number[]) =>
  der(0x06, concatBytes(fromHex('2a864886f84d010d01'), Uint8Array.from(arcs)))
const integer = (value: number) => der(0x02, Uint8Array.of(value))
const pair = (oid: Uint8Array, value: Uint8Array) => der(0x30, oid, value)
const COMPONENTS = Array.from({ length: 16 }, (_, i) => i + 1)
const SGX_EXTENSIONS = der(
  0x30,
  pair(
    sgx(2),
    der(
      0x30,
      ...COMPONENTS.map((part) => pair(sgx(2, part), integer(3))),
      pair(sgx(2, 17), integer(11)),
    ),
  ),
  pair(sgx(3), der(0x04, fromHex('0000'))),
  pair(sgx(4), der(0x04, fromHex('b0c06f000000'))),
)

const dates = { ...AROUND_NOW, curve: 'P-256' } as const
const lists = { thisUpdateMs: NOW - DAY, nextUpdateMs: NOW + DAY }
const root = makeCertificate({ ...dates, subject: 'root', isAuthority: true })
const authority = makeCertificate({
  ...dates,
  subject: 'PCK authority',
  isAuthority: true,
  issuer: root,
  serial: 2,
})
const pck = makeCertificate({
  ...dates,
  subject: 'PCK',
  isAuthority: false,
  issuer: authority,
  serial: 3,
  extensions: [extension(sgx(), SGX_EXTENSIONS)],
})
const signing = makeCertificate({
  ...dates,
  subject: 'TCB signing',
  isAuthority: false,
  issuer: root,
  serial: 4,
})
const attesting = makeCertificate({ ...dates, subject: 'attestation key', isAuthority: false })

const uint = (value: number, size: number) =>
  Uint8Array.from({ length: size }, (_, i) => Math.floor(value / 256 ** i) & 0xff)
const sized = (bytes: Uint8Array) => concatBytes(uint(bytes.length, 4), bytes)

function filled(length: number, fields: Readonly<Record<number, Uint8Array>>): Uint8Array {
  const bytes = new Uint8Array(length)
  for (const [offset, value] of Object.entries(fields)) bytes.set(value, Number(offset))
  return bytes
}

const pem = ({ bytes }: TestCertificate) => {
  const lines = toBase64(bytes).match(/.{1,64}/g) ?? []
  return ['-----BEGIN CERTIFICATE-----', ...lines, '-----END CERTIFICATE-----', ''].join('\n')
}

type Change = {
  /** Bytes of the TD report by offset. */
  readonly body?: Readonly<Record<number, Uint8Array>>
  readonly qeReport?: Readonly<Record<number, Uint8Array>>
  readonly tcbInfo?: Readonly<Record<string, unknown>>
  readonly qeIdentity?: Readonly<Record<string, unknown>>
  readonly tcbSigner?: readonly TestCertificate[]
  readonly revoked?: { readonly root?: readonly number[]; readonly pck?: readonly number[] }
  readonly listDates?: typeof lists
  readonly policy?: Partial<IntelPolicy>
}

/** A quote of version 5 about a TD 1.5 report. */
function makeQuote(change: Change): Uint8Array {
  const header = filled(48, {
    0: Uint8Array.of(5, 0, 2, 0, 0x81),
    12: fromHex('939a7233f79c4ca9940a0db3957f0607'),
  })
  const body = filled(648, {
    0: Uint8Array.of(5, 1, 3),
    136: MRTD,
    520: concatBytes(subject.statementHash, subject.nonce),
    ...change.body,
  })
  const signed = concatBytes(header, uint(3, 2), sized(body))
  const { x = '', y = '' } = attesting.privateKey.export({ format: 'jwk' })
  const coordinates = concatBytes(...[x, y].map((part) => Buffer.from(part, 'base64url')))
  const authentication = Uint8Array.of(1, 2, 3)
  const qeReport = filled(384, {
    48: Uint8Array.of(0x11),
    128: QE_SIGNER,
    256: Uint8Array.of(2, 0, 4),
    320: sha256(concatBytes(coordinates, authentication)),
    ...change.qeReport,
  })
  const chain = utf8([pck, authority, root].map(pem).join(''))
  const certification = concatBytes(
    qeReport,
    signRaw(pck, qeReport),
    uint(authentication.length, 2),
    authentication,
    uint(5, 2),
    sized(chain),
  )
  const data = concatBytes(
    signRaw(attesting, signed),
    coordinates,
    uint(6, 2),
    sized(certification),
  )
  return concatBytes(signed, sized(data))
}

const stated = {
  issueDate: '2026-01-01T00:00:00Z',
  nextUpdate: '2026-01-31T00:00:00Z',
  tcbEvaluationDataNumber: 17,
}
const level = (svn: number, tcbStatus: string, advisoryIDs: readonly string[] = []) => ({
  tcb: {
    sgxtcbcomponents: COMPONENTS.map(() => ({ svn })),
    tdxtcbcomponents: COMPONENTS.map((part) => ({ svn: part === 3 ? 3 : 0 })),
    pcesvn: 11,
  },
  tcbStatus,
  advisoryIDs,
})
const tdxModule = {
  mrsigner: '00'.repeat(48),
  attributes: '00'.repeat(8),
  attributesMask: 'FF'.repeat(8),
}
const moduleLevels = [
  { tcb: { isvsvn: 4 }, tcbStatus: 'UpToDate' },
  { tcb: { isvsvn: 2 }, tcbStatus: 'OutOfDate' },
]

/** The verdict on a quote of a platform under a root of our own. */
function judge(change: Change = {}) {
  const { tcbSigner = [signing, root], listDates = lists } = change
  const tcbInfo = JSON.stringify({
    id: 'TDX',
    version: 3,
    ...stated,
    fmspc: 'B0C06F000000',
    pceId: '0000',
    tdxModule,
    tdxModuleIdentities: [{ id: 'TDX_01', ...tdxModule, tcbLevels: moduleLevels }],
    tcbLevels: [level(4, 'Revoked'), level(3, 'UpToDate'), level(0, 'OutOfDate')],
    ...change.tcbInfo,
  })
  const qeIdentity = JSON.stringify({
    id: 'TD_QE',
    version: 2,
    ...stated,
    miscselect: '00000000',
    miscselectMask: 'FFFFFFFF',
    attributes: '11000000000000000000000000000000',
    attributesMask: 'FBFFFFFFFFFFFFFF0000000000000000',
    mrsigner: toHexDigits(QE_SIGNER),
    isvprodid: 2,
    tcbLevels: [{ tcb: { isvsvn: 4 }, tcbStatus: 'UpToDate' }],
    ...change.qeIdentity,
  })
  const [signer = signing] = tcbSigner
  const document = encodeIntelDocument({
    quote: makeQuote(change),
    collateral: {
      tcbInfo,
      tcbInfoSignature: signRaw(signer, utf8(tcbInfo)),
      tcbInfoChain: tcbSigner.map(({ bytes }) => bytes),
      qeIdentity,
      qeIdentitySignature: signRaw(signing, utf8(qeIdentity)),
      qeIdentityChain: [signing.bytes, root.bytes],
      rootCrl: makeRevocationList(root, change.revoked?.root ?? [], listDates),
      pckCrl: makeRevocationList(authority, change.revoked?.pck ?? [9], listDates),
    },
  })
  const tdx = {
    measurements: [{ mrtd: toHexDigits(MRTD) }],
    roots: [toHexDigits(sha256(root.bytes))],
    ...change.policy,
  }
  return judgeHardware('intel-tdx-v1', document, { tdx })
}

test('a quote of version 5 of an allowed trust domain holds as hardware', async () => {
  const { checks, ...verdict } = await judge()
  expect(verdict).toMatchObject({ ok: true, level: 'hardware', reason: '' })
  expect(verdict.unchecked).toEqual([expect.stringMatching(/^kernel and operating system/)])
  expect(checks).toEqual(
    expect.arrayContaining([
      'the quote is one of TDX, version 5',
      'the platform is UpToDate',
      'the TDX module is UpToDate',
      'the quoting enclave is UpToDate',
      'report_data is the expected one',
      'the measurement is allowed: mrtd',
    ]),
  )
})

test('a policy with RTMR1 and RTMR2 measures kernel and operating system, and says nothing of them', async () => {
  const rtmr = toHexDigits(new Uint8Array(48))
  const measurements = [{ mrtd: toHexDigits(MRTD), rtmr1: rtmr, rtmr2: rtmr }]
  const { reason, unchecked } = await judge({ policy: { measurements } })
  expect({ reason, unchecked }).toEqual({ reason: '', unchecked: [] })
  const other = [{ mrtd: toHexDigits(MRTD), rtmr1: rtmr, rtmr2: `11${rtmr.slice(2)}` }]
  expect((await judge({ policy: { measurements: other } })).reason).toMatch(/measurement/)
})

const old = { tcbLevels: [level(0, 'OutOfDate', ['INTEL-SA-1'])] }

test.each<[string, Change, RegExp]>([
  ['under debug', { body: { 120: Uint8Array.of(1) } }, /may be debugged/],
  ['of another trust domain', { body: { 136: Uint8Array.of(1) } }, /measurement/],
  ['about another statement', { body: { 520: Uint8Array.of(9) } }, /report_data/],
  ['for another nonce', { body: { 552: Uint8Array.of(9) } }, /report_data/],
  ['of a platform out of date', { tcbInfo: old }, /platform is OutOfDate INTEL-SA-1, which/],
  [
    'of a platform below every level',
    { tcbInfo: { tcbLevels: [level(9, 'UpToDate')] } },
    /platform is unknown/,
  ],
  [
    'of a TDX module out of date',
    { body: { 0: Uint8Array.of(2, 1, 3) } },
    /TDX module is OutOfDate/,
  ],
  ['of an unknown TDX module', { body: { 0: Uint8Array.of(5, 7, 3) } }, /TDX module is unknown/],
  ["of somebody else's TDX module", { body: { 64: Uint8Array.of(1) } }, /TDX module is unknown/],
  [
    "of somebody else's quoting enclave",
    { qeReport: { 128: Uint8Array.of(1) } },
    /enclave is unknown/,
  ],
  [
    'of a quoting enclave under debug',
    { qeReport: { 48: Uint8Array.of(0x13) } },
    /enclave is unknown/,
  ],
  ['of an old quoting enclave', { qeReport: { 258: Uint8Array.of(3) } }, /enclave is unknown/],
  ['whose key nobody vouches for', { qeReport: { 320: Uint8Array.of(1) } }, /does not vouch/],
  ['of a revoked platform', { revoked: { pck: [3] } }, /PCK revocation list/],
  ['of a revoked authority', { revoked: { root: [2] } }, /root revocation list/],
  ['with a revoked signer of statements', { revoked: { root: [4] } }, /root revocation list/],
  [
    'with old revocation lists',
    { listDates: { thisUpdateMs: NOW - 2 * DAY, nextUpdateMs: NOW - DAY } },
    /outside its dates/,
  ],
  ['with old TCB info', { tcbInfo: { nextUpdate: '2026-01-01T12:00:00Z' } }, /outside its dates/],
  [
    'with TCB info of the future',
    { tcbInfo: { issueDate: '2026-01-03T00:00:00Z' } },
    /outside its dates/,
  ],
  [
    'with TCB info of other platforms',
    { tcbInfo: { fmspc: '000000000000' } },
    /not about this kind/,
  ],
  ['with TCB info of SGX', { tcbInfo: { id: 'SGX' } }, /not about this kind/],
  ['with TCB info of an unknown form', { tcbInfo: { version: 4 } }, /not of a known form/],
  [
    'with TCB info that a platform signed',
    { tcbSigner: [pck, authority, root] },
    /right below the root/,
  ],
  [
    'with TCB info that an authority signed',
    { tcbSigner: [authority, root] },
    /may not use its key/,
  ],
  ['of an old evaluation', { policy: { minimumEvaluation: 18 } }, /older than accepted/],
])('a quote %s has its own reason', async (_name, change, reason) => {
  expect((await judge(change)).reason).toMatch(reason)
})

test('other states of firmware are accepted where the policy lists them', async () => {
  const tcbStatuses = ['UpToDate', 'OutOfDate'] as const
  expect((await judge({ tcbInfo: old, policy: { tcbStatuses } })).reason).toBe('')
})
