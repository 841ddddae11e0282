import { expect, test } from 'vitest'
import { withoutExceptions } from './exceptions.ts'

const fault = { file: 'src/a.ts', line: 3, rule: 'arrows', subject: 'cli', message: 'imports cli' }
const exception = { file: 'src/a.ts', rule: 'arrows', subject: 'cli', why: 'for this test' }

test('an exception covers its fault and no other', () => {
  const other = { ...fault, subject: 'node' }
  expect(withoutExceptions([fault, other], [exception])).toEqual([other])
})

test('an exception that covers nothing is a fault', () => {
  const [stale, ...rest] = withoutExceptions([], [exception])
  expect(rest).toEqual([])
  expect(stale?.message).toContain('does not need its exception')
})
