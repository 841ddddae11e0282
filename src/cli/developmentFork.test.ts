import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { homePaths, type Home } from '../config/home.ts'
import { checkDevelopmentFork } from './developmentFork.ts'
import { completeHome } from './newHome.ts'

let home: Home
beforeAll(async () => {
  home = homePaths(fs.mkdtempSync(path.join(os.tmpdir(), 'assay-fork-')))
  await completeHome(home, {}, { isDevelopment: true, hardfork: 'cancun' })
})
afterAll(() => fs.rmSync(home.folder, { recursive: true, force: true }))

test('a new home takes any fork, and an existing one its own', () => {
  const none = homePaths(path.join(home.folder, 'none'))
  expect(() => checkDevelopmentFork(none, 'prague', true)).not.toThrow()
  expect(() => checkDevelopmentFork(home, 'cancun', true)).not.toThrow()
  expect(() => checkDevelopmentFork(home, undefined, false)).not.toThrow()
})

test('another fork than the one that the chain begins with is refused', () => {
  expect(() => checkDevelopmentFork(home, 'prague', true)).toThrow(
    '--hardfork: the chain of this home begins with cancun',
  )
})

test('without --dev it is refused', () => {
  expect(() => checkDevelopmentFork(home, 'cancun', false)).toThrow(
    '--hardfork is for chains for development',
  )
})
