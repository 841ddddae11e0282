import { expect, test } from 'vitest'
import { isLarger } from '../base/jsonSize.ts'
import { ArgumentError } from './argument.ts'
import { unsafeCometTable } from './table.ts'
import { readParams, readUriArguments } from './transport/envelope.ts'

const all = [...unsafeCometTable].flatMap(([name, method]) =>
  Object.entries(method.args).map(([key, argument]) => ({ name, method, key, argument })),
)

// Holds D70.
test('every argument of every endpoint has a maximum, and the error names the argument and the maximum', () => {
  expect(all.length).toBeGreaterThan(40)
  for (const { name, method, key, argument } of all) {
    const { values, characters } = argument.limit
    expect(values * characters, name).toBeLessThan(1e12)
    const long = 'a'.repeat(characters + 1)
    const wide = Array.from({ length: values }, () => 1)
    const message = `${key} is too long: at most ${values} values with ${characters} characters`
    for (const value of [long, wide, { [long]: 1 }])
      expect(() => readParams(method, { [key]: value }), name).toThrow(new ArgumentError(message))
    expect(() => readUriArguments(method, (each) => (each === key ? long : '')), name).toThrow(
      'is too long',
    )
    expect(isLarger(wide.slice(1), argument.limit)).toBe(false)
  }
})
