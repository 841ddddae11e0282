import { createHash } from 'node:crypto'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { sha256 } from './sha256.ts'

test('any part of a memory has the digest of its bytes, as an array of its own', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 300 }), fc.nat(20), (bytes, from) => {
      const part = bytes.subarray(from)
      const digest = sha256(part)
      expect(digest).toStrictEqual(new Uint8Array(createHash('sha256').update(part).digest()))
      expect(digest.buffer.byteLength).toBe(32)
    }),
  )
})
