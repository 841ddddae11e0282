import fc from 'fast-check'
import { expect, test } from 'vitest'
import { acceptOf } from './accept.ts'
import { address, data, hash, quantity } from './schema.ts'

const digits = fc.stringMatching(/^[0-9a-fA-Fx]{0,70}$/)
const given = fc.oneof(
  fc.constantFrom(undefined, null, 1, '', '0x', '0X00', 'latest', 'pending', '0x00', {}),
  fc.stringMatching(/^[0-9a-f]{0,70}$/).map((text) => `0x${text}`),
  fc
    .uint8Array({ minLength: 20, maxLength: 20 })
    .map((bytes) => `0x${Buffer.from(bytes).toString('hex')}`),
  fc
    .uint8Array({ minLength: 32, maxLength: 32 })
    .map((bytes) => `0X${Buffer.from(bytes).toString('hex')}`),
  digits,
)

test('what the short way takes, the schema parses to the same value', () => {
  let taken = 0
  fc.assert(
    fc.property(fc.constantFrom(address, data, hash, quantity), given, (schema, value) => {
      const accepted = acceptOf(schema)?.(value)
      if (accepted === undefined) return
      taken++
      expect(schema.parse(value)).toEqual(accepted)
    }),
    { numRuns: 2000 },
  )
  expect(taken).toBeGreaterThan(100)
})
