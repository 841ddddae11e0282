/** The hash of everything that turns texts into tokens. */
import { createHash } from 'node:crypto'
import type { Hex } from '../../../base/hex.ts'
import { utf8 } from '../../../base/bytes.ts'
import type { MetadataValue, ModelHead } from '../modelFile.ts'

/**
 * SHA-256 over the label and each key below `tokenizer.ggml.` with its value, sorted by key: texts as their length (4 bytes,
 * big-endian) and UTF-8, numbers as 8 bytes of IEEE 754, lists as their length and elements, each after a byte for its kind.
 */
export function tokenListHash({ metadata }: ModelHead): Hex {
  const hash = createHash('sha256').update('Assay/token-list/v1\0')
  const length = (value: number): Buffer => {
    const out = Buffer.alloc(4)
    out.writeUInt32BE(value)
    return out
  }
  const add = (value: MetadataValue): void => {
    if (typeof value === 'string') {
      const bytes = utf8(value)
      hash.update('s').update(length(bytes.length)).update(bytes)
    } else if (typeof value === 'object') {
      hash.update('l').update(length(value.length))
      value.forEach(add)
    } else {
      const out = Buffer.alloc(8)
      out.writeDoubleBE(Number(value))
      hash.update(typeof value === 'number' ? 'n' : 'b').update(out)
    }
  }
  const keys = [...metadata.keys()].filter((key) => key.startsWith('tokenizer.ggml.')).sort()
  for (const key of keys) {
    add(key)
    add(metadata.get(key) as MetadataValue)
  }
  return `0x${hash.digest('hex')}`
}
