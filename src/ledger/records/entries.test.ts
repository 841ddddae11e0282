import fc from 'fast-check'
import { expect, test } from 'vitest'
import { countEntries, encodeEntries, readEntry } from './entries.ts'
import { CorruptRecordError } from './reader.ts'
import { writeRecord } from './writer.ts'

const entries = fc.array(fc.uint8Array({ maxLength: 300 }), { maxLength: 40 })

test('each entry reads back alone, and there are no others', () => {
  fc.assert(
    fc.property(entries, (given) => {
      // Inside another record, as a block's records may be.
      let record: Uint8Array = new Uint8Array(0)
      writeRecord((outer) => {
        outer.byte(7)
        record = encodeEntries(given.length, (writer, index) =>
          writer.bytes(given[index] as Uint8Array),
        )
        outer.byte(8)
      })
      expect(countEntries(record)).toBe(given.length)
      for (const [index, bytes] of given.entries()) {
        const entry = readEntry(record, index)
        expect(entry?.bytes()).toEqual(bytes)
        expect(entry?.isAtEnd()).toBe(true)
      }
      for (const index of [-1, given.length, 1e30]) expect(readEntry(record, index)).toBeUndefined()
    }),
  )
})

test('a record that was cut is refused', () => {
  const record = encodeEntries(3, (writer) => writer.bytes(new Uint8Array(10)))
  for (const length of [0, 3, 10, record.length - 1])
    expect(() => readEntry(record.subarray(0, length), 2)?.bytes()).toThrow(CorruptRecordError)
})
