// Holds D124.
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { packageIndex } from './pip.ts'

const home = fs.mkdtempSync(path.join(os.tmpdir(), 'assay-pip-'))
afterAll(() => fs.rmSync(home, { recursive: true }))

function write(name: string, ...lines: readonly string[]): string {
  const file = path.join(home, name)
  fs.mkdirSync(path.dirname(file), { recursive: true })
  fs.writeFileSync(file, lines.join('\n'))
  return file
}

const indexOf = (environment: Readonly<Record<string, string>>): string =>
  packageIndex({ HOME: home, ...environment }).url.href

test("pip's files are read in pip's order, and its variables come first", () => {
  write('.pip/pip.conf', '[global]', 'index-url = http://old.example/simple')
  expect(indexOf({})).toBe('http://old.example/simple/')
  write(
    '.config/pip/pip.conf',
    '# a mirror',
    '[global]',
    'timeout = 9',
    'Index_URL: https://user.example/simple/',
  )
  expect(indexOf({})).toBe('https://user.example/simple/')
  write('venv/pip.conf', '[install]', 'index-url=https://site.example/simple')
  expect(indexOf({ VIRTUAL_ENV: path.join(home, 'venv') })).toBe('https://site.example/simple/')
  const file = write('named.conf', '[download]', 'index-url=https://named.example/simple')
  const named = { VIRTUAL_ENV: path.join(home, 'venv'), PIP_CONFIG_FILE: file }
  expect(indexOf(named)).toBe('https://named.example/simple/')
  expect(indexOf({ ...named, PIP_INDEX_URL: 'https://variable.example' })).toBe(
    'https://variable.example/',
  )
  expect(indexOf({ PIP_CONFIG_FILE: os.devNull })).toBe('https://pypi.org/simple/')
})

test('a password in the address of the index becomes a header', () => {
  const index = packageIndex({
    PIP_INDEX_URL: 'https://me%40here:w%3Ard@example.org/simple',
    PIP_CONFIG_FILE: os.devNull,
  })
  expect(index.url.href).toBe('https://example.org/simple/')
  expect(index.authorization).toBe(`Basic ${Buffer.from('me@here:w:rd').toString('base64')}`)
})

test('settings that forbid the index, or name none, are errors without what they say', () => {
  expect(() => packageIndex({ PIP_NO_INDEX: '1', PIP_CONFIG_FILE: os.devNull })).toThrow('no-index')
  for (const url of ['file:///srv/simple', 'secret'])
    expect(() => packageIndex({ PIP_INDEX_URL: url, PIP_CONFIG_FILE: os.devNull })).toThrow(
      /^index-url of pip's settings is not an address$/,
    )
})
