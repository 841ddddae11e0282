/** Reads types, signatures and ABI files that strangers wrote. */
import { AbiError, type AbiField, type AbiInput, type AbiItem, type AbiType } from './types.ts'

const MAX_NESTING = 16
const MAX_ITEMS = 2000
const MAX_FIXED_LENGTH = 4096

type Json = Readonly<Record<string, unknown>>

function elementary(name: string): AbiType {
  const [, kind = '', digits = ''] = /^([a-z]+)(\d*)$/.exec(name) ?? []
  const size = Number(digits)
  if (kind === 'uint' || kind === 'int') {
    const bits = digits === '' ? 256 : size
    if (bits > 0 && bits <= 256 && bits % 8 === 0) return { kind, bits }
  }
  if (kind === 'bytes') {
    if (digits === '') return { kind, size: undefined }
    if (size > 0 && size <= 32) return { kind, size }
  }
  // A function is an address and a selector.
  if (name === 'function') return { kind: 'bytes', size: 24 }
  if (name === 'address' || name === 'bool' || name === 'string') return { kind: name }
  throw new AbiError(`"${name.slice(0, 60)}" is not an ABI type`)
}

/** Wraps a type in the arrays of a suffix such as "[2][]". */
function inArrays(type: AbiType, suffix: string): AbiType {
  let out = type
  let rest = suffix
  for (let depth = 0; rest !== ''; depth++) {
    const [whole = '', digits = ''] = /^\[(\d*)\]/.exec(rest) ?? []
    const length = digits === '' ? undefined : Number(digits)
    if (whole === '' || depth > MAX_NESTING || (length ?? 0) > MAX_FIXED_LENGTH)
      throw new AbiError(`"${suffix.slice(0, 60)}" is not an array suffix`)
    out = { kind: 'array', item: out, length }
    rest = rest.slice(whole.length)
  }
  return out
}

/** Splits at commas that are not inside parentheses. */
function splitList(text: string): string[] {
  const parts: string[] = []
  let depth = 0
  let start = 0
  for (let i = 0; i < text.length; i++) {
    const character = text[i]
    if (character === '(') depth++
    if (character === ')') depth--
    if (depth < 0 || depth > MAX_NESTING) throw new AbiError('the parentheses do not match')
    if (character === ',' && depth === 0) {
      parts.push(text.slice(start, i))
      start = i + 1
    }
  }
  if (depth !== 0) throw new AbiError('the parentheses do not match')
  const last = text.slice(start)
  return parts.length === 0 && last.trim() === '' ? [] : [...parts, last]
}

/** A type as signatures write it: "uint256", "(address,bytes)[]". Throws AbiError. */
export function parseType(text: string): AbiType {
  const trimmed = text.trim()
  if (!trimmed.startsWith('(')) {
    const [, name = '', suffix = ''] = /^([^[]*)(.*)$/s.exec(trimmed) ?? []
    return inArrays(elementary(name), suffix)
  }
  const end = trimmed.lastIndexOf(')')
  const fields = splitList(trimmed.slice(1, end)).map((part) => ({
    name: '',
    type: parseType(part),
  }))
  return inArrays({ kind: 'tuple', fields }, trimmed.slice(end + 1))
}

/** An item of a signature: "transfer(address,uint256)". Throws AbiError. */
export function parseSignature(kind: AbiItem['kind'], text: string): AbiItem {
  const [, name, list] = /^([A-Za-z_$][\w$]*)\((.*)\)$/s.exec(text.trim()) ?? []
  if (name === undefined || list === undefined)
    throw new AbiError(`"${text.slice(0, 60)}" is not a signature`)
  const inputs = splitList(list).map((part): AbiInput => {
    const isIndexed = / indexed\s*$/.test(part)
    return { name: '', type: parseType(part.replace(/ indexed\s*$/, '')), isIndexed }
  })
  return {
    kind,
    name,
    inputs,
    outputs: [],
    isView: false,
    isPayable: false,
    isAnonymous: false,
  }
}

function isRecord(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : ''
}

function typeOfJson(json: Json, depth: number): AbiType {
  const text = textOf(json['type'])
  if (depth > MAX_NESTING) throw new AbiError('tuples are nested too deeply')
  if (!text.startsWith('tuple')) return parseType(text)
  return inArrays(
    { kind: 'tuple', fields: fieldsOfJson(json['components'], depth + 1) },
    text.slice('tuple'.length),
  )
}

function fieldsOfJson(list: unknown, depth = 0): AbiInput[] {
  if (!Array.isArray(list)) return []
  return list.filter(isRecord).map((json) => ({
    name: textOf(json['name']),
    type: typeOfJson(json, depth),
    isIndexed: json['indexed'] === true,
  }))
}

const KINDS = ['function', 'event', 'error', 'constructor'] as const

function itemOfJson(json: Json): AbiItem | undefined {
  const kind = KINDS.find((each) => each === json['type'])
  if (kind === undefined) return undefined
  const mutability = textOf(json['stateMutability'])
  const outputs: readonly AbiField[] = fieldsOfJson(json['outputs'])
  return {
    kind,
    name: textOf(json['name']),
    inputs: fieldsOfJson(json['inputs']),
    outputs,
    isView: mutability === 'view' || mutability === 'pure',
    isPayable: mutability === 'payable',
    isAnonymous: json['anonymous'] === true,
  }
}

/** The items of an ABI file, or of a compiler artifact that contains one as `abi`. Throws AbiError. */
export function parseAbi(text: string): readonly AbiItem[] {
  let json: unknown
  try {
    json = JSON.parse(text)
  } catch {
    throw new AbiError('the file is not JSON')
  }
  const list = isRecord(json) ? json['abi'] : json
  if (!Array.isArray(list)) throw new AbiError('the file has no list of functions and events')
  if (list.length > MAX_ITEMS) throw new AbiError(`more than ${MAX_ITEMS} items`)
  return list
    .filter(isRecord)
    .map(itemOfJson)
    .filter((item) => item !== undefined)
}
