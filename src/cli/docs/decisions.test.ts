import fs from 'node:fs'
import path from 'node:path'
import { expect, test } from 'vitest'

const root = path.resolve(import.meta.dirname, '..', '..', '..')

test('every decision that the code names stands in docs/decisions.md', () => {
  const known = new Set(
    [
      ...fs
        .readFileSync(path.join(root, 'docs/decisions.md'), 'utf8')
        .matchAll(/\*\*(D\d+a?)\*\*/g),
    ].map(([, number]) => number),
  )
  const sources = fs
    .readdirSync(path.join(root, 'src'), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts') && !name.startsWith('generated'))
  const unknown = sources.flatMap((name) =>
    [...fs.readFileSync(path.join(root, 'src', name), 'utf8').matchAll(/\bD\d{1,2}a?\b/g)]
      .filter(([number]) => !known.has(number))
      .map(([number]) => `${name}: ${number}`),
  )
  expect(unknown).toEqual([])
})
