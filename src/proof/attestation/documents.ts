/**
 * Documents of hardware evidence whose parts the hardware provides separately: deterministic CBOR maps with exactly
 * these keys, and optional ones.
 */
import { equalBytes } from '../../base/bytes.ts'
import { CborError, decodeCbor, encodeCbor, type CborKey, type CborValue } from '../cbor.ts'
import { asBytes, asBytesList, asMap, asText, type CborMap } from './cborFields.ts'
import type { IntelCollateral } from './intel/collateral.ts'
import type { IntelDocument } from './intel/dcap.ts'
import type { SnpDocument } from './snp.ts'

// A second encoding of the same document would be a second document with the same verdict.
function decodeExact(
  bytes: Uint8Array,
  keys: readonly string[],
  optional: readonly string[] = [],
): CborMap {
  const value = decodeCbor(bytes)
  if (!equalBytes(encodeCbor(value), bytes))
    throw new CborError('the document is not in deterministic CBOR')
  const map = asMap(value, 'the document')
  return withKeys(map, [...keys, ...optional.filter((key) => map.has(key))])
}

function withKeys(map: CborMap, keys: readonly string[]): CborMap {
  if (map.size !== keys.length || !keys.every((key) => map.has(key)))
    throw new CborError(`the document does not have the keys ${keys.join(', ')}`)
  return map
}

const COLLATERAL_KEYS = [
  'tcbInfo',
  'tcbInfoSignature',
  'tcbInfoChain',
  'qeIdentity',
  'qeIdentitySignature',
  'qeIdentityChain',
  'rootCrl',
  'pckCrl',
] as const satisfies readonly (keyof IntelCollateral)[]

/** The bytes of a report of SEV-SNP with its chip's certificates. */
export function encodeSnpDocument({ report, certificates, crl }: SnpDocument): Uint8Array {
  return encodeCbor(
    new Map<CborKey, CborValue>([
      ['report', report],
      ['certificates', certificates],
      ...(crl === undefined ? [] : [['crl', crl] as const]),
    ]),
  )
}

/** Throws CborError. */
export function decodeSnpDocument(bytes: Uint8Array): SnpDocument {
  const map = decodeExact(bytes, ['report', 'certificates'], ['crl'])
  return {
    ...(map.has('crl') && { crl: asBytes(map.get('crl'), 'crl') }),
    report: asBytes(map.get('report'), 'report'),
    certificates: asBytesList(map.get('certificates'), 'certificates'),
  }
}

/** The bytes of a quote of TDX or SGX with its collateral, so that it can be verified offline. */
export function encodeIntelDocument({ quote, collateral }: IntelDocument): Uint8Array {
  const entries = COLLATERAL_KEYS.map((key): [CborKey, CborValue] => [key, collateral[key]])
  return encodeCbor(
    new Map<CborKey, CborValue>([
      ['quote', quote],
      ['collateral', new Map(entries)],
    ]),
  )
}

/** Throws CborError. */
export function decodeIntelDocument(bytes: Uint8Array): IntelDocument {
  const map = decodeExact(bytes, ['quote', 'collateral'])
  const parts = withKeys(asMap(map.get('collateral'), 'collateral'), COLLATERAL_KEYS)
  const bytesOf = (key: keyof IntelCollateral) => asBytes(parts.get(key), key)
  const chainOf = (key: keyof IntelCollateral) => asBytesList(parts.get(key), key)
  return {
    quote: asBytes(map.get('quote'), 'quote'),
    collateral: {
      tcbInfo: asText(parts.get('tcbInfo'), 'tcbInfo'),
      tcbInfoSignature: bytesOf('tcbInfoSignature'),
      tcbInfoChain: chainOf('tcbInfoChain'),
      qeIdentity: asText(parts.get('qeIdentity'), 'qeIdentity'),
      qeIdentitySignature: bytesOf('qeIdentitySignature'),
      qeIdentityChain: chainOf('qeIdentityChain'),
      rootCrl: bytesOf('rootCrl'),
      pckCrl: bytesOf('pckCrl'),
    },
  }
}
