import { keccak_256 } from '@noble/hashes/sha3.js'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { toHexDigits } from './hex.ts'
import { keccak256, keccak256OfParts } from './keccak.ts'

test('the digest of no bytes is the known one', () => {
  expect(toHexDigits(keccak256(new Uint8Array(0)))).toBe(
    'c5d2460186f7233c927e7db2dcc703c0e500b653ca82273b7bfad8045d85a470',
  )
})

test('digests equal those of an independent implementation at every length around the block size', () => {
  for (let length = 0; length < 420; length++) {
    const bytes = Uint8Array.from({ length }, (_, i) => (i * 31 + length) & 0xff)
    expect(toHexDigits(keccak256(bytes))).toBe(toHexDigits(keccak_256(bytes)))
  }
})

test('a message larger than the initial memory is hashed whole', () => {
  const bytes = new Uint8Array(3_000_000).fill(7)
  expect(keccak256(bytes)).toEqual(keccak_256(bytes))
})

test('digests of random bytes equal those of an independent implementation', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 2000 }), (bytes) => {
      expect(keccak256(bytes)).toEqual(keccak_256(bytes))
    }),
  )
})

test('the digest of parts is that of the whole', () => {
  fc.assert(
    fc.property(fc.array(fc.uint8Array({ maxLength: 300 })), (parts) => {
      expect(keccak256OfParts(parts)).toEqual(keccak256(Buffer.concat(parts)))
    }),
  )
})
