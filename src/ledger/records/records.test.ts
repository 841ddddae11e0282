import fc from 'fast-check'
import { expect, test } from 'vitest'
import { bigintToBytes } from '../../base/bytes.ts'
import { CorruptRecordError, createRecordReader } from './reader.ts'
import { writeRecord } from './writer.ts'

const field = fc.oneof(
  fc.record({ kind: fc.constant('varint' as const), value: fc.maxSafeNat() }),
  fc.record({ kind: fc.constant('bytes' as const), value: fc.uint8Array({ maxLength: 400 }) }),
  fc.record({
    kind: fc.constant('bigint' as const),
    value: fc.bigInt({ min: 0n, max: 2n ** 256n }),
  }),
  fc.record({ kind: fc.constant('text' as const), value: fc.string({ unit: 'grapheme' }) }),
)

test('every sequence of fields reads back as it was written', () => {
  fc.assert(
    fc.property(fc.array(field), (fields) => {
      const record = writeRecord((writer) => {
        for (const { kind, value } of fields) writer[kind](value as never)
      })
      const reader = createRecordReader(record)
      for (const { kind, value } of fields) expect(reader[kind]()).toEqual(value)
      expect(reader.isAtEnd()).toBe(true)
    }),
  )
})

test('an integer is its bytes without leading zeros, small or large', () => {
  const edges = [0n, 1n, 255n, 256n, 2n ** 48n - 1n, 2n ** 48n, 2n ** 64n, 2n ** 256n - 1n]
  for (const value of [...edges, ...fc.sample(fc.bigInt({ min: 0n, max: 2n ** 50n }), 200)])
    expect(writeRecord((writer) => writer.bigint(value))).toEqual(
      writeRecord((writer) => writer.bytes(bigintToBytes(value))),
    )
})

test('a record made inside of another, or given up by an error, leaves the outer one whole', () => {
  const outer = writeRecord((writer) => {
    writer.byte(1)
    writer.bytes(writeRecord((inner) => inner.fixed(new Uint8Array(5000).fill(9))))
    expect(() => writeRecord((inner) => inner.bigint(-1n))).toThrow(RangeError)
    writer.byte(2)
  })
  const reader = createRecordReader(outer)
  expect(reader.byte()).toBe(1)
  expect(reader.bytes()).toEqual(new Uint8Array(5000).fill(9))
  expect(reader.byte()).toBe(2)
  expect(reader.isAtEnd()).toBe(true)
})

test('a record that ends too early is refused instead of read as something else', () => {
  const record = writeRecord((writer) => writer.bytes(new Uint8Array(200)))
  for (const length of [0, 1, 2, 150])
    expect(() => createRecordReader(record.subarray(0, length)).bytes()).toThrow(CorruptRecordError)
  const endless = new Uint8Array(20).fill(0xff)
  expect(() => createRecordReader(endless).varint()).toThrow(CorruptRecordError)
})
