/** Every tutorial of docs/tutorials, as a reader follows it. */
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { mainFile, startAssay, type Running } from '../support/assay.ts'
import { runTutorial } from '../support/tutorial.ts'

const root = path.resolve(import.meta.dirname, '..', '..')
const tutorials = path.join(root, 'docs', 'tutorials')
const MINUTES = 60_000

const home = fs.mkdtempSync(path.join(os.tmpdir(), 'assay-tutorials-'))
const programs = path.join(home, 'bin')

let running: Running
beforeAll(async () => {
  fs.mkdirSync(programs)
  fs.writeFileSync(
    path.join(programs, 'assay'),
    `#!/bin/sh\nexec ${JSON.stringify(process.execPath)} ${JSON.stringify(mainFile)} "$@"\n`,
    { mode: 0o755 },
  )
  running = await startAssay(path.join(home, '.assay'))
}, 3 * MINUTES)
afterAll(async () => {
  await running.stop()
  fs.rmSync(home, { recursive: true, force: true })
})

/** Follows a tutorial in a folder that has these packages. */
async function follow(name: string, modules: string): Promise<void> {
  const folder = path.join(home, name)
  fs.mkdirSync(folder)
  fs.writeFileSync(path.join(folder, 'package.json'), '{ "private": true }')
  fs.symlinkSync(modules, path.join(folder, 'node_modules'))
  const { missing, output } = await runTutorial(path.join(tutorials, `${name}.md`), folder, {
    HOME: home,
    PATH: `${programs}:${process.env['PATH']}`,
    NO_COLOR: '1',
  })
  expect({ missing, output: missing.length > 0 ? output : '' }).toEqual({ missing: [], output: '' })
}

const own = path.join(root, 'node_modules')

test('the list names every tutorial', () => {
  const list = fs.readFileSync(path.join(tutorials, 'README.md'), 'utf8')
  for (const file of fs.readdirSync(tutorials).filter((each) => each !== 'README.md'))
    expect(list).toContain(`(${file})`)
})

test('deploy with viem', { timeout: 2 * MINUTES }, () => follow('deploy-with-viem', own))

test('verify as a stranger', { timeout: 3 * MINUTES }, () => follow('verify-as-a-stranger', own))
