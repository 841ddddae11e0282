import { expect, test } from 'vitest'
import { planted, type Rule } from '../planted.ts'
import { bannedPhrases, wordFaults } from './words.ts'

const rule: Rule = (_modules, checkout) => wordFaults(checkout)

const GLOSSARY = [
  '# Working on Assay',
  '## Words',
  '',
  '| Write | Not | Why |',
  '| --- | --- | --- |',
  '| every N-th | `so manieth`, `so-manieth` | no such word |',
  '| maximum number of | `most requests` | |',
  '## Commits',
  '| a | `b` | c |',
  '',
].join('\n')

test('the glossary is a table', () => {
  expect(bannedPhrases(GLOSSARY)).toEqual([
    { phrase: 'so manieth', instead: 'every N-th' },
    { phrase: 'so-manieth', instead: 'every N-th' },
    { phrase: 'most requests', instead: 'maximum number of' },
  ])
})

test('a phrase is found in comments, texts and documents, however it is capitalised', () => {
  const found = planted(rule, {
    'CONTRIBUTING.md': GLOSSARY,
    'src/base/planted.ts': `/** Every so manieth block. */\nexport const a = 'Most requests'\n`,
    'docs/planted.md': 'Fine.\nMost requests in a batch.\n',
  }).filter((fault) => fault.includes('planted'))
  expect(found).toHaveLength(3)
  expect(found.join('\n')).toContain('write every N-th')
})

test('a word that only holds a phrase is no fault', () => {
  const found = planted(rule, {
    'CONTRIBUTING.md': GLOSSARY,
    'docs/planted.md': 'utmost requests, most requestss\n',
  }).filter((fault) => fault.includes('planted'))
  expect(found).toEqual([])
})

test('a glossary that cannot be read is a fault', () => {
  expect(planted(rule, { 'CONTRIBUTING.md': '# Nothing\n' }).join()).toContain('no table')
})
