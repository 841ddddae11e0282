import { expect, test } from 'vitest'
import { unboundedParts } from '../../test/support/unboundedParts.ts'
import { DEVELOPMENT_METHODS } from './methods/development/table.ts'
import { METHODS } from './table.ts'

const parameters = Object.entries({ ...METHODS, ...DEVELOPMENT_METHODS }).flatMap(
  ([name, { params }]) =>
    Object.entries(params).map(([parameter, schema]) => [`${name} ${parameter}`, schema] as const),
)

// Holds D70.
test('every list, record and text in the parameters of every method has a maximum', () => {
  expect(parameters.length).toBeGreaterThan(150)
  expect(parameters.flatMap(([path, schema]) => unboundedParts(schema, path))).toEqual([])
})
