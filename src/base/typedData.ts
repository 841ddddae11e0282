/** Typed structured data (EIP-712): the digest of a message under its types and domain. */
import { bigintToFixedBytes, concatAll, concatBytes, utf8 } from './bytes.ts'
import { tryFromHex } from './hex.ts'
import { keccak256 } from './keccak.ts'

type Field = { readonly name: string; readonly type: string }

/** Types by name, each a list of fields. */
export type TypedDataTypes = Readonly<Record<string, readonly Field[]>>

/** The parameter of eth_signTypedData_v4. */
export type TypedData = {
  readonly types: TypedDataTypes
  readonly primaryType: string
  readonly domain: Readonly<Record<string, unknown>>
  readonly message: Readonly<Record<string, unknown>>
}

/** A value that does not fit its type, or an invalid type. The message names the field. */
export class TypedDataError extends Error {
  override readonly name = 'TypedDataError'
}

const MAX_DEPTH = 64
/** Longer than any integer of 256 bits, in every base that BigInt reads: a long one takes long to read. */
const MAX_INTEGER_TEXT = 300

function elementOf(type: string): { element: string; length: number | undefined } | undefined {
  const match = /^(.+)\[(\d*)\]$/.exec(type)
  if (match?.[1] === undefined) return undefined
  return { element: match[1], length: match[2] === '' ? undefined : Number(match[2]) }
}

/** The types of one message, and the cached hashes of those used: arrays have many values of one type. */
type KnownTypes = {
  /** Undefined for types that are not structs. */
  fieldsOf(type: string): readonly Field[] | undefined
  hashOf(type: string): Uint8Array
}

function knownTypes(types: TypedDataTypes): KnownTypes {
  const fieldsByType = new Map(Object.entries(types))
  const hashes = new Map<string, Uint8Array>()

  /** The type itself first, then those that it needs, sorted by name. */
  function dependencies(type: string): readonly string[] {
    const found = new Set([type])
    // The set grows meanwhile. A loop, since a chain of types may be longer than the stack is deep.
    for (const name of found)
      for (const field of fieldsByType.get(name) ?? []) {
        const base = field.type.replace(/\[.*$/, '')
        if (fieldsByType.has(base)) found.add(base)
      }
    found.delete(type)
    return [type, ...[...found].sort()]
  }

  function encodeType(type: string): string {
    return dependencies(type)
      .map((name) => {
        const fields = (fieldsByType.get(name) ?? []).map((field) => `${field.type} ${field.name}`)
        return `${name}(${fields.join(',')})`
      })
      .join('')
  }

  return {
    fieldsOf: (type) => fieldsByType.get(type),
    hashOf(type) {
      const hash = hashes.get(type) ?? keccak256(utf8(encodeType(type)))
      hashes.set(type, hash)
      return hash
    },
  }
}

function integerOf(value: unknown, path: string): bigint {
  try {
    if (typeof value === 'number' && Number.isSafeInteger(value)) return BigInt(value)
    if (typeof value === 'string' && value !== '' && value.length <= MAX_INTEGER_TEXT)
      return BigInt(value)
  } catch {
    // Falls through to the error.
  }
  throw new TypedDataError(`${path}: not an integer`)
}

function encodeInteger(type: string, value: unknown, path: string): Uint8Array {
  const isSigned = type.startsWith('int')
  const bits = Number(/\d+$/.exec(type)?.[0] ?? 256)
  const integer = integerOf(value, path)
  const wrapped = isSigned ? BigInt.asIntN(bits, integer) : BigInt.asUintN(bits, integer)
  if (wrapped !== integer) throw new TypedDataError(`${path}: does not fit into ${type}`)
  return bigintToFixedBytes(BigInt.asUintN(256, integer), 32)
}

function bytesOf(value: unknown, path: string): Uint8Array {
  const bytes = typeof value === 'string' ? tryFromHex(value) : undefined
  if (bytes === undefined) throw new TypedDataError(`${path}: not hexadecimal DATA`)
  return bytes
}

function encodeAtomic(type: string, value: unknown, path: string): Uint8Array {
  if (type === 'string') {
    if (typeof value !== 'string') throw new TypedDataError(`${path}: not a string`)
    return keccak256(utf8(value))
  }
  if (type === 'bytes') return keccak256(bytesOf(value, path))
  if (type === 'bool') {
    if (typeof value !== 'boolean') throw new TypedDataError(`${path}: not true or false`)
    return bigintToFixedBytes(value ? 1n : 0n, 32)
  }
  if (type === 'address') {
    const address = bytesOf(value, path)
    if (address.length !== 20) throw new TypedDataError(`${path}: not an address`)
    return concatBytes(new Uint8Array(12), address)
  }
  const size = /^bytes([1-9]|[12]\d|3[0-2])$/.exec(type)?.[1]
  if (size !== undefined) {
    const bytes = bytesOf(value, path)
    if (bytes.length !== Number(size)) throw new TypedDataError(`${path}: not ${size} bytes`)
    return concatBytes(bytes, new Uint8Array(32 - bytes.length))
  }
  if (/^u?int(?:8|16|24|32|40|48|56|64|72|80|88|96|1\d\d|2[0-4]\d|25[0-6])?$/.test(type))
    return encodeInteger(type, value, path)
  throw new TypedDataError(`${path}: unknown type ${type}`)
}

function encodeValue(
  type: string,
  value: unknown,
  types: KnownTypes,
  path: string,
  depth: number,
): Uint8Array {
  if (depth > MAX_DEPTH) throw new TypedDataError(`${path}: nested too deeply`)
  const array = elementOf(type)
  if (array) {
    if (!Array.isArray(value)) throw new TypedDataError(`${path}: not an array`)
    if (array.length !== undefined && value.length !== array.length)
      throw new TypedDataError(`${path}: expected ${array.length} elements`)
    return keccak256(
      concatAll(
        value.map((item, index) =>
          encodeValue(array.element, item, types, `${path}[${index}]`, depth + 1),
        ),
      ),
    )
  }
  return types.fieldsOf(type) === undefined
    ? encodeAtomic(type, value, path)
    : hashStruct(type, value, types, path, depth + 1)
}

function hashStruct(
  type: string,
  value: unknown,
  types: KnownTypes,
  path: string,
  depth: number,
): Uint8Array {
  const fields = types.fieldsOf(type)
  if (fields === undefined) throw new TypedDataError(`${path}: unknown type ${type}`)
  if (typeof value !== 'object' || value === null)
    throw new TypedDataError(`${path}: not an object`)
  const members = new Map(Object.entries(value))
  const parts = fields.map(({ name, type: fieldType }) =>
    encodeValue(fieldType, members.get(name), types, `${path}.${name}`, depth),
  )
  return keccak256(concatAll([types.hashOf(type), ...parts]))
}

/** The 32-byte digest to sign. Throws TypedDataError. */
export function typedDataDigest(data: TypedData): Uint8Array {
  const { primaryType, domain, message } = data
  const types = knownTypes(data.types)
  return keccak256(
    concatBytes(
      Uint8Array.of(0x19, 0x01),
      hashStruct('EIP712Domain', domain, types, 'domain', 0),
      ...(primaryType === 'EIP712Domain'
        ? []
        : [hashStruct(primaryType, message, types, 'message', 0)]),
    ),
  )
}
