/** Writes ABI-encoded data. */
import { bytesToHex, hexToBytes, isHex } from '../format/hex.ts'
import { AbiError, headSize, isDynamic, type AbiType, type AbiValue } from './types.ts'

const UTF8 = new TextEncoder()

function concat(parts: readonly Uint8Array[]): Uint8Array {
  const out = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0))
  let at = 0
  for (const part of parts) {
    out.set(part, at)
    at += part.length
  }
  return out
}

function word(value: bigint): Uint8Array {
  return hexToBytes(BigInt.asUintN(256, value).toString(16).padStart(64, '0'))
}

/** Padded with zeros to whole words. */
function padded(bytes: Uint8Array): Uint8Array {
  const out = new Uint8Array(Math.ceil(bytes.length / 32) * 32)
  out.set(bytes)
  return out
}

function number(type: AbiType & { readonly bits: number }, value: AbiValue): Uint8Array {
  if (typeof value !== 'bigint') throw new AbiError('expected a number')
  const fits =
    type.kind === 'uint'
      ? value === BigInt.asUintN(type.bits, value)
      : value === BigInt.asIntN(type.bits, value)
  if (!fits) throw new AbiError(`${value} does not fit into ${type.kind}${type.bits}`)
  return word(value)
}

function elementary(type: AbiType, value: AbiValue): Uint8Array {
  switch (type.kind) {
    case 'uint':
    case 'int':
      return number(type, value)
    case 'bool':
      if (typeof value !== 'boolean') throw new AbiError('expected true or false')
      return word(value ? 1n : 0n)
    case 'address':
      if (!isHex(value, 20)) throw new AbiError('expected an address: 0x and 40 hex digits')
      return word(BigInt(value))
    case 'bytes':
      if (!isHex(value, type.size))
        throw new AbiError(`expected ${type.size ?? 'any number of'} bytes: 0x and hex digits`)
      return type.size === undefined ? counted(hexToBytes(value)) : padded(hexToBytes(value))
    default:
      if (typeof value !== 'string') throw new AbiError('expected a string')
      return counted(UTF8.encode(value))
  }
}

function counted(bytes: Uint8Array): Uint8Array {
  return concat([word(BigInt(bytes.length)), padded(bytes)])
}

function list(types: readonly AbiType[], values: AbiValue): Uint8Array {
  if (!Array.isArray(values) || values.length !== types.length)
    throw new AbiError(`expected a list of ${types.length}`)
  const heads: Uint8Array[] = []
  const tails: Uint8Array[] = []
  let offset = types.reduce((sum, type) => sum + headSize(type), 0)
  types.forEach((type, index) => {
    const encoded = encode(type, (values as readonly AbiValue[])[index] ?? '')
    if (isDynamic(type)) {
      heads.push(word(BigInt(offset)))
      tails.push(encoded)
      offset += encoded.length
    } else heads.push(encoded)
  })
  return concat([...heads, ...tails])
}

function encode(type: AbiType, value: AbiValue): Uint8Array {
  if (type.kind === 'tuple')
    return list(
      type.fields.map((field) => field.type),
      value,
    )
  if (type.kind !== 'array') return elementary(type, value)
  if (!Array.isArray(value)) throw new AbiError('expected a list')
  const { length } = value as readonly AbiValue[]
  if (type.length !== undefined && type.length !== length)
    throw new AbiError(`expected a list of ${type.length}`)
  const items = list(
    Array.from({ length }, () => type.item),
    value,
  )
  return type.length === undefined ? concat([word(BigInt(length)), items]) : items
}

/** The data of values, as `decodeValues` reads it. Throws AbiError that says what was expected. */
export function encodeValues(types: readonly AbiType[], values: readonly AbiValue[]): Uint8Array {
  return list(types, values)
}

/** Values as call data, after a selector. */
export function callData(
  selector: string,
  types: readonly AbiType[],
  values: readonly AbiValue[],
): string {
  return selector + bytesToHex(encodeValues(types, values)).slice(2)
}
