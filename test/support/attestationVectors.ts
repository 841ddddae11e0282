/** Real hardware evidence (vectors: attestation), how each document is verified, and its verdict. */
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { readCollateralFile } from '../../src/attest/collateralFile.ts'
import { toHexDigits } from '../../src/base/hex.ts'
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
import { asMap } from '../../src/proof/attestation/cborFields.ts'
import { CborError, decodeCbor } from '../../src/proof/cbor.ts'
import { decodeCoseSign1 } from '../../src/proof/cose.ts'

export const FOLDER = join(process.env['ASSAY_VECTORS'] ?? '../shared/vectors', 'attestation')
export const REQUIRED = process.env['ASSAY_VECTORS_REQUIRED'] === '1'
/** Every bit of every byte, instead of one bit of every byte. */
export const FULL = process.env['ASSAY_VECTORS_FULL'] === '1'
export const present = existsSync(FOLDER)
if (!present && !REQUIRED) console.warn(`skipped: no vectors in ${FOLDER} (set ASSAY_VECTORS)`)

export const read = (name: string) => new Uint8Array(readFileSync(join(FOLDER, name)))

/** A tampered document is mostly unchanged, so computed results are cached. */
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
export const crypto = remembering(webCrypto(globalThis.crypto.subtle))

/** '' when it is valid, otherwise the reason; with what was checked, so that two verdicts can be compared. */
export type Verdict = { readonly reason: string; readonly checks: readonly string[] }
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

/** A document, how it is verified, and the verdict on it unchanged. */
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

export function nitro(document: Uint8Array, change: NitroChange = {}): Promise<Verdict> {
  const intact = nitroFacts(document)
  return judge(change.nowMs ?? intact.timestampMs + 60_000, (context, ledger) =>
    verifyNitro(context, ledger, document, {
      binding: { ...intact.binding, ...change.binding },
      policy: { measurements: change.measurements ?? [{ pcr0: intact.pcr0, pcr8: intact.pcr8 }] },
    }),
  )
}

export function nitroFacts(document: Uint8Array) {
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

/** Verifies changed bytes against the values of the original document. */
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

export const INTEL_NOW = Date.UTC(2025, 5, 20)
const ACCEPTED: readonly TcbStatus[] = ['UpToDate', 'ConfigurationAndSWHardeningNeeded']

type IntelChange = {
  readonly quote?: Uint8Array
  readonly collateral?: IntelCollateral
  readonly nowMs?: number
  readonly reportData?: Uint8Array
  readonly measurements?: readonly Measurement[]
  readonly tcbStatuses?: readonly TcbStatus[]
  readonly minimumEvaluation?: number
  readonly isvProdId?: number
  readonly minimumIsvSvn?: number
  readonly roots?: readonly string[]
}

export function intel(type: 'tdx' | 'sgx') {
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

export function quoteV5(bytes: Uint8Array, nowMs = Date.UTC(2026, 5, 20)): Promise<Verdict> {
  return judge(nowMs, async (context, ledger) => {
    await verifyQuoteSignatures(context, ledger, parseQuote(bytes), INTEL_ROOTS)
  })
}

export const SNP_NOW = Date.UTC(2024, 0, 1)

type SnpChange = {
  readonly report?: Uint8Array
  readonly certificates?: readonly Uint8Array[]
  readonly nowMs?: number
  readonly reportData?: Uint8Array
  readonly measurements?: readonly Measurement[]
}

export function snp() {
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
export const SNP_DEBUG = /may be debugged: bit 19/

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

export const cases: readonly Case[] = present
  ? [
      nitroCase('nitro-2022-production.cose', /^$/),
      nitroCase('nitro-2023-debug.cose', /debug mode: PCR0 is zero/),
      ...intelCases('tdx', 4936),
      ...intelCases('sgx', 4600),
      { name: 'tdx_quote_v5.dat', bytes: read('tdx_quote_v5.dat'), reason: /^$/, judge: quoteV5 },
      ...snpCases(),
    ]
  : []
