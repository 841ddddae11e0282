/** Real evidence of AWS Nitro, Intel TDX and SGX, and AMD SEV-SNP (vectors: attestation): as it is, flipped, cut, elsewhere. */
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { afterAll, describe, expect, test } from 'vitest'
import { readCollateralFile } from '../../src/attest/collateralFile.ts'
import { openSnpAttester } from '../../src/attest/snp.ts'
import { openTdxAttester } from '../../src/attest/tdx.ts'
import { toHexDigits } from '../../src/base/hex.ts'
import { verifyEvidence, type EvidenceTrust } from '../../src/proof/attestation.ts'
import type { AttestationContext } from '../../src/proof/attestation/context.ts'
import type { AttestationCrypto } from '../../src/proof/attestation/crypto.ts'
import { DerError } from '../../src/proof/attestation/der.ts'
import {
  decodeIntelDocument,
  decodeSnpDocument,
  encodeIntelDocument,
  encodeSnpDocument,
} from '../../src/proof/attestation/documents.ts'
import type { IntelCollateral, TcbStatus } from '../../src/proof/attestation/intel/collateral.ts'
import { verifyIntel } from '../../src/proof/attestation/intel/dcap.ts'
import { parseQuote } from '../../src/proof/attestation/intel/quote.ts'
import { verifyQuoteSignatures } from '../../src/proof/attestation/intel/quoteSignatures.ts'
import {
  AttestationRefused,
  createLedger,
  type Ledger,
} from '../../src/proof/attestation/ledger.ts'
import type { Measurement } from '../../src/proof/attestation/measurement.ts'
import { verifyNitro, type NitroBinding } from '../../src/proof/attestation/nitro.ts'
import { readPem } from '../../src/proof/attestation/pem.ts'
import { INTEL_ROOTS } from '../../src/proof/attestation/roots.ts'
import { verifySnp } from '../../src/proof/attestation/snp.ts'
import { webCrypto } from '../../src/proof/attestation/webCrypto.ts'
import { parseCertificate } from '../../src/proof/attestation/x509.ts'
import { asMap } from '../../src/proof/attestation/cborFields.ts'
import { CborError, decodeCbor } from '../../src/proof/cbor.ts'
import { decodeCoseSign1 } from '../../src/proof/cose.ts'

const FOLDER = join(process.env['ASSAY_VECTORS'] ?? '../shared/vectors', 'attestation')
const REQUIRED = process.env['ASSAY_VECTORS_REQUIRED'] === '1'
/** Every bit of every byte, instead of one bit of every byte. */
const FULL = process.env['ASSAY_VECTORS_FULL'] === '1'
const present = existsSync(FOLDER)
if (!present && !REQUIRED) console.warn(`skipped: no vectors in ${FOLDER} (set ASSAY_VECTORS)`)

const counts: Record<string, number> = {}
const count = (what: string) => (counts[what] = (counts[what] ?? 0) + 1)
const read = (name: string) => new Uint8Array(readFileSync(join(FOLDER, name)))

/** Most of a tampered document is the document: what was computed once is remembered. */
function remembering(crypto: AttestationCrypto): AttestationCrypto {
  const known = new Map<string, Promise<boolean>>()
  const once = (parts: readonly Uint8Array[], compute: () => Promise<boolean>) => {
    const key = parts.map(toHexDigits).join()
    const result = known.get(key) ?? compute()
    if (known.size < 1000) known.set(key, result)
    return result
  }
  return {
    verifyEcdsa: (curve, ...parts) => once(parts, () => crypto.verifyEcdsa(curve, ...parts)),
    verifyRsaPss: (...parts) => once(parts, () => crypto.verifyRsaPss(...parts)),
  }
}
const crypto = remembering(webCrypto(globalThis.crypto.subtle))

/** '' when it holds, otherwise the reason; with what was checked, so that two verdicts can be compared. */
type Verdict = { readonly reason: string; readonly checks: readonly string[] }
type Verify = (context: AttestationContext, ledger: Ledger) => Promise<void>

