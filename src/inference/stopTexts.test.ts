import fc from 'fast-check'
import { expect, test } from 'vitest'
import { createStopFilter } from './stopTexts.ts'

/** What a filter shows of a text in pieces. */
function shown(pieces: readonly string[], stops: readonly string[]): string {
  const filter = createStopFilter(stops)
  const parts = pieces.map((piece) => filter.push(piece))
  return [...parts, filter.end()].join('')
}

/** The text before the first stop that is complete first, as a reader of single characters sees it. */
function expected(text: string, stops: readonly string[]): string {
  for (let end = 1; end <= text.length; end++) {
    const at = stops.map((stop) => text.slice(0, end).indexOf(stop)).filter((each) => each >= 0)
    if (at.length > 0) return text.slice(0, Math.min(...at))
  }
  return text
}

// Holds D137.
test('an output ends before the first stop text, and nothing of that text is ever shown', () => {
  expect(shown(['one ', 'two EN', 'D three'], ['END'])).toBe('one two ')
  const words = fc.string({ unit: fc.constantFrom('a', 'b', 'c'), minLength: 1, maxLength: 4 })
  fc.assert(
    fc.property(
      fc.string({ unit: fc.constantFrom('a', 'b', 'c'), maxLength: 30 }),
      fc.array(words, { maxLength: 4 }),
      (text, stops) => {
        expect(shown(text.split(''), stops)).toBe(expected(text, stops))
      },
    ),
  )
})

test('what cannot begin a stop text is shown at once', () => {
  const filter = createStopFilter(['END'])
  expect(filter.push('one E')).toBe('one ')
  expect(filter.push('x')).toBe('Ex')
  expect(filter.push('EN')).toBe('')
  expect(filter.hasEnded).toBe(false)
  expect(filter.end()).toBe('EN')
})

test('without stop texts everything passes', () => {
  const filter = createStopFilter([])
  expect(filter.push('END')).toBe('END')
  expect(filter.hasEnded).toBe(false)
})
