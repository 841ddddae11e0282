import fc from 'fast-check'
import { expect, test } from 'vitest'
import { successText } from './envelope.ts'

test('any result, and any text most of all, comes back as its JSON', () => {
  const hex = fc.bigInt({ min: 0n }).map((value) => `0x${value.toString(16)}`)
  const text = fc.oneof(hex, fc.string({ unit: 'binary', maxLength: 80 }), fc.string())
  fc.assert(
    fc.property(fc.oneof(text, fc.jsonValue()), (result) => {
      expect(successText('7', result)).toBe(
        `{"jsonrpc":"2.0","id":7,"result":${JSON.stringify(result)}}`,
      )
    }),
    { numRuns: 1000 },
  )
})
