import { expect, test } from 'vitest'
import { der, extension, makeCertificate, signRaw } from '../../../test/support/certificates.ts'
import { AROUND_NOW, judgeHardware, subject } from '../../../test/support/evidence.ts'
import { concatBytes } from '../../base/bytes.ts'
import { fromHex, toHexDigits } from '../../base/hex.ts'
import { sha256 } from '../../base/sha256.ts'
import { encodeSnpDocument } from './documents.ts'
import type { SnpPolicy } from './snp.ts'

const MEASUREMENT = new Uint8Array(48).fill(0xab)
const CHIP = new Uint8Array(64).fill(0xcd)
/** Bit 17 is always set, bit 16 allows several threads per core. */
const POLICY = 0x30000n

const dates = { ...AROUND_NOW, curve: 'P-384' } as const
const ark = makeCertificate({ ...dates, subject: 'ARK', isAuthority: true })
const ask = makeCertificate({ ...dates, subject: 'ASK', isAuthority: true, issuer: ark })

/** 1.3.6.1.4.1.3704.1 and the numbers below it, in DER. */
const amd = (...arcs: readonly number[]) =>
  der(0x06, concatBytes(fromHex('2b060104019c7801'), Uint8Array.from(arcs)))
const integer = (value: number) => der(0x02, Uint8Array.of(value))

type Change = {
  readonly product?: string
  readonly chip?: Uint8Array
  readonly versions?: Readonly<Record<number, number>>
  /** Bytes of the report by offset. */
  readonly report?: Readonly<Record<number, Uint8Array>>
  readonly policy?: Partial<SnpPolicy>
}

const uint64 = (value: bigint) => {
  const bytes = new Uint8Array(8)
  new DataView(bytes.buffer).setBigUint64(0, value, true)
  return bytes
}

/** The verdict on a report of a chip under a root of our own. */
function judge({ product = 'Milan-B0', chip = CHIP, versions, report, policy }: Change = {}) {
  const levels = Object.entries({ 1: 2, 2: 0, 3: 5, 8: 0x44, ...versions })
  const vcek = makeCertificate({
    ...dates,
    subject: 'VCEK',
    isAuthority: false,
    issuer: ask,
    extensions: [
      extension(amd(2), der(0x16, Buffer.from(product))),
      ...levels.map(([part, level]) => extension(amd(3, Number(part)), integer(level))),
      extension(amd(4), chip),
    ],
  })
  const bytes = new Uint8Array(0x4a0)
  const fields = {
    0x00: Uint8Array.of(2),
    0x08: uint64(POLICY),
    0x34: Uint8Array.of(1),
    0x50: concatBytes(subject.statementHash, subject.nonce),
    0x90: MEASUREMENT,
    0x180: fromHex('0200000000000544'),
    0x1a0: CHIP,
    ...report,
  }
  for (const [offset, value] of Object.entries(fields)) bytes.set(value, Number(offset))
  const signature = signRaw(vcek, bytes.subarray(0, 0x2a0))
  bytes.set(signature.subarray(0, 48).toReversed(), 0x2a0)
  bytes.set(signature.subarray(48).toReversed(), 0x2a0 + 72)
  const document = encodeSnpDocument({
    report: bytes,
    certificates: [vcek.bytes, ask.bytes, ark.bytes],
  })
  const snp = {
    measurements: [{ measurement: toHexDigits(MEASUREMENT) }],
    roots: [toHexDigits(sha256(ark.bytes))],
    ...policy,
  }
  return judgeHardware('amd-snp-v1', document, { snp })
}

test('a report of an allowed guest, about this statement and nonce, holds as hardware', async () => {
  const { checks, ...verdict } = await judge()
  expect(verdict).toEqual({ ok: true, level: 'hardware', reason: '' })
  expect(checks).toEqual([
    'evidence of the format amd-snp-v1 is of the level hardware',
    'evidence of the format amd-snp-v1 is trusted here',
    'the AMD chain of 3 certificates ends at a pinned root',
    'every certificate of the AMD chain is within its dates',
    'every certificate of the AMD chain is issued and signed by the next',
    "the report's signature holds",
    'the chip is the one of the certificate',
    'the firmware is the one of the certificate',
    'the report was asked for at VMPL 0',
    'report_data is the expected one',
    'the measurement is allowed: measurement',
    'the guest cannot be migrated by an agent',
    'the guest cannot be debugged',
  ])
})

const turin = {
  product: 'Turin-B0',
  chip: CHIP.subarray(0, 8),
  versions: { 9: 1 },
  report: {
    0x180: fromHex('0102000500000044'),
    0x1a0: concatBytes(CHIP.subarray(0, 8), new Uint8Array(56)),
  },
} as const

test('Turin orders the versions of its firmware differently, and has short chip identities', async () => {
  expect((await judge(turin)).reason).toBe('')
  expect((await judge({ ...turin, product: 'Genoa-B1' })).reason).toMatch(/firmware is not the one/)
})

const lowest = { bootloader: 0, tee: 0, snp: 6, microcode: 0, fmc: 0 }

test.each<[string, Change, RegExp]>([
  [
    'of a guest that may be debugged',
    { report: { 0x08: uint64(POLICY | (1n << 19n)) } },
    /debugged/,
  ],
  ['of a guest that may move', { report: { 0x08: uint64(POLICY | (1n << 18n)) } }, /migrated/],
  ['asked for by a process', { report: { 0x30: Uint8Array.of(2) } }, /VMPL 2/],
  ['of another chip', { report: { 0x1a0: Uint8Array.of(1) } }, /chip is not the one/],
  ['of other firmware', { report: { 0x180: Uint8Array.of(3) } }, /firmware is not the one/],
  ['of old firmware', { policy: { minimumTcb: lowest } }, /older than accepted/],
  ['about something else', { report: { 0x50: Uint8Array.of(9) } }, /report_data/],
  ['for another nonce', { report: { 0x70: Uint8Array.of(9) } }, /report_data/],
  ['of another launch', { report: { 0x90: Uint8Array.of(9) } }, /measurement/],
  ['signed with a loaded key', { report: { 0x48: Uint8Array.of(4) } }, /not signed with a VCEK/],
  ['of another algorithm', { report: { 0x34: Uint8Array.of(2) } }, /ECDSA P-384/],
  ['of an unknown version', { report: { 0x00: Uint8Array.of(9) } }, /unknown version/],
  ['under an unknown root', { policy: { roots: [] } }, /pinned root/],
])('a report %s has its own reason', async (_name, change, reason) => {
  expect((await judge(change)).reason).toMatch(reason)
})

test('a process may ask where the policy lets it', async () => {
  const report = { 0x30: Uint8Array.of(2) }
  expect((await judge({ report, policy: { maxVmpl: 2 } })).reason).toBe('')
})
