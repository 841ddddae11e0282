import { expect, test } from 'vitest'
import type { Fact, Report } from '../../../src/proof/bundle/report.ts'
import { sealOf } from './seal.ts'

const reportOf = (facts: readonly Fact[], more: Partial<Report> = {}): Report => ({
  lines: [],
  facts: [facts],
  holds: true,
  ...more,
})
const statesOf = (report: Report, type: 'opml' | 'tee') =>
  sealOf(report, 0, type, 'ab12').steps.map(({ fact, state }) => `${fact} ${state}`)

// Holds D169.
test('an answer is signed, then anchored, then re-executed; each step is lit by its own fact', () => {
  expect(statesOf(reportOf(['anchored']), 'opml')).toEqual([
    'signed open',
    'anchored reached',
    're-executed open',
  ])
  expect(statesOf(reportOf(['signed', 'anchored', 're-executed']), 'opml')).toEqual([
    'signed reached',
    'anchored reached',
    're-executed reached',
  ])
})

test('the path of an attested answer forks to referee and hardware, and software lights neither', () => {
  const seal = sealOf(reportOf(['signed', 'software']), 0, 'tee', 'ab12')
  expect(seal.steps.map(({ fact, state }) => `${fact} ${state}`)).toEqual([
    'signed reached',
    'anchored open',
    'refereed open',
    'hardware open',
  ])
  expect(seal.steps.at(-1)?.need).toContain('proves nothing about the machine')
  expect(seal.verdict).toBe('vouched')
})

test('one failed check leaves nothing lit, whatever else is known', () => {
  const seal = sealOf(
    reportOf(['signed', 'anchored', 're-executed'], { holds: false }),
    0,
    'opml',
    'ab12',
  )
  expect(seal.verdict).toBe('failed')
  expect(seal.steps.every(({ state }) => state === 'failed')).toBe(true)
})

test('an open step says what it needs', () => {
  const line = {
    about: 'answer 1',
    status: 'unchecked',
    text: 'anchor: the receipt is not anchored on a chain, or not yet',
  } as const
  const { steps, verdict } = sealOf(reportOf([], { lines: [line] }), 0, 'opml', 'ab12')
  expect(verdict).toBe('open')
  expect(steps[0]?.need).toContain('dispatcher')
  expect(steps[1]?.need).toContain('not yet')
  expect(steps[2]?.need).toContain('assay job replay ab12')
})

test('an own execution or hardware proves, an anchor alone tells the time', () => {
  const verdict = (facts: readonly Fact[]) => sealOf(reportOf(facts), 0, 'opml', '').verdict
  expect(verdict(['re-executed'])).toBe('proven')
  expect(verdict(['hardware'])).toBe('proven')
  expect(verdict(['anchored'])).toBe('anchored')
  // An answer that the bundle does not have.
  expect(sealOf(reportOf(['signed']), 3, 'opml', '').verdict).toBe('open')
})
