/** The largest values for a place of a schema, as JSON text: valid ones, wrong ones, and beyond what is allowed. */
import type { z } from 'zod'
import { keyOf, small, type Spot } from './spots.ts'

export type Large = { readonly kind: string; readonly value: unknown }

/** How much a body has place for. */
export type Room = { readonly characters: number; readonly values: number }

const DEEP = 50

function sizeOf(value: unknown): number {
  return (JSON.stringify(value) ?? 'null').length + 1
}

/** As many copies as there may be, and as there is place for. */
function copies(value: unknown, max: number, room: Room): readonly unknown[] {
  const values = (JSON.stringify(value)?.match(/[,[{]/g)?.length ?? 0) + 1
  const count = Math.floor(
    Math.min(max, room.characters / sizeOf(value), (room.values - 200) / values),
  )
  return Array.from({ length: Math.max(count, 0) }, () => value)
}

function members(spot: Spot, value: unknown, max: number, room: Room): object {
  const key = keyOf(spot.key, 1)
  const count = copies({ [key]: value }, max, room).length
  return Object.fromEntries(Array.from({ length: count }, (_, at) => [keyOf(spot.key, at), value]))
}

/** Keys of other kinds: those of addresses and of hashes are what records of this program take. */
function keyed(digits: number, value: unknown, max: number, room: Room): object {
  const count = copies({ ['k'.repeat(digits + 2)]: value }, max, room).length
  return Object.fromEntries(
    Array.from({ length: count }, (_, at) => [`0x${at.toString(16).padStart(digits, '0')}`, value]),
  )
}

function nested(open: (value: unknown) => unknown): unknown {
  let value: unknown = 1
  for (let depth = 0; depth < DEEP; depth++) value = open(value)
  return value
}

/** Elements in which a list of their own is as full as all of them together allow. */
function richElements(element: z.ZodType, max: number, room: Room): readonly Large[] {
  const shape = (element._zod.def as { shape?: Readonly<Record<string, z.ZodType>> }).shape
  if (shape === undefined) return []
  const full = Object.fromEntries(
    Object.entries(shape).map(([name, part]) => [name, small(part) ?? null]),
  )
  return [{ kind: 'full elements', value: copies(full, max, room) }]
}

function lists({ max, element }: Spot, room: Room): readonly Large[] {
  const valid = element === undefined ? 1 : small(element)
  return [
    { kind: 'elements', value: copies(valid, max, room) },
    { kind: 'wrong elements', value: copies({}, max, room) },
    { kind: 'last is wrong', value: [...copies(valid, max - 1, room), { a: 1 }] },
    { kind: 'too many', value: copies({}, Infinity, room) },
    { kind: 'as many as fit', value: copies({}, Infinity, { ...room, values: Infinity }) },
    { kind: 'too many valid', value: copies(valid, Infinity, room) },
    ...(element === undefined ? [] : richElements(element, max, room)),
  ]
}

function records(spot: Spot, room: Room): readonly Large[] {
  const value = spot.element === undefined ? 1 : small(spot.element)
  return [
    { kind: 'members', value: members(spot, value, spot.max, room) },
    { kind: 'members by address', value: keyed(40, value, spot.max, room) },
    { kind: 'members by hash', value: keyed(64, value, spot.max, room) },
    { kind: 'wrong members', value: keyed(40, { a: [] }, spot.max, room) },
    { kind: 'too many', value: keyed(4, value, Infinity, room) },
  ]
}

/** DATA of one list with as many empty items as have place: its header is that of a list with a length of three bytes. */
function rlpText(characters: number): string {
  const items = Math.max(0, Math.floor((characters - 10) / 2))
  return `0xfa${items.toString(16).padStart(6, '0')}${'80'.repeat(items)}`
}

function texts({ max }: Spot, room: Room): readonly Large[] {
  const length = Math.min(max, room.characters)
  const fill = (part: string, size = part.length): string =>
    part.repeat(Math.max(0, Math.floor((length - 2) / size)))
  return [
    { kind: 'hex', value: `0x${fill('ab')}` },
    { kind: 'digits', value: fill('9') },
    { kind: 'RLP', value: rlpText(length) },
    { kind: 'letters', value: fill('a') },
    { kind: 'escapes', value: fill('\\"').slice(0, Math.floor(length / 2)) },
    { kind: 'control characters', value: fill('\u0000').slice(0, Math.floor(length / 6)) },
    { kind: 'JSON', value: fill('[').slice(0, 1_000_000) },
    { kind: 'too long', value: '1'.repeat(room.characters) },
  ]
}

function objects(room: Room): readonly Large[] {
  return [
    { kind: 'unknown keys', value: keyed(4, 1, Infinity, room) },
    { kind: 'unknown objects', value: keyed(4, {}, Infinity, room) },
  ]
}

function anything(room: Room): readonly Large[] {
  return [
    { kind: 'deep lists', value: nested((value) => [value]) },
    { kind: 'deep objects', value: nested((value) => ({ a: value })) },
    { kind: 'wide', value: copies([], Infinity, room) },
    {
      kind: 'wide and deep',
      value: copies(
        nested((value) => [value]),
        Infinity,
        room,
      ),
    },
    { kind: 'many keys', value: keyed(4, 1, Infinity, room) },
    { kind: 'long text', value: 'x'.repeat(room.characters) },
  ]
}

/** The largest values of a place. */
export function largestOf(spot: Spot, room: Room): readonly Large[] {
  switch (spot.kind) {
    case 'list':
      return lists(spot, room)
    case 'record':
      return records(spot, room)
    case 'text':
      return texts(spot, room)
    case 'object':
      return objects(room)
    default:
      return anything(room)
  }
}
