import { execFileSync } from 'node:child_process'
import fs from 'node:fs'
import path from 'node:path'
import { expect, test } from 'vitest'

const root = path.resolve(import.meta.dirname, '..')
const durations = JSON.parse(
  fs.readFileSync(path.join(root, 'test', 'durations.json'), 'utf8'),
) as Record<string, number>
const script = path.join(import.meta.dirname, 'fastTests.mjs')
const left = new Set(
  execFileSync(process.execPath, [script, '--list'], { encoding: 'utf8' }).trim().split('\n'),
)
const timesOf = (isLeft: boolean): readonly number[] =>
  Object.entries(durations).flatMap(([file, time]) => (left.has(file) === isLeft ? [time] : []))
const sum = (times: readonly number[]): number => times.reduce((total, time) => total + time, 0)

test('every file of the table of durations exists', () => {
  const gone = Object.keys(durations).filter((file) => !fs.existsSync(path.join(root, file)))
  expect(gone.map((file) => `${file} is gone: npm run durations -- <its new name>`)).toEqual([])
})

test('the fast tests are the shortest ones, and take a quarter of the time of all', () => {
  const [fast, slow] = [timesOf(false), timesOf(true)]
  expect(slow.length).toBe(left.size)
  expect(Math.max(...fast)).toBeLessThanOrEqual(Math.min(...slow))
  const budget = (sum(fast) + sum(slow)) / 4
  expect(sum(fast)).toBeLessThanOrEqual(budget)
  // One more would be too much.
  expect(sum(fast) + Math.min(...slow)).toBeGreaterThan(budget)
})
