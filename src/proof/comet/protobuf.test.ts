import fc from 'fast-check'
import { expect, test } from 'vitest'
import { concatBytes } from '../../base/bytes.ts'
import { toHexDigits } from '../../base/hex.ts'
import {
  bytesField,
  messageField,
  parseMessage,
  ProtobufError,
  sfixed64Field,
  stringField,
  varintField,
} from './protobuf.ts'

test('zero scalars are left out and empty messages are written', () => {
  expect(varintField(1, 0)).toHaveLength(0)
  expect(sfixed64Field(1, 0n)).toHaveLength(0)
  expect(bytesField(1, new Uint8Array(0))).toHaveLength(0)
  expect(toHexDigits(messageField(2, new Uint8Array(0)))).toBe('1200')
})

test('a negative integer is a ten-byte varint', () => {
  expect(toHexDigits(varintField(4, -1))).toBe('20ffffffffffffffffff01')
})

test('every record reads back as it was written', () => {
  fc.assert(
    fc.property(
      fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }),
      fc.uint8Array({ maxLength: 300 }),
      fc.string({ unit: 'grapheme' }),
      fc.array(fc.uint8Array({ maxLength: 5 })),
      (int, bytes, text, items) => {
        const message = parseMessage(
          concatBytes(
            varintField(1, int),
            bytesField(2, bytes),
            stringField(3, text),
            ...items.map((item) => messageField(40, item)),
          ),
        )
        expect(message.int(1)).toBe(int)
        expect([...message.bytes(2)]).toEqual([...bytes])
        expect(message.text(3)).toBe(text)
        expect(message.all(40).map((item) => [...item])).toEqual(items.map((item) => [...item]))
      },
    ),
  )
})

test('arbitrary bytes parse or fail with a ProtobufError', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 40 }), (bytes) => {
      try {
        parseMessage(bytes)
      } catch (error) {
        expect(error).toBeInstanceOf(ProtobufError)
      }
    }),
  )
})