async function judge(nowMs: number, verify: Verify): Promise<Verdict> {
  const ledger = createLedger()
  try {
    await verify({ crypto, nowMs }, ledger)
    return { reason: '', checks: ledger.lines }
  } catch (error) {
    const isExpected =
      error instanceof AttestationRefused ||
      error instanceof DerError ||
      error instanceof CborError ||
      error instanceof SyntaxError
    if (!isExpected) throw error
    return { reason: error.message, checks: ledger.lines }
  }
}

/** A document, how it is judged, and what its verdict is as it stands. */
type Case = {
  readonly name: string
  readonly bytes: Uint8Array
  readonly reason: RegExp
  readonly judge: (bytes: Uint8Array) => Promise<Verdict>
  /** From here on the bytes are padding that no signature covers: they must be zero, and may be missing. */
  readonly paddingFrom?: number
}

type NitroChange = {
  readonly binding?: Partial<NitroBinding>
  readonly nowMs?: number
  readonly measurements?: readonly Measurement[]
}

function nitro(document: Uint8Array, change: NitroChange = {}): Promise<Verdict> {
  const intact = nitroFacts(document)
  return judge(change.nowMs ?? intact.timestampMs + 60_000, (context, ledger) =>
    verifyNitro(context, ledger, document, {
      binding: { ...intact.binding, ...change.binding },
      policy: { measurements: change.measurements ?? [{ pcr0: intact.pcr0, pcr8: intact.pcr8 }] },
    }),
  )
}

function nitroFacts(document: Uint8Array) {
  const payload = asMap(decodeCbor(decodeCoseSign1(document).payload), 'the payload')
  const field = (name: string) => {
    const value = payload.get(name)
    return value instanceof Uint8Array ? value : null
  }
  const pcrs = asMap(payload.get('pcrs'), 'pcrs')
  const pcr = (index: number) => toHexDigits(pcrs.get(index) as Uint8Array)
  return {
    timestampMs: Number(payload.get('timestamp')),
    pcr0: pcr(0),
    pcr8: pcr(8),
    binding: {
      userData: field('user_data'),
      nonce: field('nonce'),
      publicKey: field('public_key'),
    },
  }
}

/** Judges changed bytes by what the document said before. */
function nitroCase(name: string, reason: RegExp): Case {
  const bytes = read(name)
  const { timestampMs, binding, pcr0 } = nitroFacts(bytes)
  const policy = { measurements: [{ pcr0 }] }
  const run = (document: Uint8Array) =>
    judge(timestampMs + 60_000, (context, ledger) =>
      verifyNitro(context, ledger, document, { binding, policy }),
    )
  return { name, bytes, reason, judge: run }
}

/** Of TDX and SGX, read once: cases are made of them before any test runs. */
const collaterals: Record<string, IntelCollateral> = {}
for (const type of present ? ['tdx', 'sgx'] : [])
  collaterals[type] = await readCollateralFile(join(FOLDER, `${type}_quote_collateral.json`))

const INTEL_NOW = Date.UTC(2025, 5, 20)
const ACCEPTED: readonly TcbStatus[] = ['UpToDate', 'ConfigurationAndSWHardeningNeeded']

type IntelChange = {
  readonly quote?: Uint8Array
  readonly collateral?: IntelCollateral
  readonly nowMs?: number
  readonly reportData?: Uint8Array
  readonly measurements?: readonly Measurement[]
  readonly tcbStatuses?: readonly TcbStatus[]
  readonly minimumEvaluation?: number
  readonly roots?: readonly string[]
}

function intel(type: 'tdx' | 'sgx') {
  const quote = read(`${type}_quote`)
  const collateral = collaterals[type] as IntelCollateral
  const { body } = parseQuote(quote)
  const measurements =
    body.type === 'tdx'
      ? [{ mrtd: toHexDigits(body.mrTd), rtmr3: toHexDigits(body.runtime[3] as Uint8Array) }]
      : [{ mrenclave: toHexDigits(body.mrEnclave) }]
  const run = (change: IntelChange = {}) =>
    judge(change.nowMs ?? INTEL_NOW, (context, ledger) =>
      verifyIntel(
        context,
        ledger,
        { quote, collateral, ...change },
        {
          type,
          reportData: change.reportData ?? body.reportData,
          policy: { measurements, tcbStatuses: ACCEPTED, ...change },
        },
      ),
    )
  return { quote, collateral, body, run }
}

