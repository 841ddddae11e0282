import { spawnSync } from 'node:child_process'
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { mainFile } from '../../test/support/assay.ts'
import { requireFreshBuild } from '../../test/support/freshBuild.ts'

const KEY = '4f3edf983ac636a65a842ce7c78d9aa706d3b113bce9c46f30d7d21715b23b1d'
const ADDRESS = '0x90F8bf6A479f320ead074411a4B0e7944Ea8c9C1'

let folder: string
beforeAll(() => {
  requireFreshBuild()
  folder = fs.mkdtempSync(path.join(os.tmpdir(), 'assay-account-'))
})
afterAll(() => fs.rmSync(folder, { recursive: true }))

function account(home: string, args: readonly string[], input = '') {
  const [command = '', ...rest] = args
  return spawnSync(
    process.execPath,
    [mainFile, 'account', command, '--home', path.join(folder, home), ...rest],
    { input, encoding: 'utf8' },
  )
}

function file(name: string, content: string): string {
  const at = path.join(folder, name)
  fs.writeFileSync(at, content, { mode: 0o600 })
  return at
}

test('a new account is listed, with its passphrase from a pipe or a file', () => {
  const first = account('a', ['new', '--light'], 'secret\n')
  expect(first.stderr).toBe('')
  const second = account('a', ['new', '--light', '--password-file', file('pass', 'other\nx')])
  expect(account('a', ['list']).stdout).toBe(first.stdout + second.stdout)
  expect(account('a', ['export', second.stdout.trim(), '--private-key'], 'other\n').stdout).toMatch(
    /^0x[0-9a-f]{64}\n$/,
  )
})

test('a raw key is imported, exported as a key file, and imported elsewhere from that', () => {
  const raw = file('raw', `${KEY}\n`)
  expect(account('b', ['import', raw, '--light'], 'one\n').stdout).toBe(`${ADDRESS}\n`)
  const exported = account('b', ['export', ADDRESS]).stdout
  expect(exported).not.toContain(KEY)
  expect(JSON.parse(exported)).toMatchObject({ version: 3 })
  const result = account('c', [
    'import',
    file('keyfile.json', exported),
    '--light',
    '--file-password-file',
    file('one', 'one'),
    '--password-file',
    file('two', 'two'),
  ])
  expect(result.stdout).toBe(`${ADDRESS}\n`)
  expect(account('c', ['export', ADDRESS, '--private-key'], 'two').stdout).toBe(`0x${KEY}\n`)
})

test.each([
  [['export', ADDRESS], 'no key for given address or file'],
  [['export', 'me'], '"me" is not an address'],
  [['import', '/does/not/exist'], 'ENOENT'],
  [['new', '--password-file', '/does/not/exist'], '--password-file: ENOENT'],
])('%j fails and says why', (args, reason) => {
  const { status, stderr, stdout } = account('d', args)
  expect(status).toBe(1)
  expect(stderr).toContain(reason)
  expect(stdout).toBe('')
})

test('a wrong passphrase exports nothing', () => {
  const { stdout } = account('e', ['new', '--light'], 'right')
  const { status, stderr } = account('e', ['export', stdout.trim(), '--private-key'], 'wrong')
  expect(status).toBe(1)
  expect(stderr).toContain('could not decrypt key with given password')
  expect(stderr).not.toContain('wrong\n')
})
