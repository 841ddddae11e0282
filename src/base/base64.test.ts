import fc from 'fast-check'
import { expect, test } from 'vitest'
import { fromBase64, toBase64 } from './base64.ts'

test('bytes of any length come back, in the same text as everywhere', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 300 }), (bytes) => {
      const text = toBase64(bytes)
      expect(text).toBe(Buffer.from(bytes).toString('base64'))
      expect(fromBase64(text)).toEqual(bytes)
    }),
  )
  const large = new Uint8Array(1_000_001).fill(0xa5)
  expect(toBase64(large)).toBe(Buffer.from(large).toString('base64'))
})

test.each(['QQ', 'QQ=', 'QR==', 'Q Q=', '-_-_', 'QUE=\n', 'QUFBQUE'])(
  'the text %j is not canonical and so not base64',
  (text) => {
    expect(fromBase64(text)).toBeUndefined()
  },
)
