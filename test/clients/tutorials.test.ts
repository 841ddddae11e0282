/** Every tutorial of docs/tutorials, as a reader follows it. */
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { mainFile, runAssay, startAssay, type Running } from '../support/assay.ts'
import { COMETBFT, hasCometbft } from '../support/cometbft.ts'
import { install } from '../support/installed.ts'
import { runTutorial } from '../support/tutorial.ts'

const root = path.resolve(import.meta.dirname, '..', '..')
const tutorials = path.join(root, 'docs', 'tutorials')
const MINUTES = 60_000

const home = fs.mkdtempSync(path.join(os.tmpdir(), 'assay-tutorials-'))
const programs = path.join(home, 'bin')

/** Puts a program on the path of the tutorials. */
function provide(name: string, ...command: readonly string[]): void {
  const words = command.map((word) => JSON.stringify(word)).join(' ')
  fs.writeFileSync(path.join(programs, name), `#!/bin/sh\nexec ${words} "$@"\n`, { mode: 0o755 })
}

let running: Running
beforeAll(async () => {
  fs.mkdirSync(programs)
  provide('assay', process.execPath, mainFile)
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
    HARDHAT_DISABLE_TELEMETRY_PROMPT: 'true',
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

const ANALYZERS: Readonly<Record<string, string>> = {
  'linux-x64': 'linux-x64-gnu',
  'linux-arm64': 'linux-arm64-gnu',
  'darwin-x64': 'darwin-x64',
  'darwin-arm64': 'darwin-arm64',
}

test('deploy with Hardhat', { timeout: 5 * MINUTES }, async () => {
  const analyzer = `@nomicfoundation/solidity-analyzer-${ANALYZERS[`${process.platform}-${process.arch}`]}`
  const folder = await install('tutorialHardhat', {
    hardhat: '2.26.3',
    '@nomicfoundation/hardhat-ethers': '3.0.9',
    [analyzer]: '0.1.2',
    ethers: '6.17.0',
    solc: '0.8.37',
  })
  await follow('deploy-with-hardhat', path.join(folder, 'node_modules'))
})

const CASTS: Readonly<Record<string, string>> = {
  'linux-x64': 'cast-linux-amd64',
  'linux-arm64': 'cast-linux-arm64',
  'darwin-x64': 'cast-darwin-amd64',
  'darwin-arm64': 'cast-darwin-arm64',
}

test('deploy with Foundry', { timeout: 5 * MINUTES }, async () => {
  const version = '1.7.1'
  const platform = `@foundry-rs/${CASTS[`${process.platform}-${process.arch}`]}`
  const folder = await install('cast', { '@foundry-rs/cast': version, [platform]: version })
  const binary = path.join(folder, 'node_modules', platform, 'bin', 'cast')
  provide('cast', binary)
  await follow('deploy-with-foundry', own)
})

test('be an operator', { timeout: 3 * MINUTES }, () => follow('be-an-operator', own))

test('verify as a stranger', { timeout: 3 * MINUTES }, () => follow('verify-as-a-stranger', own))

const isPresent = hasCometbft()
if (!isPresent) console.warn('skipped: no cometbft 0.38.25 in the PATH (set ASSAY_COMETBFT)')

test.runIf(isPresent)('run a network of validators', { timeout: 5 * MINUTES }, async () => {
  if (path.isAbsolute(COMETBFT)) provide('cometbft', COMETBFT)
  // Runs apart from the tutorial's shell, and has to end when the tutorial does not get that far.
  onTestFinished(async () => {
    await runAssay(['localnet', 'stop'], { HOME: home })
  })
  await follow('validator-network', own)
})
