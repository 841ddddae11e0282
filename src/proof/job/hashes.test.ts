import fc from 'fast-check'
import { concatHex, keccak256, stringToHex, toRlp, type Hex } from 'viem'
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

// Holds D136, D137.
test('messages, stop texts and a seed are hashed with their names', () => {
  const params = { temperature: 0, top_p: 1, max_tokens: 128 }
  const hash = paramsHash({ ...params, messages: true, stop: ['END', '\n'], seed: -1 })
  const rlp = toRlp(
    [
      ['max_tokens', '0x80'],
      ['messages', '0x01'],
      ['seed', stringToHex('-1')],
      ['stop', [stringToHex('END'), stringToHex('\n')]],
      ['temperature', '0x'],
      ['top_p', '0x0f4240'],
    ].map(([name, value]) => [stringToHex(String(name)), value as Hex]),
  )
  expect(hash).toBe(keccak256(concatHex([stringToHex('Assay/params/v2\0'), rlp])))
  const others = [
    { ...params, raw: true as const },
    { ...params, messages: true as const },
    { ...params, stop: ['END'] },
    { ...params, stop: ['EN', 'D'] },
    { ...params, seed: 1 },
    { ...params, seed: 10 },
  ]
  expect(new Set([hash, ...others.map(paramsHash)]).size).toBe(7)
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
