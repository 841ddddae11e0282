/** The table of certificates that a host provides to SEV-SNP guests (GHCB Standardization, 56421, section 4.1.8.1). */
import { toHexDigits } from '../base/hex.ts'

const ENTRY_LENGTH = 24
const MAX_ENTRIES = 32

const VCEK = '63da758de6644564adc5f4b93be8accd'
const ASK = '4ab7b379bbac4fe4a02f05aef327c782'
const ARK = 'c0b406a4a803495297433fb6014cd0ae'

/** DER of VCEK, ASK and ARK, or undefined when one is missing or the table is malformed. */
export function readCertificateTable(table: Uint8Array): readonly Uint8Array[] | undefined {
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
  const chain = [VCEK, ASK, ARK].map((id) => found.get(id))
  return chain.every((certificate) => certificate !== undefined) ? chain : undefined
}
