import fc from 'fast-check'
import { expect, test } from 'vitest'
import { concatAll } from '../../base/bytes.ts'
import { createFrameReader, encodeFrame, FrameError } from './frames.ts'

test('messages come back whole, however the stream is cut', () => {
  const messages = fc.array(fc.uint8Array({ maxLength: 300 }), { maxLength: 8 })
  fc.assert(
    fc.property(
      messages,
      fc.array(fc.integer({ min: 1, max: 200 }), { minLength: 1 }),
      (sent, cuts) => {
        const stream = concatAll(sent.map(encodeFrame))
        const reader = createFrameReader()
        const received: Uint8Array[] = []
        for (let at = 0, i = 0; at < stream.length; i++) {
          const size = cuts[i % cuts.length] ?? 1
          received.push(...reader.push(stream.subarray(at, at + size)))
          at += size
        }
        expect(received).toEqual(sent.map((message) => Uint8Array.from(message)))
      },
    ),
  )
})

test('a message keeps its bytes when the buffer of the socket is used again', () => {
  const chunk = encodeFrame(Uint8Array.of(1, 2, 3))
  const reader = createFrameReader()
  const [message] = reader.push(chunk)
  chunk.fill(0)
  expect(message).toEqual(Uint8Array.of(1, 2, 3))
})

test('a length beyond the limit is refused before anything of it is kept', () => {
  expect(() => createFrameReader(100).push(Uint8Array.of(101))).toThrow(
    new FrameError('a message of 101 bytes is beyond the limit of 100'),
  )
  expect(() => createFrameReader().push(new Uint8Array(5).fill(0xff))).toThrow(
    'the length of a message is longer than five bytes',
  )
})
