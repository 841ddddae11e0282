import fc from 'fast-check'
import { expect, test } from 'vitest'
import { toHex } from './hex.ts'
import { createJsonBytes } from './jsonBytes.ts'

const part = fc.oneof(
  fc.string({ unit: 'grapheme-ascii', maxLength: 5000 }),
  fc.uint8Array({ maxLength: 5000 }),
  fc.bigInt({ min: 0n, max: 2n ** 256n }),
)

test('the pieces are what was written, in order, however long', () => {
  fc.assert(
    fc.property(fc.array(part, { maxLength: 60 }), (parts) => {
      const json = createJsonBytes()
      let expected = ''
      for (const each of parts) {
        if (typeof each === 'string') {
          json.text(each)
          json.bytes(Buffer.from(each))
          expected += each + each
        } else if (typeof each === 'bigint') {
          json.quantity(each)
          expected += `0x${each.toString(16)}`
        } else {
          json.hex(each, 1, Math.max(1, each.length))
          expected += toHex(each.subarray(1)).slice(2)
        }
      }
      expect(Buffer.concat(json.pieces()).toString('latin1')).toBe(expected)
    }),
  )
})

test('bytes longer than any piece stay whole', () => {
  const json = createJsonBytes()
  const long = new Uint8Array(1 << 20).fill(0x61)
  json.text('"')
  json.bytes(long)
  json.text('"')
  expect(Buffer.concat(json.pieces()).toString()).toBe(`"${'a'.repeat(1 << 20)}"`)
})
