import fc from 'fast-check'
import { expect, test } from 'vitest'
import { toHexDigits } from './hex.ts'
import { encodeRlp, type RlpItem } from './rlp.ts'
import { beginRlp, endRlp, prependBytes, prependList, prependRaw, writtenRlp } from './rlpWriter.ts'

const { item } = fc.letrec<{ item: RlpItem }>((tie) => ({
  item: fc.oneof(
    { depthSize: 'small' },
    fc.uint8Array({ maxLength: 70 }),
    fc.array(tie('item'), { maxLength: 6 }),
  ),
}))

function prepend(value: RlpItem): void {
  if (value instanceof Uint8Array) {
    prependBytes(value)
    return
  }
  const written = writtenRlp()
  for (const inner of value.toReversed()) prepend(inner)
  prependList(written)
}

test('what is written backwards is what is encoded forwards', () => {
  fc.assert(
    fc.property(item, fc.integer({ min: 0, max: 255 }), (value, type) => {
      beginRlp()
      prepend(value)
      prependRaw(type)
      const encoded = endRlp()
      expect(encoded[0]).toBe(type)
      expect(toHexDigits(encoded.subarray(1))).toBe(toHexDigits(encodeRlp(value)))
    }),
  )
})

test.each([55, 56, 255, 256, 65_535, 65_536, 200_000])('a string of %i bytes fits', (size) => {
  const bytes = new Uint8Array(size).fill(7)
  beginRlp()
  prepend([bytes, bytes])
  expect(toHexDigits(endRlp())).toBe(toHexDigits(encodeRlp([bytes, bytes])))
})
