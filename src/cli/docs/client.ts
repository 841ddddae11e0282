/** src/client/methods.ts: the types of the client, out of the table's schemas. */
import { z } from 'zod'
import { METHODS } from '../../rpc/table.ts'

type Schema = z.core.JSONSchema.BaseSchema

const HEX = 'Hex'
const BLOCK = 'BlockSelector'

function union(types: readonly string[]): string {
  return [...new Set(types)].join(' | ')
}

/** Texts that begin with 0x, by pattern or by what the parameter's description calls them. */
function textType({ pattern, description = '', enum: values }: Schema): string {
  if (values !== undefined) return union(values.map((value) => JSON.stringify(value)))
  if (description.startsWith('block number')) return BLOCK
  if (pattern?.startsWith('^0x')) return HEX
  return /^(?:DATA|QUANTITY|address \(|hash \()/.test(description) ? HEX : 'string'
}

function objectType(schema: Schema): string {
  const { properties = {}, required = [], additionalProperties } = schema
  const fields = Object.entries(properties).map(
    ([name, field]) =>
      `${JSON.stringify(name)}${required.includes(name) ? '' : '?'}: ${typeOf(field as Schema)}`,
  )
  if (fields.length > 0) return `{ ${fields.join('; ')} }`
  return typeof additionalProperties === 'object'
    ? `Readonly<Record<string, ${typeOf(additionalProperties)}>>`
    : 'Readonly<Record<string, unknown>>'
}

function arrayType({ items, prefixItems, maxItems }: Schema): string {
  if (maxItems === 0) return 'readonly []'
  if (prefixItems !== undefined)
    return `readonly [${prefixItems.map((item) => typeOf(item as Schema)).join(', ')}]`
  return typeof items === 'object' && !Array.isArray(items)
    ? `readonly (${typeOf(items)})[]`
    : 'readonly unknown[]'
}

function typeOf(schema: Schema): string {
  const alternatives = schema.anyOf ?? schema.oneOf
  if (alternatives !== undefined) return union(alternatives.map((each) => typeOf(each)))
  if (schema.const !== undefined) return JSON.stringify(schema.const)
  if (Array.isArray(schema.type))
    return union(schema.type.map((type) => typeOf({ ...schema, type })))
  switch (schema.type) {
    case 'string':
      return textType(schema)
    case 'integer':
    case 'number':
      return 'number'
    case 'boolean':
    case 'null':
      return schema.type
    case 'array':
      return arrayType(schema)
    case 'object':
      return objectType(schema)
    default:
      return schema.description?.startsWith('block number') === true ? BLOCK : 'unknown'
  }
}

function schemaOf(schema: z.ZodType, io: 'input' | 'output'): Schema {
  return z.toJSONSchema(schema, { io, unrepresentable: 'any' })
}

function parametersType(params: Readonly<Record<string, z.ZodType>>): string {
  const entries = Object.entries(params).map(([name, schema]) => {
    const isOptional = schema.safeParse(undefined).success
    const type = typeOf(schemaOf(schema, 'input'))
    return `${name}${isOptional ? '?' : ''}: ${isOptional && type !== 'unknown' ? `${type} | undefined` : type}`
  })
  // What stands before something required can only be passed over with undefined.
  const lastRequired = entries.findLastIndex((entry) => !/^\w+\?/.test(entry))
  const members = entries.map((entry, at) => (at < lastRequired ? entry.replace('?:', ':') : entry))
  return `[${members.join(', ')}]`
}

/** The file, before it is formatted. */
export function clientMethods(): string {
  const methods = Object.entries(METHODS)
  const entries = methods.map(
    ([name, { summary, params, result }]) =>
      `  /** ${summary} */\n  ${JSON.stringify(name)}: { params: ${parametersType(params)}; result: ${typeOf(schemaOf(result, 'output'))} }`,
  )
  return [
    '/**\n * What the methods take and give on the wire. Made by scripts/docs.mjs from src/rpc/table.ts: as long as the table has methods.\n */',
    '',
    '/** QUANTITY or DATA. */',
    'export type Hex = `0x${string}`',
    '',
    '/** A height, a tag, a block hash, or an EIP-1898 object. */',
    "export type BlockSelector = Hex | 'latest' | 'pending' | 'earliest' | 'safe' | 'finalized' | { readonly blockNumber?: Hex; readonly blockHash?: Hex; readonly requireCanonical?: boolean }",
    '',
    '/** Parameters, by position, and results. */',
    'export type Methods = {',
    ...entries,
    '}',
    '',
    '/** The names of all methods. */',
    `export const METHOD_NAMES: readonly (keyof Methods)[] = [${methods.map(([name]) => JSON.stringify(name)).join(', ')}]`,
    '',
  ].join('\n')
}
