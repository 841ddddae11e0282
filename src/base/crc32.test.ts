import { crc32 as native } from 'node:zlib'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { utf8 } from './bytes.ts'
import { crc32 } from './crc32.ts'

test('the check value of the standard', () => {
  expect(crc32(utf8('123456789'))).toBe(0xcbf43926)
})

test('it is that of zlib at every length, in one part or in two', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 400 }), fc.nat(400), (bytes, cut) => {
      const length = Math.min(cut, bytes.length)
      expect(crc32(bytes)).toBe(native(bytes))
      expect(crc32(bytes.subarray(length), bytes.length - length, crc32(bytes, length))).toBe(
        native(bytes),
      )
    }),
  )
})
