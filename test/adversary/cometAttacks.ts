/** Large requests of the consensus RPC, whose arguments are no schemas but name their own maximum. */
import { unsafeCometTable } from '../../src/consensusRpc/table.ts'
import type { Attack } from './attacks.ts'
import { largestOf, type Room } from './largest.ts'
import type { Spot } from './spots.ts'
import { z } from 'zod'

export type CometAttack = Attack & {
  /** Path and query of a GET, or of a posted form; undefined for a request in JSON. */
  readonly path?: string
}

const MAX_BATCH = 10
/** Of a URI: node:http refuses longer heads. */
const URI_CHARACTERS = 15_000

function spot(kind: Spot['kind'], max: number): Spot {
  return {
    schema: z.unknown(),
    path: '',
    kind,
    max,
    element: undefined,
    key: undefined,
    place: (value) => value,
  }
}

/** Every endpoint with every argument large in every way: in JSON, alone and in batches, in a URI and in a form. */
export function cometAttacks(room: Room): readonly CometAttack[] {
  const left = { ...room, characters: room.characters - 1000 }
  return [...unsafeCometTable].flatMap(([name, { args }]): readonly CometAttack[] =>
    Object.entries(args).flatMap(([key, { limit }]) => {
      const write = (value: unknown): string =>
        JSON.stringify({ jsonrpc: '2.0', id: 1, method: name, params: { [key]: value } })
      const large = [
        ...largestOf(spot('text', limit.characters), left),
        ...largestOf(spot('list', limit.values), left),
        ...largestOf(spot('any', Infinity), left),
      ]
      const form = `${key}=${encodeURIComponent('"a')}`
      return [
        ...large.map(({ kind, value }) => ({
          name: `${name} ${key} ${kind}`,
          body: () => write(value),
        })),
        {
          name: `${name} ${key} batch`,
          body: () => {
            const text = write('a'.repeat(Math.floor(left.characters / MAX_BATCH) - 200))
            return `[${Array.from({ length: MAX_BATCH }, () => text).join()}]`
          },
        },
        {
          name: `${name} ${key} URI`,
          path: `/${name}?${key}=${'['.repeat(URI_CHARACTERS)}`,
          body: () => '',
        },
        {
          name: `${name} ${key} form`,
          path: `/${name}`,
          body: () => `${form}${'&a='.repeat(Math.floor(left.characters / 3) - 100)}`,
        },
      ]
    }),
  )
}
