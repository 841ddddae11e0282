// Holds D126.
import { execFile } from 'node:child_process'
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { promisify } from 'node:util'
import { afterAll, afterEach, beforeAll, expect, test, vi } from 'vitest'
import { mainFile } from '../../test/support/assay.ts'
import { requireFreshBuild } from '../../test/support/freshBuild.ts'
import {
  hasLlamaRuntime,
  llamaRuntimeFolder,
  llamaRuntimeFolders,
} from '../inference/llamaRuntime.ts'

const place = fs.mkdtempSync(path.join(os.tmpdir(), 'assay-runtime-'))
const bin = path.join(place, 'bin')
const calls = path.join(place, 'calls')

beforeAll(() => requireFreshBuild())
afterEach(() => void vi.unstubAllEnvs())
afterAll(() => fs.rmSync(place, { recursive: true }))

/** Puts a program in npm's place. */
function npm(...lines: readonly string[]): void {
  fs.mkdirSync(bin, { recursive: true })
  const script = ['#!/bin/sh', `echo call >> '${calls}'`, ...lines].join('\n')
  fs.writeFileSync(path.join(bin, 'npm'), `${script}\n`, { mode: 0o755 })
}

const install = (folder: string) =>
  promisify(execFile)(process.execPath, [mainFile, 'runtime', 'install', '--folder', folder], {
    env: { ...process.env, PATH: `${bin}:${process.env['PATH']}` },
  })

const WRITES = [
  'grep -q node-llama-cpp package.json || exit 9',
  'mkdir -p node_modules/node-llama-cpp',
  'echo "{}" > node_modules/node-llama-cpp/package.json',
]

test('npm fills a folder once; what it leaves half done is not taken for a runtime', async () => {
  const folder = path.join(place, 'home', 'runtime', 'llama')
  npm(...WRITES, 'echo the registry is away >&2', 'exit 1')
  await expect(install(folder)).rejects.toMatchObject({
    stderr: expect.stringContaining('npm says the registry is away') as string,
  })
  expect(hasLlamaRuntime(folder)).toBe(false)
  npm(...WRITES)
  expect((await install(folder)).stdout).toBe(`${folder}\n`)
  expect(hasLlamaRuntime(folder)).toBe(true)
  await install(folder)
  expect(fs.readFileSync(calls, 'utf8').split('\n')).toHaveLength(3)
})

test('a home that it has to create is for its user alone', async () => {
  const home = path.join(place, 'new')
  npm(...WRITES)
  // Another HOME and a copy of the program, which has no runtime beside it.
  const copy = path.join(place, 'copy')
  fs.mkdirSync(copy)
  fs.cpSync(path.dirname(mainFile), path.join(copy, 'dist'), { recursive: true })
  for (const name of ['node_modules', 'package.json'])
    fs.symlinkSync(path.join(path.dirname(mainFile), '..', name), path.join(copy, name))
  const main = path.join(copy, 'dist', 'main.js')
  await promisify(execFile)(process.execPath, [main, 'runtime', 'install', '--home', home], {
    env: { ...process.env, PATH: `${bin}:${process.env['PATH']}`, HOME: place, ASSAY_HOME: '' },
  })
  expect(hasLlamaRuntime(path.join(home, 'runtime', 'llama'))).toBe(true)
  expect(fs.statSync(home).mode & 0o777).toBe(0o700)
})

test('an older version is replaced', async () => {
  const folder = path.join(place, 'old')
  fs.mkdirSync(folder)
  fs.writeFileSync(path.join(folder, '.installed'), '1.0.0 linux-x64')
  npm(...WRITES)
  await install(folder)
  expect(fs.readdirSync(folder).toSorted()).toEqual(['.installed', 'node_modules', 'package.json'])
  expect(fs.readFileSync(path.join(folder, '.installed'), 'utf8')).not.toContain('1.0.0')
})

test('it is looked for in the home that is named, in that of the user, and in the installation', () => {
  const user = path.join(place, 'user')
  const named = path.join(place, 'named')
  vi.stubEnv('HOME', user)
  vi.stubEnv('ASSAY_HOME', '')
  const folders = llamaRuntimeFolders()
  expect(folders).toHaveLength(2)
  expect(folders[0]).toBe(path.join(user, '.assay', 'runtime', 'llama'))
  vi.stubEnv('ASSAY_HOME', named)
  expect(llamaRuntimeFolders()).toEqual([path.join(named, 'runtime', 'llama'), ...folders])
  const inUser = path.join(folders[0] ?? '', 'node_modules', 'node-llama-cpp')
  fs.mkdirSync(inUser, { recursive: true })
  fs.writeFileSync(path.join(inUser, 'package.json'), '{}')
  expect(llamaRuntimeFolder()).toBe(folders[0])
})
