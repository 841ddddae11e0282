import fc from 'fast-check'
import { expect, test } from 'vitest'
import { FrameMeter } from './frameMeter.ts'

/** A frame as clients send it; the key of its mask is zero. */
function frame(size: number, { opcode = 1, fin = true } = {}): number[] {
  const long = [24, 16, 8, 0].map((shift) => (size >>> shift) & 255)
  const length =
    size < 126
      ? [0x80 | size]
      : size < 65_536
        ? [0x80 | 126, ...long.slice(2)]
        : [0x80 | 127, 0, 0, 0, 0, ...long]
  return [(fin ? 0x80 : 0) | opcode, ...length, 0, 0, 0, 0, ...Array<number>(size).fill(1)]
}

test('nothing is held between messages, wherever the network cuts them', () => {
  const message = fc.array(fc.constantFrom(0, 1, 125, 126, 300, 65_535, 65_536), {
    minLength: 1,
    maxLength: 3,
  })
  fc.assert(
    fc.property(
      fc.array(message, { maxLength: 4 }),
      fc.integer({ min: 1, max: 9000 }),
      (all, cut) => {
        const meter = new FrameMeter()
        for (const parts of all) {
          const bytes = parts.flatMap((size, at) => [
            ...frame(size, { opcode: at === 0 ? 1 : 0, fin: at === parts.length - 1 }),
            // Between the fragments of a message there may be a pong.
            ...(at < parts.length - 1 ? frame(3, { opcode: 10 }) : []),
          ])
          for (let at = 0; at < bytes.length; at += cut) {
            const isLast = at + cut >= bytes.length
            meter.take(Uint8Array.from(bytes.slice(at, at + cut)))
            expect(meter.held > 0).toBe(!isLast)
          }
          expect([meter.held, meter.declared]).toEqual([0, 0])
        }
      },
    ),
    { numRuns: 15 },
  )
})

test('an unfinished message holds what has come of it, and declares what it will be', () => {
  const meter = new FrameMeter()
  const bytes = Uint8Array.from(frame(70_000))
  meter.take(bytes.subarray(0, 60_000))
  expect([meter.held, meter.declared]).toEqual([60_000, 70_000])
  meter.take(bytes.subarray(60_000))
  expect([meter.held, meter.declared]).toEqual([0, 0])
})

test('bytes that trickle count as what it takes to keep them', () => {
  const meter = new FrameMeter()
  for (const byte of frame(100).slice(0, 50)) meter.take(Uint8Array.of(byte))
  expect(meter.held).toBe(50 * 512)
})

test('control frames between messages leave nothing behind', () => {
  const meter = new FrameMeter()
  meter.take(Uint8Array.from([...frame(0, { opcode: 9 }), ...frame(125, { opcode: 10 })]))
  expect([meter.held, meter.declared]).toEqual([0, 0])
})
