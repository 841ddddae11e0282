// Holds D91.
import { spawnSync } from 'node:child_process'
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { expect, test } from 'vitest'
import { connectionLimit, descriptorLimit } from './descriptors.ts'

const SOURCES = new URL('../../test/support/typescript/register.mjs', import.meta.url).href
const module = new URL('./files.ts', import.meta.url).href
const descriptors = new URL('./descriptors.ts', import.meta.url).href

/** Runs code in a process that may have this many files open. */
function runWithin(limit: number, code: string): string {
  const { stdout, stderr } = spawnSync(
    'sh',
    ['-c', `ulimit -n ${limit}; exec "$0" "$@"`, process.execPath, '--import', SOURCES].concat([
      '--input-type=module',
      '-e',
      code,
    ]),
    { encoding: 'utf8' },
  )
  return stdout === '' ? stderr : stdout.trim()
}

test('the limit is that of the process, and connections get all but a share of it', () => {
  const code = `const { descriptorLimit, connectionLimit } = await import(${JSON.stringify(descriptors)})
    console.log(descriptorLimit(), connectionLimit())`
  expect(runWithin(300, code)).toBe('300 172')
  expect(runWithin(100, code)).toBe('100 16')
  expect(connectionLimit()).toBeLessThan(descriptorLimit())
})

test.each([
  ['with a reserve a file is replaced', true, 'new'],
  ['without one it is not', false, 'EMFILE'],
])('when no descriptor is left: %s', (_what, hasReserve, expected) => {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'assay-descriptors-'))
  const file = path.join(folder, 'state.json')
  fs.writeFileSync(file, 'old')
  const result = runWithin(
    200,
    `import fs from 'node:fs'
    const { writeFileAtomic } = await import(${JSON.stringify(module)})
    const { holdReserve } = await import(${JSON.stringify(descriptors)})
    if (${hasReserve}) holdReserve()
    try { for (;;) fs.openSync('/dev/null', 'r') } catch {}
    try {
      for (let i = 0; i < 3; i++) writeFileAtomic(${JSON.stringify(file)}, 'new')
      console.log('new')
    } catch (error) { console.log(error.code) }`,
  )
  expect(result).toBe(expected)
  expect(fs.readdirSync(folder)).toEqual(['state.json'])
  expect(fs.readFileSync(file, 'utf8')).toBe(hasReserve ? 'new' : 'old')
  fs.rmSync(folder, { recursive: true, force: true })
})
