/** Typed reading of decoded CBOR maps. All throw CborError, naming the field. */
import { CborError, type CborKey, type CborValue } from '../cbor.ts'

export type CborMap = ReadonlyMap<CborKey, CborValue>

/** The value as a map. */
export function asMap(value: CborValue | undefined, name: string): CborMap {
  if (!(value instanceof Map)) throw new CborError(`${name} is not a map`)
  return value as CborMap
}

/** The value as bytes. */
export function asBytes(value: CborValue | undefined, name: string): Uint8Array {
  if (!(value instanceof Uint8Array)) throw new CborError(`${name} is not a byte string`)
  return value
}

/** The value as a text. */
export function asText(value: CborValue | undefined, name: string): string {
  if (typeof value !== 'string') throw new CborError(`${name} is not a text`)
  return value
}

/** The value as an array of byte strings. */
export function asBytesList(value: CborValue | undefined, name: string): readonly Uint8Array[] {
  if (!Array.isArray(value)) throw new CborError(`${name} is not an array`)
  return (value as readonly CborValue[]).map((item) => asBytes(item, name))
}
