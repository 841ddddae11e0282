/** ATTESTATION_REPORT of AMD SEV-SNP (SEV Secure Nested Paging Firmware ABI Specification, 56860, tables 22 to 24). */
import { concatBytes } from '../../base/bytes.ts'
import { isZero, readUint, readUint64 } from './littleEndian.ts'

const LENGTH = 0x4a0
const SIGNATURE_OFFSET = 0x2a0
// r and s are in fields of 72 bytes each, the rest of the signature's 512 bytes is reserved.
const NUMBER_FIELD = 72
const NUMBER_SIZE = 48
const VERSIONS: ReadonlySet<number> = new Set([2, 3, 4, 5])
const ECDSA_P384_SHA384 = 1

export type SnpReport = {
  /** Everything that the signature covers. */
  readonly signedBytes: Uint8Array
  /** r || s, big endian, 48 bytes each. */
  readonly signature: Uint8Array
  readonly policy: bigint
  readonly vmpl: number
  /** Bits 2 to 4 of the key field: 0 for a VCEK, 1 for a VLEK. */
  readonly signingKey: number
  readonly reportData: Uint8Array
  readonly measurement: Uint8Array
  readonly reportedTcb: Uint8Array
  readonly chipId: Uint8Array
}

/** Parses a report of 1184 bytes. Throws SyntaxError. */
export function parseSnpReport(bytes: Uint8Array): SnpReport {
  if (bytes.length !== LENGTH) throw new SyntaxError('the report has not 1184 bytes')
  if (!VERSIONS.has(readUint(bytes, 0, 4)))
    throw new SyntaxError('the report is of an unknown version')
  if (readUint(bytes, 0x34, 4) !== ECDSA_P384_SHA384)
    throw new SyntaxError('the report is not signed with ECDSA P-384')
  const part = (offset: number, size: number) => bytes.subarray(offset, offset + size)
  const second = SIGNATURE_OFFSET + NUMBER_FIELD
  const padding = [
    part(SIGNATURE_OFFSET + NUMBER_SIZE, NUMBER_FIELD - NUMBER_SIZE),
    bytes.subarray(second + NUMBER_SIZE),
  ]
  if (!padding.every(isZero)) throw new SyntaxError('the signature has other bytes than r and s')
  return {
    signedBytes: part(0, SIGNATURE_OFFSET),
    signature: concatBytes(
      part(SIGNATURE_OFFSET, NUMBER_SIZE).toReversed(),
      part(second, NUMBER_SIZE).toReversed(),
    ),
    policy: readUint64(bytes, 0x08),
    vmpl: readUint(bytes, 0x30, 4),
    signingKey: (readUint(bytes, 0x48, 4) >>> 2) & 7,
    reportData: part(0x50, 64),
    measurement: part(0x90, 48),
    reportedTcb: part(0x180, 8),
    chipId: part(0x1a0, 64),
  }
}
