/** Phrases that the glossary of CONTRIBUTING.md ("Words") replaces by plain English: nowhere in code, texts or documents. */
import type { Checkout } from '../checkout.ts'
import type { Fault } from '../fault.ts'

const GLOSSARY = 'CONTRIBUTING.md'
const TEXT = /\.(?:ts|tsx|mjs|md|html|css|toml|yaml|yml|service|sol|sh)$/
/** Where the phrases themselves stand. */
const ABOUT_WORDS = /^(?:CONTRIBUTING\.md|tidy\/rules\/words(?:\.test)?\.ts)$/

export type BannedPhrase = { readonly phrase: string; readonly instead: string }

function cellsOf(row: string): readonly string[] {
  return row
    .split('|')
    .slice(1, -1)
    .map((cell) => cell.trim())
}

/** The phrases of the table under the heading `## Words`: columns Write, Not (phrases in backticks), Why. */
export function bannedPhrases(contributing: string): readonly BannedPhrase[] {
  const [, section = ''] = contributing.split(/^## Words$/m)
  const rows = (section.split(/^## /m)[0] ?? '').split('\n').filter((line) => line.startsWith('|'))
  return rows.slice(2).flatMap((row) => {
    const [instead = '', not = ''] = cellsOf(row)
    return [...not.matchAll(/`([^`]+)`/g)].map(([, phrase = '']) => ({ phrase, instead }))
  })
}

function patternOf(phrases: readonly BannedPhrase[]): RegExp {
  const texts = phrases.map(({ phrase }) => phrase.replace(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`))
  return new RegExp(String.raw`(?<!\w)(?:${texts.join('|')})(?!\w)`, 'gi')
}

/** Every place where a banned phrase stands. */
export function wordFaults(checkout: Checkout): Fault[] {
  const phrases = bannedPhrases(checkout.read(GLOSSARY))
  if (phrases.length === 0)
    return [
      {
        file: GLOSSARY,
        line: 0,
        rule: 'words',
        subject: 'glossary',
        message: 'has no table under "## Words"',
      },
    ]
  const instead = new Map(phrases.map((each) => [each.phrase.toLowerCase(), each.instead]))
  const pattern = patternOf(phrases)
  const out: Fault[] = []
  for (const file of checkout.files) {
    if (!TEXT.test(file) || ABOUT_WORDS.test(file)) continue
    for (const [index, line] of checkout.read(file).split('\n').entries())
      for (const [found] of line.matchAll(pattern))
        out.push({
          file,
          line: index + 1,
          rule: 'words',
          subject: found.toLowerCase(),
          message: `says "${found}": write ${instead.get(found.toLowerCase()) ?? 'it plainly'} (CONTRIBUTING.md, "Words")`,
        })
  }
  return out
}
