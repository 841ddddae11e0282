import path from 'node:path'
import { expect, test } from 'vitest'
import { subjectFault, subjects } from './commits.ts'

const found = subjects(path.resolve(import.meta.dirname, '..', '..'))

test.skipIf(found === undefined)('every subject can be read whole in a log', () => {
  expect((found ?? []).map(subjectFault).filter((fault) => fault !== undefined)).toEqual([])
})

test.each([
  ['x'.repeat(73)],
  [`Say ${'a'.repeat(69)}`],
  ['wip'],
  ['Format'],
  ['fixup! Say more'],
  ['add a method'],
])('a subject such as "%s" is a fault', (subject) => {
  expect(subjectFault(subject)).toBeDefined()
})

test.each(['Say more', `Say ${'a'.repeat(68)}`, 'Merge branch x', 'Format tables of errors'])(
  'a subject such as "%s" is fine',
  (subject) => {
    expect(subjectFault(subject)).toBeUndefined()
  },
)
