import { expect, test } from 'vitest'
// @ts-expect-error -- a script without types
import { secondAttempt } from './runTests.mjs'

const report = (...files: readonly string[]) => ({
  testResults: [
    { name: '/a/test/e2e/good.test.ts', status: 'passed' },
    ...files.map((file) => ({ name: `/a/${file}`, status: 'failed' })),
  ],
})

test('a few files that start whole systems get a second attempt', () => {
  const files = ['test/torture/one.test.ts', 'test/browser/two.test.ts', 'test/e2e/three.test.ts']
  expect(secondAttempt(report(...files), '/a')).toEqual(files)
})

test('what random inputs found stays found', () => {
  expect(secondAttempt(report('test/torture/requests.test.ts'), '/a')).toEqual([])
  const { testResults } = report('test/torture/other.test.ts')
  const found = { failureMessages: ['Error: Property failed after 3 tests\n{ seed: 1 }'] }
  const withFindings = testResults.map((each) =>
    each.status === 'failed' ? { ...each, assertionResults: [found] } : each,
  )
  expect(secondAttempt({ testResults: withFindings }, '/a')).toEqual([])
})

test('a unit test, a vector or many failures get none', () => {
  const long = 'test/torture/one.test.ts'
  expect(secondAttempt(report(long, 'src/base/hex.test.ts'), '/a')).toEqual([])
  expect(secondAttempt(report('test/vectors/state.test.ts'), '/a')).toEqual([])
  const many = [1, 2, 3, 4].map((n) => `test/torture/${n}.test.ts`)
  expect(secondAttempt(report(...many), '/a')).toEqual([])
  expect(secondAttempt(report(), '/a')).toEqual([])
})
