/** Requests that are as large as they may be, made from the schemas of what is attacked (D72). */
import type { z } from 'zod'
import { largestOf, type Room } from './largest.ts'
import { small, spotsOf, type Spot } from './spots.ts'

export type Attack = {
  /** Method or route, place and kind. */
  readonly name: string
  /** Made when it is sent: all of them together would not fit in memory. */
  readonly body: () => string
}

export type Params = Readonly<Record<string, z.ZodType>>

/** Schemas that were attacked in all ways already; undefined to attack each of them wherever it stands. */
export type Seen = Set<z.ZodType> | undefined

/** Characters that are left for what JSON adds to a value. */
const MARGIN = 64
/** Large requests of one batch. */
const LARGE_ONES = 8

function kindsOf(spot: Spot): readonly string[] {
  return largestOf(spot, { characters: 300, values: 300 }).map(({ kind }) => kind)
}

/** Bodies with one large place each, and a small valid rest. */
export function attacksOn(
  name: string,
  schema: z.ZodType,
  room: Room,
  seen: Seen,
  write: (value: unknown) => string,
): readonly Attack[] {
  return spotsOf(schema).flatMap((spot, index) => {
    const isKnown = seen?.has(spot.schema) === true
    seen?.add(spot.schema)
    // A method of nothing but known schemas is attacked, too.
    const kinds = kindsOf(spot).slice(0, isKnown ? (index === 0 ? 1 : 0) : undefined)
    return kinds.map((kind) => ({
      name: `${name}${spot.path} ${kind}`,
      body: () => {
        const rest = write(spot.place(0)).length + MARGIN
        const left = { ...room, characters: room.characters - rest }
        const large = largestOf(spot, left).find((each) => each.kind === kind)
        return write(spot.place(large?.value))
      },
    }))
  })
}

function envelope(method: string, params: unknown): string {
  return JSON.stringify({ jsonrpc: '2.0', id: 1, method, params })
}

/** Requests of a JSON-RPC method with one large place each. */
export function singles(method: string, params: Params, room: Room, seen: Seen): readonly Attack[] {
  const rest: readonly unknown[] = Object.values(params).map((each) => small(each) ?? null)
  return Object.entries(params).flatMap(([name, schema], at) =>
    attacksOn(`${method} ${name}`, schema, room, seen, (value) =>
      envelope(method, rest.with(at, value)),
    ),
  )
}

/** Batches of a method: many small requests, and few large ones that fill the body together. */
export function batches(
  method: string,
  params: Params,
  room: Room,
  limit: number,
): readonly Attack[] {
  const plain = envelope(
    method,
    Object.values(params).map((each) => small(each) ?? null),
  )
  const count = Math.min(limit, Math.floor(room.characters / (plain.length + 1)))
  const many = {
    name: `${method} batch of ${count}`,
    body: () => `[${Array.from({ length: count }, () => plain).join()}]`,
  }
  const part = {
    characters: Math.floor(room.characters / LARGE_ONES),
    values: Math.floor(room.values / LARGE_ONES),
  }
  const large = singles(method, params, part, undefined)
  if (large.length === 0) return [many]
  const step = Math.max(1, Math.floor(large.length / LARGE_ONES))
  const chosen = Array.from({ length: LARGE_ONES }, (_, at) => large[(at * step) % large.length])
  return [
    many,
    {
      name: `${method} batch of ${LARGE_ONES} large ones`,
      body: () => `[${chosen.map((each) => each?.body()).join()}]`,
    },
  ]
}

/** Bodies that are no request at all. */
export function raw({ characters, values }: Room): readonly Attack[] {
  const fill = (part: string, less = 0): string =>
    part.repeat(Math.floor((characters - less) / part.length))
  const few = (part: string): string => Array.from({ length: values - 100 }, () => part).join()
  const call = (text: string): string => `{"jsonrpc":"2.0","id":1,${text}}`
  const bodies: Readonly<Record<string, () => string>> = {
    'opening brackets': () => fill('['),
    'nested objects': () => fill('{"a":'),
    'empty objects': () => `[${fill('{},', 10)}{}]`,
    numbers: () => `[${fill('1,', 10)}1]`,
    members: () => `{${fill('"a":1,', 10)}"b":1}`,
    'a batch of numbers': () => `[${few('0')}]`,
    spaces: () => fill(' '),
    'one number': () => fill('9'),
    'one text': () => `"${fill(String.raw`\n`, 10)}"`,
    'quotes without an end': () => fill('"'),
    backslashes: () => `"${fill('\\', 10)}`,
    'a long method': () => call(`"method":"${fill('a', 100)}"`),
    'a long id': () => `{"jsonrpc":"2.0","id":"${fill('a', 100)}","method":"eth_chainId"}`,
    'many arguments': () => call(`"method":"eth_call","params":[${few('1')}]`),
    'many members': () => call(few('"a":1')),
  }
  return Object.entries(bodies).map(([name, body]) => ({ name: `body of ${name}`, body }))
}
