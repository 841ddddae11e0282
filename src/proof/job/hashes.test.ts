import fc from 'fast-check'
import { keccak256, stringToHex } from 'viem'
import { expect, test } from 'vitest'
import { clockHash, outputHash, paramsHash, promptHash } from './hashes.ts'

test('a hash is Keccak-256 over a label and the bytes', () => {
  expect(promptHash('What is AI?')).toBe(keccak256(stringToHex('Assay/prompt/v1\0What is AI?')))
})

test('the same text as prompt and as output has different hashes', () => {
  expect(promptHash('x')).not.toBe(outputHash('x'))
})

test('parameters are hashed in millionths', () => {
  const hash = (temperature: number, top_p: number, max_tokens: number) =>
    paramsHash({ temperature, top_p, max_tokens })
  expect(hash(0.1 + 0.2, 1, 128)).toBe(hash(0.3, 1, 128))
  expect(hash(0.3, 1, 128)).not.toBe(hash(0.300001, 1, 128))
  expect(hash(0, 1, 128)).not.toBe(hash(1, 0, 128))
  expect(() => hash(-1, 1, 128)).toThrow(RangeError)
  expect(() => hash(Number.NaN, 1, 128)).toThrow(RangeError)
})

// Holds D57.
test('a prompt that is run as it is has parameters of its own', () => {
  const params = { temperature: 0, top_p: 1, max_tokens: 128 }
  expect(paramsHash({ ...params, raw: true })).not.toBe(paramsHash(params))
})

test('the hash of a clock does not depend on the order of its entries', () => {
  const entries = fc.uniqueArray(fc.tuple(fc.string(), fc.nat().map(String)), {
    selector: ([id]) => id,
    maxLength: 6,
  })
  fc.assert(
    fc.property(entries, (list) => {
      const backwards = list.toReversed()
      expect(clockHash(Object.fromEntries(list))).toBe(clockHash(Object.fromEntries(backwards)))
    }),
  )
})

test('ids and counts of a clock cannot run into each other', () => {
  expect(clockHash({ a: '11' })).not.toBe(clockHash({ a1: '1' }))
  expect(clockHash({ a: '1', b: '2' })).not.toBe(clockHash({ a: '1' }))
})
