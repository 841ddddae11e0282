import { expect, test } from 'vitest'
import type { Piece } from '../protocol.ts'
import { Handouts } from './handouts.ts'

const piece = (lease: string, at: number, text: string): Piece => ({
  type: 'text',
  jobId: 'job',
  lease,
  at,
  text,
})

function handed(...leases: readonly string[]): Handouts {
  const handouts = new Handouts()
  for (const lease of leases)
    handouts.begin({ jobId: 'job', lease, operator: `operator of ${lease}`, streams: true })
  return handouts
}

// Holds D138.
test('of several operators the first one speaks, and the others are told to be quiet', () => {
  const handouts = handed('a', 'b')
  expect(handouts.take('operator of b', piece('b', 0, 'Hel'))).toBe(true)
  expect(handouts.take('operator of a', piece('a', 0, 'Bye'))).toBe(false)
  expect(handouts.take('operator of b', piece('b', 3, 'lo'))).toBe(true)
  expect(handouts.spoken('job')).toEqual({ text: 'Hello', isTorn: false })
})

test('when the speaker is lost, the next one goes on from the same beginning', () => {
  const handouts = handed('a', 'b')
  handouts.take('operator of a', piece('a', 0, 'Hel'))
  expect(handouts.end({ jobId: 'job', lease: 'a' }, false)?.lease).toBe('b')
  expect(handouts.take('operator of b', piece('b', 0, 'He'))).toBe(true)
  expect(handouts.take('operator of b', piece('b', 2, 'llo'))).toBe(true)
  expect(handouts.spoken('job')).toEqual({ text: 'Hello', isTorn: false })
})

test('two texts are never mixed', () => {
  const handouts = handed('a', 'b')
  handouts.take('operator of a', piece('a', 0, 'Hel'))
  handouts.end({ jobId: 'job', lease: 'a' }, false)
  expect(handouts.take('operator of b', piece('b', 0, 'Good bye'))).toBe(false)
  expect(handouts.spoken('job')).toEqual({ text: 'Hel', isTorn: true })
})

test('a speaker that answered needs no successor', () => {
  const handouts = handed('a', 'b')
  handouts.take('operator of a', piece('a', 0, 'Hello'))
  expect(handouts.end({ jobId: 'job', lease: 'a' }, true)).toBeUndefined()
  expect(handouts.spoken('job').text).toBe('Hello')
})

test("nobody speaks for another operator's hand-out, leaves something out, or speaks unasked", () => {
  const handouts = handed('a')
  expect(handouts.take('operator of b', piece('a', 0, 'x'))).toBe(false)
  expect(handouts.take('operator of a', piece('a', 5, 'x'))).toBe(false)
  handouts.begin({ jobId: 'other', lease: 'c', operator: 'quiet', streams: false })
  expect(handouts.take('quiet', { ...piece('c', 0, 'x'), jobId: 'other' })).toBe(false)
  expect(handouts.spoken('job').text).toBe('')
})

test('watchers hear of every piece until they stop, and nothing is kept after that', () => {
  const handouts = handed('a')
  let heard = 0
  const stop = handouts.watch('job', () => heard++)
  handouts.take('operator of a', piece('a', 0, 'x'))
  handouts.end({ jobId: 'job', lease: 'a' }, true)
  expect([heard, handouts.spoken('job').text]).toEqual([1, 'x'])
  stop()
  expect(handouts.spoken('job').text).toBe('')
})

test('an output of any length takes no more than a megabyte', () => {
  const handouts = handed('a')
  const text = 'x'.repeat(4096)
  let at = 0
  while (handouts.take('operator of a', piece('a', at, text))) at += text.length
  expect(handouts.spoken('job').text.length).toBe(1024 * 1024)
})

test('an operator that answers nothing does not fill the memory', () => {
  const handouts = new Handouts()
  for (let i = 0; i < 2000; i++)
    handouts.begin({ jobId: `job ${i}`, lease: String(i), operator: 'silent', streams: true })
  expect(handouts.by('silent').length).toBe(1024)
  expect(handouts.of('job 0')).toEqual([])
})
