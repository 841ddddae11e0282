/** Reports of AMD SEV-SNP under a root of our own, with every field as a test wants it. */
import { sha256 } from '../../src/base/sha256.ts'
import { concatBytes } from '../../src/base/bytes.ts'
import { fromHex, toHexDigits } from '../../src/base/hex.ts'
import { encodeSnpDocument } from '../../src/proof/attestation/documents.ts'
import type { SnpPolicy } from '../../src/proof/attestation/snp.ts'
import { der, extension, makeCertificate, makeRevocationList, signRaw } from './certificates.ts'
import { AROUND_NOW, subject } from './evidence.ts'

const MEASUREMENT = new Uint8Array(48).fill(0xab)
export const CHIP = new Uint8Array(64).fill(0xcd)
/** Bit 17 is always set, bit 16 allows several threads per core. */
export const POLICY = 0x30000n

const dates = { ...AROUND_NOW, curve: 'P-384' } as const
const ark = makeCertificate({ ...dates, subject: 'ARK', isAuthority: true })
const ask = makeCertificate({ ...dates, subject: 'ASK', isAuthority: true, issuer: ark, serial: 2 })
const LIST_DATES = { thisUpdateMs: AROUND_NOW.notBeforeMs, nextUpdateMs: AROUND_NOW.notAfterMs }

/** 1.3.6.1.4.1.3704.1 and the numbers below it, in DER. */
const amd = (...arcs: readonly number[]) =>
  der(0x06, concatBytes(fromHex('2b060104019c7801'), Uint8Array.from(arcs)))
const integer = (value: number) => der(0x02, Uint8Array.of(value))

export type SnpChange = {
  readonly product?: string
  readonly chip?: Uint8Array
  readonly versions?: Readonly<Record<number, number>>
  /** Bytes of the report by offset. */
  readonly report?: Readonly<Record<number, Uint8Array>>
  readonly policy?: Partial<SnpPolicy>
  /** A provider whose VLEK signs, instead of a chip's VCEK. */
  readonly provider?: string
  /** Serial numbers on AMD's revocation list; without one, the document carries no list. */
  readonly revoked?: readonly number[]
}

export const uint64 = (value: bigint) => {
  const bytes = new Uint8Array(8)
  new DataView(bytes.buffer).setBigUint64(0, value, true)
  return bytes
}

/** A document, and the policy that accepts it unless it was changed. */
export function makeSnpDocument({
  product = 'Milan-B0',
  chip = CHIP,
  versions,
  report,
  policy,
  provider,
  revoked,
}: SnpChange = {}): { readonly document: Uint8Array; readonly policy: SnpPolicy } {
  const levels = Object.entries({ 1: 2, 2: 0, 3: 5, 8: 0x44, ...versions })
  const vcek = makeCertificate({
    ...dates,
    subject: 'VCEK',
    isAuthority: false,
    issuer: ask,
    extensions: [
      extension(amd(2), der(0x16, Buffer.from(product))),
      ...levels.map(([part, level]) => extension(amd(3, Number(part)), integer(level))),
      provider === undefined
        ? extension(amd(4), chip)
        : extension(amd(5), der(0x16, Buffer.from(provider))),
    ],
  })
  const bytes = new Uint8Array(0x4a0)
  const fields = {
    0x00: Uint8Array.of(2),
    0x08: uint64(POLICY),
    0x34: Uint8Array.of(1),
    0x48: Uint8Array.of(provider === undefined ? 0 : 4),
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
    ...(revoked !== undefined && { crl: makeRevocationList(ark, revoked, LIST_DATES) }),
  })
  const accepted = {
    measurements: [{ measurement: toHexDigits(MEASUREMENT) }],
    roots: [toHexDigits(sha256(ark.bytes))],
    ...policy,
  }
  return { document, policy: accepted }
}
