import { expect, test } from 'vitest'
import type { Piece } from '../protocol.ts'
import { createTextSender } from './textSender.ts'

/** A dispatcher that reads one piece at a time. */
function slowReader() {
  const pieces: Piece[] = []
  let read: (() => void) | undefined
  return {
    pieces,
    send: (piece: Piece) =>
      new Promise<void>((resolve) => {
        pieces.push(piece)
        read = resolve
      }),
    async readOne() {
      read?.()
      await Promise.resolve()
    },
  }
}

const HANDOUT = { jobId: 'job', lease: 'lease' }

// Holds D138.
test('text that comes faster than it is read is sent together', async () => {
  const reader = slowReader()
  const sender = createTextSender({ ...HANDOUT, stream: true }, reader.send)
  for (const text of ['a', 'b', 'c']) sender.push(text)
  await reader.readOne()
  expect(reader.pieces.map(({ at, text }) => [at, text])).toEqual([
    [0, 'a'],
    [1, 'bc'],
  ])
})

test('no piece is longer than the protocol allows, or ends within a character', async () => {
  const reader = slowReader()
  const sender = createTextSender({ ...HANDOUT, stream: true }, reader.send)
  sender.push(`x${'😀'.repeat(4096)}`)
  for (let i = 0; i < 4; i++) await reader.readOne()
  expect(reader.pieces.map(({ text }) => text).join('')).toBe(`x${'😀'.repeat(4096)}`)
  for (const { text } of reader.pieces) {
    expect(text.length).toBeLessThanOrEqual(4096)
    expect(Buffer.from(text).toString()).toBe(text)
  }
})

test('whoever is asked later begins with the output, and is silent after the end', async () => {
  const reader = slowReader()
  const sender = createTextSender(HANDOUT, reader.send)
  sender.push('one ')
  expect(reader.pieces).toEqual([])
  sender.turn(true)
  expect(reader.pieces.map(({ text }) => text)).toEqual(['one '])
  sender.turn(false)
  sender.push('two ')
  await reader.readOne()
  expect(reader.pieces.length).toBe(1)
  sender.turn(true)
  expect(reader.pieces.at(-1)).toMatchObject({ at: 0, text: 'one two ' })
  sender.close()
  sender.push('three')
  await reader.readOne()
  expect(reader.pieces.length).toBe(2)
})
