/** Quotes of Intel TDX and SGX with their collateral (Intel SGX and TDX DCAP quote verification; D79a). */
import { equalBytes } from '../../../base/bytes.ts'
import type { AttestationContext } from '../context.ts'
import { refuseUnless, type Ledger } from '../ledger.ts'
import { requireMeasurement, type Measurement } from '../measurement.ts'
import { INTEL_ROOTS } from '../roots.ts'
import type { IntelCollateral, TcbStatus } from './collateral.ts'
import { verifyPlatform } from './platform.ts'
import { parseQuote } from './quote.ts'
import type { SgxBody, TdxBody } from './quoteBody.ts'
import { verifyQuoteSignatures } from './quoteSignatures.ts'

const SGX_DEBUG = 0x02

export type IntelPolicy = {
  /** Accepted programs: "mrtd" and "rtmr0" to "rtmr3" of TDX, "mrenclave" and "mrsigner" of SGX. */
  readonly measurements: readonly Measurement[]
  /**
   * The product and the lowest version of it, of SGX: required where an entry names "mrsigner" without "mrenclave",
   * because its signer's key alone stands for every program that it ever signed.
   */
  readonly isvProdId?: number
  readonly minimumIsvSvn?: number
  /** States of firmware that are accepted for platform, TDX module and quoting enclave; only UpToDate by default. */
  readonly tcbStatuses?: readonly TcbStatus[]
  /** The lowest accepted number of Intel's evaluation ("tcbEvaluationDataNumber"); any by default. */
  readonly minimumEvaluation?: number
  /** SHA-256 of accepted roots, hex digits; Intel's own by default. */
  readonly roots?: readonly string[]
}

export type IntelDocument = { readonly quote: Uint8Array; readonly collateral: IntelCollateral }

export type IntelExpectation = {
  readonly type: 'tdx' | 'sgx'
  /** 64 bytes. */
  readonly reportData: Uint8Array
  readonly policy: IntelPolicy
}

function registersOf(body: SgxBody | TdxBody): ReadonlyMap<string, Uint8Array> {
  if (body.type === 'sgx')
    return new Map([
      ['mrenclave', body.mrEnclave],
      ['mrsigner', body.mrSigner],
    ])
  const runtime = body.runtime.map((value, i) => [`rtmr${i}`, value] as const)
  return new Map([['mrtd', body.mrTd], ...runtime])
}

// Any bit in the first byte of the TD attributes makes a trust domain debuggable.
function isDebuggable(body: SgxBody | TdxBody): boolean {
  return body.type === 'sgx'
    ? ((body.attributes[0] ?? 0) & SGX_DEBUG) !== 0
    : body.tdAttributes[0] !== 0
}

/** Verifies a quote. Throws AttestationRefused with the reason, and other errors on malformed bytes. */
export async function verifyIntel(
  context: AttestationContext,
  ledger: Ledger,
  document: IntelDocument,
  { type, reportData, policy }: IntelExpectation,
): Promise<void> {
  const quote = parseQuote(document.quote)
  const { body } = quote
  ledger.require(
    body.type === type,
    `the quote is one of ${type.toUpperCase()}, version ${quote.version}`,
    `the quote is not one of ${type.toUpperCase()}`,
  )
  const roots = policy.roots ?? INTEL_ROOTS
  const signed = await verifyQuoteSignatures(context, ledger, quote, roots)
  await verifyPlatform(context, ledger, document.collateral, { body, ...signed, roots, policy })
  ledger.require(
    equalBytes(body.reportData, reportData),
    'report_data is the expected one',
    'report_data is not the hash of this statement and the nonce',
  )
  ledger.require(
    !isDebuggable(body),
    'what runs cannot be debugged',
    'what runs may be debugged: its attributes say so',
  )
  const entry = requireMeasurement(ledger, registersOf(body), policy.measurements)
  if (body.type === 'sgx') requireProduct(ledger, body, entry, policy)
  else if (entry['rtmr1'] === undefined || entry['rtmr2'] === undefined)
    ledger.leave(
      'kernel and operating system: the policy names no RTMR1 and RTMR2, so it measures the firmware of the trust domain alone',
    )
}

/** Product and version of an enclave (Intel SDM, volume 3D, 39.1.2: ISVPRODID and ISVSVN). */
function requireProduct(
  ledger: Ledger,
  { isvProdId, isvSvn }: SgxBody,
  entry: Measurement,
  policy: IntelPolicy,
): void {
  const { isvProdId: product, minimumIsvSvn: minimum } = policy
  refuseUnless(
    entry['mrenclave'] !== undefined || (product !== undefined && minimum !== undefined),
    'the policy accepts every program of a signer: it must name isvProdId and minimumIsvSvn',
  )
  if (product !== undefined)
    ledger.require(
      isvProdId === product,
      `the product is ${product}`,
      `the product is ${isvProdId}, not ${product}`,
    )
  if (minimum !== undefined)
    ledger.require(
      isvSvn >= minimum,
      `the security version is ${isvSvn}`,
      `the security version is ${isvSvn}, below ${minimum}`,
    )
}
