import fc from 'fast-check'
import { expect, test } from 'vitest'
import { toHexDigits } from '../../../base/hex.ts'
import {
  decodeJournal,
  encodeAdditions,
  encodeClear,
  encodeHeader,
  encodeRemovals,
  HEADER_SIZE,
  RECORD_SIZE,
} from './format.ts'

const MARKER = Uint8Array.of(0x9a, 3, 0, 0x9a, 0xff, 7, 7, 1)

/** A journal of these transactions, numbered from 1, and zeros behind. */
const journalOf = (raws: readonly Uint8Array[], zeros = 100): Buffer =>
  Buffer.concat([
    encodeHeader(MARKER),
    encodeAdditions(
      MARKER,
      raws.map((raw, index) => ({ number: index + 1, raw })),
    ),
    Buffer.alloc(zeros),
  ])

const texts = (raws: readonly Uint8Array[]): string[] => raws.map(toHexDigits)

const RAWS = fc.array(fc.uint8Array({ minLength: 1, maxLength: 60 }), {
  minLength: 1,
  maxLength: 12,
})

/** Where each record begins, and where the last one ends. */
function bordersOf(raws: readonly Uint8Array[]): number[] {
  const borders = [HEADER_SIZE]
  for (const raw of raws) borders.push((borders.at(-1) ?? 0) + RECORD_SIZE + raw.length)
  return borders
}

test('what was added is read in order, less what was removed or cleared', () => {
  const raws = [1, 2, 3, 4].map((each) => new Uint8Array(each).fill(each))
  expect(decodeJournal(journalOf(raws))).toEqual({ transactions: raws, damaged: 0 })
  const added = journalOf(raws, 0)
  const removed = Buffer.concat([added, encodeRemovals(MARKER, 5, [2, 4, 99])])
  expect(texts(decodeJournal(removed).transactions)).toEqual(['01', '030303'])
  const late = encodeAdditions(MARKER, [{ number: 7, raw: Uint8Array.of(9) }])
  const cleared = Buffer.concat([removed, encodeClear(MARKER, 6), late])
  expect(decodeJournal(cleared)).toEqual({ transactions: [Uint8Array.of(9)], damaged: 0 })
})

test('a journal that was cut keeps every record before the cut', () => {
  fc.assert(
    fc.property(RAWS, fc.nat(), (raws, seed) => {
      const whole = journalOf(raws, 0)
      const cut = seed % (whole.length + 1)
      const { transactions, damaged } = decodeJournal(whole.subarray(0, cut))
      const count = bordersOf(raws).filter((border) => border <= cut).length - 1
      expect(texts(transactions)).toEqual(texts(raws.slice(0, Math.max(0, count))))
      const isClean = cut === 0 || bordersOf(raws).includes(cut)
      expect(damaged > 0 || transactions.length === 0).toBe(!isClean || transactions.length === 0)
    }),
  )
})

// Holds D93.
test('a flipped bit loses the record that it is in and no other', () => {
  fc.assert(
    fc.property(RAWS, fc.nat(), fc.nat(7), (raws, seed, bit) => {
      const bytes = journalOf(raws)
      const at = seed % (bytes.length - 100)
      bytes[at] = (bytes[at] ?? 0) ^ (1 << bit)
      const borders = bordersOf(raws)
      const hit = borders.findLastIndex((border) => border <= at)
      const { transactions, damaged } = decodeJournal(bytes)
      expect(texts(transactions)).toEqual(texts(raws.filter((_raw, index) => index !== hit)))
      // One of the two headers is enough.
      expect(damaged).toBe(hit >= 0 ? 1 : 0)
    }),
    { numRuns: 500 },
  )
})

test('no bytes at all keep it from answering', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 300 }), (bytes) => {
      expect(decodeJournal(Buffer.from(bytes)).transactions).toEqual([])
      const behind = Buffer.concat([journalOf([Uint8Array.of(5)], 0), bytes])
      expect(texts(decodeJournal(behind).transactions)).toEqual(['05'])
    }),
  )
})

test('a transaction that contains a record of another file, or a part of this one, brings nothing in', () => {
  const other = Uint8Array.of(1, 2, 3, 4, 5, 6, 7, 8)
  const inner = encodeRemovals(other, 50, [1])
  const bytes = journalOf([Uint8Array.of(1), inner, Uint8Array.of(3)])
  const second = bordersOf([Uint8Array.of(1), inner, Uint8Array.of(3)])[1] ?? 0
  bytes[second + 1] = (bytes[second + 1] ?? 0) ^ 1
  expect(texts(decodeJournal(bytes).transactions)).toEqual(['01', '03'])
})

test('what is left of a write that failed is not read behind a later, shorter one', () => {
  const failed = encodeAdditions(MARKER, [
    { number: 2, raw: Uint8Array.of(2) },
    { number: 3, raw: Uint8Array.of(3) },
  ])
  const later = encodeAdditions(MARKER, [{ number: 4, raw: Uint8Array.of(4) }])
  later.copy(failed)
  const bytes = Buffer.concat([journalOf([Uint8Array.of(1)], 0), failed])
  expect(texts(decodeJournal(bytes).transactions)).toEqual(['01', '04'])
})
