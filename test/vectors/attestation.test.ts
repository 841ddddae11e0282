/** Real evidence of AWS Nitro, Intel TDX and SGX, and AMD SEV-SNP: as it is, and for everything else than it is about. */
import { join } from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
import { readCollateralFile } from '../../src/attest/collateralFile.ts'
import { openSnpAttester } from '../../src/attest/snp.ts'
import { openTdxAttester } from '../../src/attest/tdx.ts'
import { toHexDigits } from '../../src/base/hex.ts'
import { verifyEvidence, type EvidenceTrust } from '../../src/proof/attestation.ts'
import {
  FOLDER,
  REQUIRED,
  present,
  crypto,
  type Verdict,
  nitro,
  nitroFacts,
  INTEL_NOW,
  intel,
  quoteV5,
  SNP_NOW,
  snp,
  SNP_DEBUG,
  cases,
  read,
} from '../support/attestationVectors.ts'

const counts: Record<string, number> = {}
const count = (what: string) => (counts[what] = (counts[what] ?? 0) + 1)

test('the vectors are there when they are required', () => {
  expect(present || !REQUIRED).toBe(true)
})

test.each(cases)('$name has the verdict that it must have', async ({ bytes, reason, judge }) => {
  const verdict = await judge(bytes)
  expect(verdict.reason).toMatch(reason)
  expect(verdict.checks.length).toBeGreaterThan(3)
  count('documents')
})

describe.runIf(present)('a verdict says what is wrong with', () => {
  const other = new Uint8Array(64).fill(9)
  const production = () => read('nitro-2022-production.cose')
  const madeMs = () => nitroFacts(production()).timestampMs
  const HOUR = 3_600_000
  const day = 24 * HOUR
  const signer = () => {
    const { body } = intel('sgx')
    return body.type === 'sgx' ? [{ mrsigner: toHexDigits(body.mrSigner) }] : []
  }
  const sgxCollateral = () => intel('sgx').collateral
  test.each<[string, () => Promise<Verdict>, RegExp]>([
    ['nitro, another nonce', () => nitro(production(), { binding: { nonce: other } }), /nonce/],
    ['nitro, no nonce', () => nitro(production(), { binding: { nonce: null } }), /nonce/],
    [
      'nitro, a statement',
      () => nitro(production(), { binding: { userData: other } }),
      /user_data/,
    ],
    ['nitro, a key', () => nitro(production(), { binding: { publicKey: other } }), /public_key/],
    ['nitro, PCR0', () => nitro(production(), { measurements: [{ pcr0: '00' }] }), /measurement/],
    ['nitro, no list', () => nitro(production(), { measurements: [] }), /measurement/],
    ['nitro, an empty entry', () => nitro(production(), { measurements: [{}] }), /measurement/],
    [
      'nitro, a day later',
      () => nitro(production(), { nowMs: madeMs() + day }),
      /outside its dates/,
    ],
    ['nitro, before', () => nitro(production(), { nowMs: madeMs() - HOUR }), /outside its dates/],
    ['tdx, other data', () => intel('tdx').run({ reportData: other }), /report_data/],
    ['tdx, MRTD', () => intel('tdx').run({ measurements: [{ mrtd: '00' }] }), /measurement/],
    ['tdx, a month later', () => intel('tdx').run({ nowMs: INTEL_NOW + 31 * day }), /dates/],
    ['tdx, years later', () => intel('tdx').run({ nowMs: INTEL_NOW + 3000 * day }), /dates/],
    ['tdx, evaluation', () => intel('tdx').run({ minimumEvaluation: 18 }), /older than accepted/],
    ['tdx, other roots', () => intel('tdx').run({ roots: ['00'.repeat(32)] }), /pinned root/],
    [
      'tdx, collateral of sgx',
      () => intel('tdx').run({ collateral: sgxCollateral() }),
      /not signed by its issuer/,
    ],
    ['tdx, an sgx quote', () => intel('tdx').run({ quote: read('sgx_quote') }), /not one of TDX/],
    [
      'sgx, firmware',
      () => intel('sgx').run({ tcbStatuses: ['UpToDate'] }),
      /SWHardeningNeeded INTEL-SA-00289/,
    ],
    [
      'sgx, a signer alone',
      () => intel('sgx').run({ measurements: signer() }),
      /name isvProdId and minimumIsvSvn/,
    ],
    [
      'sgx, another product',
      () => intel('sgx').run({ measurements: signer(), isvProdId: 9, minimumIsvSvn: 0 }),
      /the product is \d+, not 9/,
    ],
    [
      'sgx, an old version',
      () => intel('sgx').run({ minimumIsvSvn: 65_535 }),
      /security version is \d+, below 65535/,
    ],
    ['snp, other data', () => snp().run({ reportData: other }), /report_data/],
    ['snp, measurement', () => snp().run({ measurements: [{ measurement: '00' }] }), /measurement/],
    ['snp, expired', () => snp().run({ nowMs: Date.UTC(2030, 0, 1) }), /outside its dates/],
    ['snp, no chain', () => snp().run({ certificates: [] }), /0 certificates/],
    [
      'snp, a short chain',
      () => snp().run({ certificates: snp().certificates.slice(0, 2) }),
      /pinned root/,
    ],
    [
      'v5, expired',
      () => quoteV5(read('tdx_quote_v5.dat'), Date.UTC(2034, 0, 1)),
      /outside its dates/,
    ],
  ])('%s', async (_name, run, reason) => {
    expect((await run()).reason).toMatch(reason)
    count('refusals')
  })
})