function intelCases(type: 'tdx' | 'sgx', quoteEnd: number): readonly Case[] {
  const { quote, collateral, body, run } = intel(type)
  const policy = {
    measurements: [
      body.type === 'tdx'
        ? { mrtd: toHexDigits(body.mrTd) }
        : { mrenclave: toHexDigits(body.mrEnclave) },
    ],
    tcbStatuses: ACCEPTED,
  }
  const { reportData } = body
  const part = (name: keyof IntelCollateral): Case => {
    const value = collateral[name]
    const bytes =
      typeof value === 'string'
        ? Buffer.from(value)
        : value instanceof Uint8Array
          ? value
          : undefined
    const chain = Array.isArray(value) ? (value as readonly Uint8Array[]) : []
    return {
      name: `${type} collateral, ${name}`,
      bytes: new Uint8Array(bytes ?? chain[0] ?? []),
      reason: /^$/,
      judge: (changed) => {
        const replaced =
          typeof value === 'string'
            ? Buffer.from(changed).toString('latin1')
            : value instanceof Uint8Array
              ? changed
              : [changed, ...chain.slice(1)]
        return run({ collateral: { ...collateral, [name]: replaced } })
      },
    }
  }
  return [
    {
      name: `${type}_quote`,
      bytes: quote,
      reason: /^$/,
      judge: (changed) => run({ quote: changed }),
      paddingFrom: quoteEnd,
    },
    ...(Object.keys(collateral) as (keyof IntelCollateral)[]).map(part),
    {
      name: `${type} evidence`,
      bytes: encodeIntelDocument({ quote: quote.subarray(0, quoteEnd), collateral }),
      reason: /^$/,
      judge: (changed) =>
        judge(INTEL_NOW, (context, ledger) =>
          verifyIntel(context, ledger, decodeIntelDocument(changed), { type, reportData, policy }),
        ),
    },
  ]
}

function quoteV5(bytes: Uint8Array, nowMs = Date.UTC(2026, 5, 20)): Promise<Verdict> {
  return judge(nowMs, async (context, ledger) => {
    await verifyQuoteSignatures(context, ledger, parseQuote(bytes), INTEL_ROOTS)
  })
}

const SNP_NOW = Date.UTC(2024, 0, 1)

type SnpChange = {
  readonly report?: Uint8Array
  readonly certificates?: readonly Uint8Array[]
  readonly nowMs?: number
  readonly reportData?: Uint8Array
  readonly measurements?: readonly Measurement[]
}

function snp() {
  const report = read('snp-attestation.bin')
  const authorities = readPem(readFileSync(join(FOLDER, 'snp-milan.testcer'), 'utf8'))
  const certificates = [read('snp-vcek.testcer'), ...authorities]
  const reportData = report.slice(0x50, 0x90)
  const measurements = [{ measurement: toHexDigits(report.subarray(0x90, 0xc0)) }]
  const run = (change: SnpChange = {}) =>
    judge(change.nowMs ?? SNP_NOW, (context, ledger) =>
      verifySnp(
        context,
        ledger,
        { report, certificates, ...change },
        {
          reportData: change.reportData ?? reportData,
          policy: { measurements: change.measurements ?? measurements },
        },
      ),
    )
  return { report, certificates, reportData, measurements, run }
}

// The real report is of a guest that may be debugged: everything before that check holds, and it is the last one.
const SNP_DEBUG = /may be debugged: bit 19/

function snpCases(): readonly Case[] {
  const { report, certificates, reportData, measurements, run } = snp()
  return [
    {
      name: 'snp-attestation.bin',
      bytes: report,
      reason: SNP_DEBUG,
      judge: (changed) => run({ report: changed }),
    },
    ...certificates.map((certificate, at): Case => ({
      name: `snp certificate ${at}`,
      bytes: certificate,
      reason: SNP_DEBUG,
      judge: (changed) => run({ certificates: certificates.with(at, changed) }),
    })),
    {
      name: 'snp evidence',
      bytes: encodeSnpDocument({ report, certificates }),
      reason: SNP_DEBUG,
      judge: (changed) =>
        judge(SNP_NOW, (context, ledger) =>
          verifySnp(context, ledger, decodeSnpDocument(changed), {
            reportData,
            policy: { measurements },
          }),
        ),
    },
  ]
}

