import { spawnSync } from 'node:child_process'
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { beforeAll, expect, onTestFinished, test } from 'vitest'

const root = path.resolve(import.meta.dirname, '..', '..')

/** What the build reads, which tests change, and what it only looks for. */
const READ = ['scripts', 'src', 'contracts', 'web', 'package.json', 'package-lock.json']
const LOOKED_FOR = ['dist', 'node_modules']

let copy: string

beforeAll(() => {
  copy = fs.mkdtempSync(path.join(os.tmpdir(), 'assay-stale-'))
  const configs = fs.readdirSync(root).filter((name) => /^tsconfig.*\.json$/.test(name))
  for (const name of [...READ, ...configs, '.setup'])
    fs.cpSync(path.join(root, name), path.join(copy, name), { recursive: true })
  for (const name of LOOKED_FOR) fs.symlinkSync(path.join(root, name), path.join(copy, name))
  return () => fs.rmSync(copy, { recursive: true })
})

function check(option: string) {
  const script = path.join(copy, 'scripts', 'build.mjs')
  return spawnSync(process.execPath, [script, option], { encoding: 'utf8' })
}

function change(file: string): void {
  const at = path.join(copy, file)
  const before = fs.readFileSync(at)
  const times = fs.statSync(at)
  fs.appendFileSync(at, '\n')
  // What counts is what a file says, not when it was written.
  fs.utimesSync(at, times.atime, times.mtime)
  onTestFinished(() => fs.writeFileSync(at, before))
}

test('a build of the sources that stand there is fresh', () => {
  expect(check('--check')).toMatchObject({ status: 0, stderr: '' })
  expect(check('--check=generated')).toMatchObject({ status: 0, stderr: '' })
})

test('a source that changed since makes the build stale, and tests of the sources do not mind', () => {
  change('src/rpc/calls/answer.ts')
  const { status, stderr } = check('--check')
  expect(status).toBe(1)
  expect(stderr).toContain('The build is stale (Compiling TypeScript): run "npm run build".')
  expect(check('--check=generated').status).toBe(0)
})

test.each([
  ['src/evm/core/main.as.ts', 'Compiling the EVM to WebAssembly'],
  ['contracts/Staking.sol', 'Compiling contracts'],
])('a change of %s makes what is generated from it stale', (file, label) => {
  change(file)
  const { status, stderr } = check('--check=generated')
  expect(status).toBe(1)
  expect(stderr).toContain(label)
})

test('a change of a test makes nothing stale', () => {
  change('src/base/log.test.ts')
  expect(check('--check').status).toBe(0)
})
