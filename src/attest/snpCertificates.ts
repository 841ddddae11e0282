/** The table of certificates that a host provides to SEV-SNP guests (GHCB Standardization, 56421, section 4.1.8.1). */
import { toHexDigits } from '../base/hex.ts'
import type { SnpDocument } from '../proof/attestation/snp.ts'

const ENTRY_LENGTH = 24
const MAX_ENTRIES = 32

const VCEK = '63da758de6644564adc5f4b93be8accd'
const VLEK = 'a8074bc2a25a483eaae639c045a0b8a1'
const ASK = '4ab7b379bbac4fe4a02f05aef327c782'
const ARK = 'c0b406a4a803495297433fb6014cd0ae'
const CRL = '92f81bc358114d3d97ffd19f88dc67ea'

/** What is in a document besides the report. */
export type SnpCertificates = Omit<SnpDocument, 'report'>

/**
 * DER of the key's certificate, of its issuer and of the root, with AMD's revocation list if there is one; undefined when
 * a certificate is missing or the table is malformed. A host has either a VCEK or a VLEK, which signs by default.
 */
export function readCertificateTable(table: Uint8Array): SnpCertificates | undefined {
  const view = new DataView(table.buffer, table.byteOffset, table.length)
  const found = new Map<string, Uint8Array>()
  for (let index = 0; index < MAX_ENTRIES; index++) {
    const at = index * ENTRY_LENGTH
    if (at + ENTRY_LENGTH > table.length) break
    const id = toHexDigits(table.subarray(at, at + 16))
    const offset = view.getUint32(at + 16, true)
    const length = view.getUint32(at + 20, true)
    if (length === 0) break
    if (offset + length > table.length) return undefined
    found.set(id, table.slice(offset, offset + length))
  }
  const chain = [found.get(VLEK) ?? found.get(VCEK), found.get(ASK), found.get(ARK)]
  const certificates = chain.filter((each) => each !== undefined)
  if (certificates.length < chain.length) return undefined
  const crl = found.get(CRL)
  return { certificates, ...(crl !== undefined && { crl }) }
}
