/** Genesis contracts by their ABI: calls by function name, results by field name. */
import { hexToBytes, type Hex } from '../format/hex.ts'
import type { Node } from '../net/context.ts'
import { askMany } from '../net/jsonRpc.ts'
import { selectorOf, topicOf } from './book.ts'
import { decodeValues } from './decode.ts'
import { callData } from './encode.ts'
import { itemsOf } from './store.ts'
import { AbiError, type AbiField, type AbiItem, type AbiType, type AbiValue } from './types.ts'

/** A call of a view function. */
export type View = { readonly name: string; readonly values?: readonly AbiValue[] }

/** Values by the names of their fields. */
export type Fields = Readonly<Record<string, AbiValue>>

function itemOf(address: string, kind: AbiItem['kind'], name: string): AbiItem {
  const item = itemsOf(address)?.find((each) => each.kind === kind && each.name === name)
  if (item === undefined) throw new AbiError(`the contract has no ${kind} ${name}`)
  return item
}

/** The first topic of an event's logs. */
export function eventTopic(address: string, name: string): string {
  return topicOf(itemOf(address, 'event', name))
}

/** The data of a call. Throws AbiError that says what a parameter should be. */
export function dataOf(address: string, name: string, values: readonly AbiValue[] = []): string {
  const item = itemOf(address, 'function', name)
  return callData(
    selectorOf(item),
    item.inputs.map(({ type }) => type),
    values,
  )
}

/**
 * The results of view functions of one contract, in order. Rejects when one reverts, or the contract does not exist.
 */
export async function readMany(
  { endpoints }: Node,
  address: string,
  views: readonly View[],
): Promise<readonly AbiValue[]> {
  const answers = await askMany(
    endpoints.rpc,
    'eth_call',
    views.map(({ name, values }) => [
      { to: address, data: dataOf(address, name, values) },
      'latest',
    ]),
  )
  return views.map(({ name }, index) => {
    const types = itemOf(address, 'function', name).outputs.map(({ type }) => type)
    const [value] = decodeValues(types, hexToBytes(String(answers[index])))
    if (value === undefined) throw new AbiError(`${name} returns nothing`)
    return value
  })
}

/** The result of one view function. */
export async function read(
  node: Node,
  address: string,
  name: string,
  values: readonly AbiValue[] = [],
): Promise<AbiValue> {
  const [value] = await readMany(node, address, [{ name, values }])
  return value ?? ''
}

function fieldsOfOutput(address: string, name: string): readonly AbiField[] {
  const structOf = (type: AbiType | undefined): readonly AbiField[] =>
    type?.kind === 'tuple' ? type.fields : type?.kind === 'array' ? structOf(type.item) : []
  return structOf(itemOf(address, 'function', name).outputs[0]?.type)
}

/** A struct that a function returned, or one in a returned list. */
export function structOf(address: string, name: string, value: AbiValue): Fields {
  const list = listOf(value)
  return Object.fromEntries(
    fieldsOfOutput(address, name).map((field, index) => [field.name, list[index] ?? '']),
  )
}

/** A returned list. */
export function listOf(value: AbiValue): readonly AbiValue[] {
  if (!Array.isArray(value)) throw new AbiError('expected a list')
  return value as readonly AbiValue[]
}

/** A list of addresses. */
export function addressesOf(value: AbiValue): readonly Hex[] {
  return listOf(value).map((each) => String(each) as Hex)
}

/** A number of a struct. */
export function amountOf(fields: Fields, name: string): bigint {
  const value = fields[name]
  if (typeof value !== 'bigint') throw new AbiError(`the result has no number ${name}`)
  return value
}

/** A number of a struct that is small. */
export function countOf(fields: Fields, name: string): number {
  return Number(amountOf(fields, name))
}
