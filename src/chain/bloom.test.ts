import fc from 'fast-check'
import { expect, test } from 'vitest'
import { fromHex, toHexDigits } from '../base/hex.ts'
import { keccak256 } from '../base/keccak.ts'
import { logsBloom, uniteBlooms } from './bloom.ts'
import { createBloomTest } from '../ledger/logs/criteria.ts'

const address = new Uint8Array(20).fill(0x11)
const topic = new Uint8Array(32).fill(0x22)
const log = { address, topics: [topic], data: new Uint8Array(0) }

const mayHave = (bloom: Uint8Array, emitter: Uint8Array) =>
  createBloomTest({ addresses: [emitter], topics: [] })(bloom)

test('no logs give zeros', () => {
  expect(logsBloom([])).toEqual(new Uint8Array(256))
})

test('a known address sets its three known bits', () => {
  // The example of the Yellow Paper's bloom function: Keccak-256 of the address selects bits 1323, 431 and 1319.
  const example = fromHex('0x0f572e5295c57f15886f9b263e2f6d2d6c7b5ec6')
  const bloom = logsBloom([{ address: example, topics: [], data: new Uint8Array(0) }])
  const bits: number[] = []
  bloom.forEach((byte, index) => {
    for (let bit = 0; bit < 8; bit++)
      if ((byte & (1 << bit)) !== 0) bits.push((255 - index) * 8 + bit)
  })
  expect(bits.toSorted((a, b) => a - b)).toEqual([431, 1319, 1323])
})

test('a bloom may contain the addresses and topics of its logs and not others', () => {
  const bloom = logsBloom([log])
  expect(mayHave(bloom, address)).toBe(true)
  expect(createBloomTest({ addresses: [], topics: [[topic]] })(bloom)).toBe(true)
  expect(mayHave(bloom, new Uint8Array(20).fill(0x33))).toBe(false)
})

test('a union contains what its parts contain', () => {
  const other = logsBloom([{ ...log, address: new Uint8Array(20).fill(0x44), topics: [] }])
  const union = uniteBlooms([logsBloom([log]), other])
  expect(mayHave(union, address)).toBe(true)
  expect(mayHave(union, new Uint8Array(20).fill(0x44))).toBe(true)
  expect(toHexDigits(uniteBlooms([]))).toBe('00'.repeat(256))
})

test('blooms of many values, seen before or not, are those of their hashes', () => {
  const bitsOf = (value: Uint8Array) => {
    const hash = keccak256(value)
    return [0, 2, 4].map((at) => (((hash[at] ?? 0) << 8) | (hash[at + 1] ?? 0)) & 2047)
  }
  fc.assert(
    fc.property(
      // Few endings, so that values evict each other.
      fc.array(fc.tuple(fc.constantFrom(20, 32), fc.nat(2), fc.nat(2)), { minLength: 1 }),
      (picks) => {
        for (const [length, first, last] of picks) {
          const value = new Uint8Array(length)
          value[0] = first
          value[length - 1] = last
          const bloom = logsBloom([{ address: value, topics: [], data: new Uint8Array(0) }])
          const expected = new Uint8Array(256)
          for (const bit of bitsOf(value)) expected[255 - (bit >> 3)]! |= 1 << (bit & 7)
          expect(bloom).toEqual(expected)
        }
      },
    ),
  )
})
