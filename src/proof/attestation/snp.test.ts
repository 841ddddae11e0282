import { expect, test } from 'vitest'
import { judgeHardware } from '../../../test/support/evidence.ts'
import { CHIP, makeSnpDocument, POLICY, uint64, type SnpChange } from '../../../test/support/snp.ts'
import { concatBytes } from '../../base/bytes.ts'
import { fromHex } from '../../base/hex.ts'

/** The verdict on a report of a chip under a root of our own. */
function judge(change: SnpChange = {}) {
  const { document, policy } = makeSnpDocument(change)
  return judgeHardware('amd-snp-v1', document, { snp: policy })
}

test('a report of an allowed guest, about this statement and nonce, holds as hardware', async () => {
  const { checks, ...verdict } = await judge()
  expect(verdict).toEqual({
    ok: true,
    level: 'hardware',
    reason: '',
    unchecked: ['revocation: the document carries no list of AMD'],
  })
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

const LOADED: SnpChange = { provider: 'cloud', policy: { vlekProviders: ['cloud'] } }

// Holds D79a.
test('a VLEK of a named provider holds, and says that it stands for no single chip', async () => {
  const { reason, checks, unchecked } = await judge({ ...LOADED, revoked: [9] })
  expect(reason).toBe('')
  expect(checks).toEqual(
    expect.arrayContaining([
      'the key is a VLEK of cloud',
      'no certificate is on the AMD revocation list',
    ]),
  )
  expect(unchecked).toEqual(['chip: a VLEK is the same for all chips of its provider'])
  expect((await judge({ revoked: [], policy: { requireCrl: true } })).unchecked).toEqual([])
})

const lowest = { bootloader: 0, tee: 0, snp: 6, microcode: 0, fmc: 0 }

test.each<[string, SnpChange, RegExp]>([
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
  ['that claims a VLEK', { report: { 0x48: Uint8Array.of(4) } }, /not one of a VLEK/],
  ['that claims a VCEK', { ...LOADED, report: { 0x48: Uint8Array.of(0) } }, /chip is not the one/],
  ['of a provider that nobody named', { provider: 'cloud' }, /VLEK of "cloud", which is not/],
  ['of an unknown key', { report: { 0x48: Uint8Array.of(8) } }, /not signed with a VCEK or a VLEK/],
  ['under a revoked key', { revoked: [2] }, /is on the AMD revocation list/],
  ['without a required list', { policy: { requireCrl: true } }, /no revocation list/],
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
