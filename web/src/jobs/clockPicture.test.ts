import { expect, test } from 'vitest'
import { clockPicture } from './clockPicture.ts'

test('what an event has seen stands left of it, and an arrow leads from there', () => {
  const picture = clockPicture(
    [
      { participant: 'd', clock: { d: '2', o: '1' }, label: 'recorded' },
      { participant: 'o', clock: { d: '1', o: '1' }, label: 'answered' },
    ],
    'd',
  )
  expect(picture.lanes).toEqual(['d', 'o'])
  expect(picture.events.map(({ lane, count, label }) => [lane, count, label])).toEqual([
    [0, 1, ''],
    [1, 1, 'answered'],
    [0, 2, 'recorded'],
  ])
  expect(picture.arrows.map(({ from, to }) => [from.column, to.column])).toEqual([
    [0, 1],
    [1, 2],
  ])
})

test('clocks of strangers are bounded, and odd counts are none', () => {
  const clock = Object.fromEntries(
    Array.from({ length: 100 }, (_, at) => [`p${at}`, '9'.repeat(90)]),
  )
  const picture = clockPicture([{ participant: 'p0', clock, label: '' }], undefined)
  expect(picture.lanes).toHaveLength(12)
  expect(picture.arrows).toHaveLength(0)
})
