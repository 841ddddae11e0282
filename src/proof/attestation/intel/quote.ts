/**
 * Quotes of Intel DCAP: version 3 (SGX), 4 and 5 (SGX and TDX), signed with ECDSA P-256 (SGX ECDSA QuoteGeneration Reference
 * Library, appendix A; TDX DCAP Quoting Library API, appendix A). Parsing only.
 */
import { toHexDigits } from '../../../base/hex.ts'
import { isZero, readUint } from '../littleEndian.ts'
import { readPem } from '../pem.ts'
import {
  readSgxBody,
  readTdxBody,
  SGX_BODY_LENGTH,
  TDX_10_BODY_LENGTH,
  TDX_15_BODY_LENGTH,
  type SgxBody,
  type TdxBody,
} from './quoteBody.ts'

/** Maximum length of a quote; real ones have about 5 KB. */
const MAX_LENGTH = 32_768
const HEADER_LENGTH = 48
const ECDSA_P256 = 2
const TEE_SGX = 0
const TEE_TDX = 0x81
const INTEL_QE_VENDOR = '939a7233f79c4ca9940a0db3957f0607'
const CERTIFICATE_CHAIN = 5
const QE_REPORT_DATA = 6

export type Quote = {
  readonly version: number
  readonly body: SgxBody | TdxBody
  /** Header and body: what the attestation key signed. */
  readonly signedBytes: Uint8Array
  /** r || s. */
  readonly signature: Uint8Array
  /** x || y of the attestation key. */
  readonly attestationKey: Uint8Array
  /** The quoting enclave's report, which binds the attestation key, and the PCK's signature over it. */
  readonly qeReport: Uint8Array
  readonly qeReportSignature: Uint8Array
  readonly qeAuthentication: Uint8Array
  /** DER certificates: PCK first, root last. */
  readonly chain: readonly Uint8Array[]
}

type Cursor = { readonly bytes: Uint8Array; offset: number }

function take(cursor: Cursor, length: number): Uint8Array {
  const end = cursor.offset + length
  if (end > cursor.bytes.length) throw new SyntaxError('the quote ends early')
  const part = cursor.bytes.subarray(cursor.offset, end)
  cursor.offset = end
  return part
}

function takeUint(cursor: Cursor, size: number): number {
  return readUint(take(cursor, size), 0, size)
}

function takeBody(cursor: Cursor, version: number, teeType: number): SgxBody | TdxBody {
  if (version < 5)
    return teeType === TEE_SGX
      ? readSgxBody(take(cursor, SGX_BODY_LENGTH))
      : readTdxBody(take(cursor, TDX_10_BODY_LENGTH))
  const type = takeUint(cursor, 2)
  const length = takeUint(cursor, 4)
  if (type === 1 && length === SGX_BODY_LENGTH && teeType === TEE_SGX)
    return readSgxBody(take(cursor, length))
  const tdxLength = type === 2 ? TDX_10_BODY_LENGTH : type === 3 ? TDX_15_BODY_LENGTH : undefined
  if (length !== tdxLength || teeType !== TEE_TDX)
    throw new SyntaxError('the body of the quote is of an unknown kind')
  return readTdxBody(take(cursor, length))
}

function expectEnd({ bytes, offset }: Cursor, what: string): void {
  if (offset !== bytes.length) throw new SyntaxError(`bytes are left over in ${what}`)
}

/** From version 4 on, the quoting enclave's report has certification data of its own. */
function openCertification(cursor: Cursor, version: number): Cursor {
  if (version === 3) return cursor
  if (takeUint(cursor, 2) !== QE_REPORT_DATA)
    throw new SyntaxError('the quote carries no report of the quoting enclave')
  const bytes = take(cursor, takeUint(cursor, 4))
  expectEnd(cursor, 'the signature data')
  return { bytes, offset: 0 }
}

/** The PEM chain of a quote; quoting libraries end it with a zero byte. */
function readChain(bytes: Uint8Array): readonly Uint8Array[] {
  const text = bytes.at(-1) === 0 ? bytes.subarray(0, -1) : bytes
  return readPem(Array.from(text, (byte) => String.fromCharCode(byte)).join(''))
}

/** Parses a quote. Trailing zeros are allowed, as some quoting libraries leave them in their buffer. Throws SyntaxError. */
export function parseQuote(bytes: Uint8Array): Quote {
  if (bytes.length > MAX_LENGTH) throw new SyntaxError('the quote is too long')
  const cursor = { bytes, offset: 0 }
  const header = take(cursor, HEADER_LENGTH)
  const version = readUint(header, 0, 2)
  const teeType = readUint(header, 4, 4)
  if (![3, 4, 5].includes(version)) throw new SyntaxError('the quote is of an unknown version')
  if (readUint(header, 2, 2) !== ECDSA_P256)
    throw new SyntaxError('the quote is not signed with ECDSA P-256')
  if (teeType !== TEE_SGX && (teeType !== TEE_TDX || version === 3))
    throw new SyntaxError('the quote is of an unknown kind of TEE')
  if (toHexDigits(header.subarray(12, 28)) !== INTEL_QE_VENDOR)
    throw new SyntaxError("the quote is not made by Intel's quoting enclave")
  const body = takeBody(cursor, version, teeType)
  const signedBytes = bytes.subarray(0, cursor.offset)
  const data = { bytes: take(cursor, takeUint(cursor, 4)), offset: 0 }
  if (!isZero(bytes.subarray(cursor.offset)))
    throw new SyntaxError('bytes other than zero are left over after the quote')
  const signature = take(data, 64)
  const attestationKey = take(data, 64)
  const certification = openCertification(data, version)
  const qeReport = take(certification, SGX_BODY_LENGTH)
  const qeReportSignature = take(certification, 64)
  const qeAuthentication = take(certification, takeUint(certification, 2))
  if (takeUint(certification, 2) !== CERTIFICATE_CHAIN)
    throw new SyntaxError('the quote does not carry its chain of certificates')
  const chain = readChain(take(certification, takeUint(certification, 4)))
  expectEnd(certification, 'the certification data')
  return {
    version,
    body,
    signedBytes,
    signature,
    attestationKey,
    qeReport,
    qeReportSignature,
    qeAuthentication,
    chain,
  }
}