describe.runIf(present)('a policy', () => {
  test('of a signer holds with its product and version', async () => {
    const { body, run } = intel('sgx')
    if (body.type !== 'sgx') throw new Error('the quote is not one of SGX')
    const { isvProdId, isvSvn: minimumIsvSvn } = body
    const measurements = [{ mrsigner: toHexDigits(body.mrSigner) }]
    const { reason, checks } = await run({ measurements, isvProdId, minimumIsvSvn })
    expect(reason).toBe('')
    expect(checks).toContain(`the product is ${isvProdId}`)
    count('policies')
  })
})

describe.runIf(present)('evidence that attesters make of real reports', () => {
  const context = (nowMs: number) => ({ crypto, nowMs })
  const subjectOf = (reportData: Uint8Array) => ({
    statementHash: reportData.subarray(0, 32),
    nonce: reportData.subarray(32),
  })

  test('a TDX quote holds as hardware, for its own statement and nonce alone', async () => {
    const { quote, body } = intel('tdx')
    const attester = openTdxAttester(
      () => readCollateralFile(join(FOLDER, 'tdx_quote_collateral.json')),
      async () => ({ provider: 'tdx_guest', report: quote, auxiliary: new Uint8Array() }),
    )
    const subject = subjectOf(body.reportData)
    const evidence = await attester.attest(subject)
    const mrtd = body.type === 'tdx' ? toHexDigits(body.mrTd) : ''
    const trust = { software: 'refuse', hardware: { tdx: { measurements: [{ mrtd }] } } } as const
    const verify = (shown = evidence, expected = subject, trusted: EvidenceTrust = trust) =>
      verifyEvidence(shown, expected, trusted, context(INTEL_NOW))
    const verdict = await verify()
    expect(verdict).toMatchObject({ ok: true, level: 'hardware', reason: '' })
    expect(verdict.checks).toContain('the platform is UpToDate')
    const other = { ...subject, nonce: new Uint8Array(32) }
    expect((await verify(evidence, other)).reason).toMatch(/report_data/)
    expect((await verify({ ...evidence, level: 'software-insecure' })).reason).toMatch(/claims/)
    expect((await verify({ ...evidence, format: 'intel-sgx-v1' })).reason).toMatch(/not trusted/)
    expect((await verify(evidence, subject, { software: 'any' })).reason).toMatch(/not trusted/)
    count('evidence')
  })

  test('an SEV-SNP report of a guest that may be debugged is refused, and for nothing else', async () => {
    const { report, certificates, reportData, measurements } = snp()
    const attester = openSnpAttester({ certificates }, async () => ({
      provider: 'sev_guest',
      report,
      auxiliary: new Uint8Array(),
    }))
    const subject = subjectOf(reportData)
    const trust = { software: 'refuse', hardware: { snp: { measurements } } } as const
    const evidence = await attester.attest(subject)
    const verdict = await verifyEvidence(evidence, subject, trust, context(SNP_NOW))
    expect(verdict).toMatchObject({ ok: false, level: 'hardware' })
    expect(verdict.reason).toMatch(SNP_DEBUG)
    count('evidence')
  })
})

afterAll(() => {
  if (present) console.warn('attestation:', counts)
})