const cases: readonly Case[] = present
  ? [
      nitroCase('nitro-2022-production.cose', /^$/),
      nitroCase('nitro-2023-debug.cose', /debug mode: PCR0 is zero/),
      ...intelCases('tdx', 4936),
      ...intelCases('sgx', 4600),
      { name: 'tdx_quote_v5.dat', bytes: read('tdx_quote_v5.dat'), reason: /^$/, judge: quoteV5 },
      ...snpCases(),
    ]
  : []

test('the vectors are there when they are required', () => {
  expect(present || !REQUIRED).toBe(true)
})

describe.each(cases)('$name', ({ bytes, reason, judge, paddingFrom = bytes.length }) => {
  test('has the verdict that it must have', async () => {
    const verdict = await judge(bytes)
    expect(verdict.reason).toMatch(reason)
    expect(verdict.checks.length).toBeGreaterThan(3)
    count('documents')
  })

  test('is refused with any byte changed', async () => {
    const intact = await judge(bytes)
    for (let index = 0; index < bytes.length; index++)
      for (const bit of FULL ? [0, 1, 2, 3, 4, 5, 6, 7] : [index % 8]) {
        const changed = bytes.slice()
        changed[index] = (changed[index] ?? 0) ^ (1 << bit)
        const { reason } = await judge(changed)
        if (reason === '' || reason === intact.reason)
          expect.fail(`bit ${bit} of byte ${index} does not matter: "${reason}"`)
        count('flips')
      }
  })

  test('is refused at any other length', async () => {
    const intact = await judge(bytes)
    for (let length = 0; length < paddingFrom; length++) {
      const { reason } = await judge(bytes.slice(0, length))
      if (reason === '' || reason === intact.reason)
        expect.fail(`${length} of ${bytes.length} bytes are enough: "${reason}"`)
      count('truncations')
    }
    for (let length = paddingFrom; length < bytes.length; length++)
      expect(await judge(bytes.slice(0, length))).toEqual(intact)
    const longer = await judge(Uint8Array.from([...bytes, 1]))
    expect(longer.reason).not.toBe('')
    expect(longer.reason).not.toBe(intact.reason)
  })
})

describe.runIf(present)('a verdict says what is wrong with', () => {
  const other = new Uint8Array(64).fill(9)
  const production = () => read('nitro-2022-production.cose')
  const madeMs = () => nitroFacts(production()).timestampMs
  const HOUR = 3_600_000
  const day = 24 * HOUR
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
    const attester = openSnpAttester(certificates, async () => ({
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

test.runIf(present)('hostile DER and CBOR is refused without a crash', async () => {
  const seeds = cases.map(({ bytes, judge }) => ({ bytes, judge }))
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom(...seeds),
      fc.double({ min: 0, max: 1, noNaN: true }),
      fc.nat(64),
      fc.uint8Array({ maxLength: 64 }),
      async ({ bytes, judge }, where, removed, inserted) => {
        const at = Math.floor(where * bytes.length)
        const changed = Uint8Array.from([
          ...bytes.subarray(0, at),
          ...inserted,
          ...bytes.subarray(at + removed),
        ])
        await judge(changed)
        count('mutations')
      },
    ),
    { numRuns: FULL ? 20_000 : 2000 },
  )
  const [certificate] = snp().certificates
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 300 }), fc.nat(1300), (noise, at) => {
      const changed = Uint8Array.from(certificate ?? [])
      changed.set(noise.subarray(0, changed.length - at), Math.min(at, changed.length))
      try {
        parseCertificate(changed)
      } catch (error) {
        expect(error).toBeInstanceOf(DerError)
      }
      count('noisy certificates')
    }),
    { numRuns: 2000 },
  )
})

afterAll(() => {
  if (present) console.warn('attestation:', counts)
})
