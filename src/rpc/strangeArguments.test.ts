import { expect, test } from 'vitest'
import { z } from 'zod'
import { compileArguments } from '../wire/arguments.ts'
import { RpcError } from '../wire/errors.ts'
import { METHODS } from './table.ts'

/** All names of members in a JSON schema. */
function namesIn(schema: unknown, found = new Set<string>()): ReadonlySet<string> {
  if (typeof schema !== 'object' || schema === null) return found
  for (const [key, value] of Object.entries(schema)) {
    if (key === 'properties') for (const name of Object.keys(value as object)) found.add(name)
    namesIn(value, found)
  }
  return found
}

const NOTHINGS: readonly unknown[] = [null, 0, '', false, [], {}]

/** Values with nothing where something is expected, at the top and within lists and members of these names. */
function* strangeValues(names: ReadonlySet<string>): Generator<unknown> {
  const inner = [...NOTHINGS, ...NOTHINGS.map((nothing) => [nothing])]
  const members = [...names].flatMap((name) =>
    inner.flatMap((value) => [{ [name]: value }, { [name]: [{ [name]: value }] }]),
  )
  for (const value of [...inner, ...members]) {
    yield value
    yield [value]
    yield { [`0x${'11'.repeat(20)}`]: value }
  }
}

test.each(Object.entries(METHODS))(
  '%s reads or refuses what has nothing where something is expected',
  (_, { params }) => {
    const read = compileArguments(params)
    const positions = Object.values(params)
    positions.forEach((schema, position) => {
      const options = { unrepresentable: 'any', io: 'input' } as const
      for (const value of strangeValues(namesIn(z.toJSONSchema(schema, options)))) {
        const given: unknown[] = positions.map(() => null)
        given[position] = value
        try {
          read(given)
        } catch (error) {
          expect(error, JSON.stringify(given)).toBeInstanceOf(RpcError)
        }
      }
    })
  },
)
