import { expect, test } from 'vitest'
import { planted, type Rule } from '../planted.ts'
import { decisionFaults, decisionsOf } from './decisions.ts'

const rule: Rule = (_modules, checkout) => decisionFaults(checkout)

const LIST = [
  '# Decisions',
  '- **D1** One thing,',
  '  in two lines. [code](../src/a.ts) [code](../src/b.ts) · [test](../src/a.test.ts)',
  '## More',
  'Text that belongs to no entry. [code](../src/c.ts)',
  '- **D16a** Another.',
  '',
].join('\n')

test('entries end where the next one or a heading begins', () => {
  expect(decisionsOf(LIST)).toEqual([
    { number: 'D1', line: 2, code: ['src/a.ts', 'src/b.ts'], tests: ['src/a.test.ts'] },
    { number: 'D16a', line: 6, code: [], tests: [] },
  ])
})

test('a decision without code, without a test or with dead links is found', () => {
  const found = planted(rule, {
    'docs/decisions.md': LIST,
    'src/a.ts': '// Nothing is cited.\n',
    'src/a.test.ts': '',
  }).join('\n')
  expect(found).toContain('D1 links to src/a.ts, which does not cite it')
  expect(found).toContain('D1 links to src/b.ts, which is not there')
  expect(found).toContain('D16a links to no [code]')
  expect(found).toContain('D16a links to no [test]')
})

test('a number with two decisions is found', () => {
  const found = planted(rule, { 'docs/decisions.md': `${LIST}- **D1** Another one.\n` })
  expect(found.join('\n')).toContain('D1 is there twice')
})

test('a citation of a decision that does not exist is found', () => {
  const found = planted(rule, { 'src/base/planted.ts': '/** As decided (D9999). */\n' })
  expect(found).toHaveLength(1)
})

test('a number that users would read is found', () => {
  expect(planted(rule, { 'docs/methods.md': 'Traces (D1).\n' })).toHaveLength(1)
})
