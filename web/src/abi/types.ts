/** Types of Solidity's ABI ("Contract ABI Specification"), as data. */

export type AbiType =
  | { readonly kind: 'uint' | 'int'; readonly bits: number }
  | { readonly kind: 'address' | 'bool' | 'string' }
  /** `size` in bytes; undefined for bytes of any length. */
  | { readonly kind: 'bytes'; readonly size: number | undefined }
  /** `length` undefined for any number of items. */
  | { readonly kind: 'array'; readonly item: AbiType; readonly length: number | undefined }
  | { readonly kind: 'tuple'; readonly fields: readonly AbiField[] }

export type AbiField = { readonly name: string; readonly type: AbiType }

/** uint and int are bigints, address and bytes are hex texts, arrays and tuples are lists. */
export type AbiValue = bigint | boolean | string | readonly AbiValue[]

/** A parameter of an event may be indexed. */
export type AbiInput = AbiField & { readonly isIndexed: boolean }

export type AbiItem = {
  readonly kind: 'function' | 'event' | 'error' | 'constructor'
  readonly name: string
  readonly inputs: readonly AbiInput[]
  readonly outputs: readonly AbiField[]
  /** Whether a call changes nothing: view and pure functions. */
  readonly isView: boolean
  readonly isPayable: boolean
  /** Events whose first topic is not their signature. */
  readonly isAnonymous: boolean
}

/** The string or data does not match the ABI. */
export class AbiError extends Error {
  override readonly name = 'AbiError'
}

/** The canonical name of a type, which is used in the hash of a signature. */
export function typeName(type: AbiType): string {
  switch (type.kind) {
    case 'uint':
    case 'int':
      return `${type.kind}${type.bits}`
    case 'bytes':
      return type.size === undefined ? 'bytes' : `bytes${type.size}`
    case 'array':
      return `${typeName(type.item)}[${type.length ?? ''}]`
    case 'tuple':
      return `(${type.fields.map((field) => typeName(field.type)).join(',')})`
    default:
      return type.kind
  }
}

/** name(type,…). */
export function signatureOf(item: Pick<AbiItem, 'name' | 'inputs'>): string {
  return `${item.name}(${item.inputs.map((input) => typeName(input.type)).join(',')})`
}

/** Whether a type is dynamic: its value follows the others, at an offset. */
export function isDynamic(type: AbiType): boolean {
  switch (type.kind) {
    case 'string':
      return true
    case 'bytes':
      return type.size === undefined
    case 'array':
      return type.length === undefined || (type.length > 0 && isDynamic(type.item))
    case 'tuple':
      return type.fields.some((field) => isDynamic(field.type))
    default:
      return false
  }
}

/** Size of the head of a value in bytes: the value itself, or its offset. */
export function headSize(type: AbiType): number {
  if (isDynamic(type)) return 32
  if (type.kind === 'array') return (type.length ?? 0) * headSize(type.item)
  if (type.kind === 'tuple')
    return type.fields.reduce((sum, field) => sum + headSize(field.type), 0)
  return 32
}
