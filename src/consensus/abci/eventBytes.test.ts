import fc from 'fast-check'
import { expect, test } from 'vitest'
import { concatAll, concatBytes } from '../../base/bytes.ts'
import { toHexDigits } from '../../base/hex.ts'
import { messageField, stringField, varintField } from '../../proof/comet/protobuf.ts'
import type { ApplicationEvent } from '../application.ts'
import { encodeEvents } from './eventBytes.ts'

/** Field by field. */
const plain = (events: readonly ApplicationEvent[]): Uint8Array =>
  concatAll(
    events.map(({ type, attributes }) =>
      messageField(
        7,
        concatAll([
          stringField(1, type),
          ...attributes.map(({ key, value, index }) =>
            messageField(
              2,
              concatBytes(
                stringField(1, key),
                stringField(2, value),
                varintField(3, index ? 1 : 0),
              ),
            ),
          ),
        ]),
      ),
    ),
  )

const text = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 20 }),
  fc.integer({ min: 120, max: 20_000 }).map((length) => 'é'.repeat(length)),
)
const events = fc.array(
  fc.record({
    type: text,
    attributes: fc.array(fc.record({ key: text, value: text, index: fc.boolean() }), {
      maxLength: 4,
    }),
  }),
  { maxLength: 4 },
)

test('events of any texts are encoded as field by field', () => {
  fc.assert(
    fc.property(events, (some) => {
      expect(toHexDigits(encodeEvents(7, some))).toBe(toHexDigits(plain(some)))
    }),
  )
})
