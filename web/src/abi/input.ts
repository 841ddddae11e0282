/** Values as people type them: numbers in decimal or hex, lists as JSON. */
import { AbiError, typeName, type AbiType, type AbiValue } from './types.ts'

function integer(text: string): bigint {
  const trimmed = text.trim().replaceAll('_', '')
  if (!/^-?(?:\d+|0x[0-9a-fA-F]+)$/.test(trimmed))
    throw new AbiError(`"${text.slice(0, 40)}" is not an integer`)
  return trimmed.startsWith('-') ? -BigInt(trimmed.slice(1)) : BigInt(trimmed)
}

function truth(text: string): boolean {
  const trimmed = text.trim()
  if (trimmed !== 'true' && trimmed !== 'false') throw new AbiError('expected true or false')
  return trimmed === 'true'
}

// Numbers become strings first: JSON's numbers lose digits.
const NUMBERS = /"(?:[^"\\]|\\.)*"|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/g

function parseList(text: string): unknown {
  try {
    return JSON.parse(
      text.replace(NUMBERS, (match) => (match.startsWith('"') ? match : `"${match}"`)),
    )
  } catch {
    throw new AbiError('expected a list as JSON, for example ["0x…", 1]')
  }
}

function ofJson(type: AbiType, json: unknown): AbiValue {
  if (type.kind === 'array' || type.kind === 'tuple') {
    const list =
      type.kind === 'tuple' && typeof json === 'object' && json !== null && !Array.isArray(json)
        ? type.fields.map(({ name }) => (json as Readonly<Record<string, unknown>>)[name])
        : json
    if (!Array.isArray(list)) throw new AbiError(`expected a list for ${typeName(type)}`)
    return list.map((item, index) => {
      const inner = type.kind === 'array' ? type.item : type.fields[index]?.type
      if (inner === undefined) throw new AbiError(`too many values for ${typeName(type)}`)
      return ofJson(inner, item)
    })
  }
  return parseInput(type, typeof json === 'string' ? json : String(json))
}

/** Parses a string as a value. Throws AbiError that says what was expected. */
export function parseInput(type: AbiType, text: string): AbiValue {
  switch (type.kind) {
    case 'uint':
    case 'int':
      return integer(text)
    case 'bool':
      return truth(text)
    case 'string':
      return text
    case 'address':
    case 'bytes':
      return text.trim()
    default:
      return ofJson(type, parseList(text))
  }
}
