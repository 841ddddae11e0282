// The fast tier of the unit tests: the shortest files of the table of durations, as many as together take FAST_SHARE of the time
// of all. A file that is not in the table yet is fast, so that a new test runs.
//   npm run test:fast [-- FILTER ...]     runs them once
//   npm run test:watch [-- FILTER ...]    and again whenever a file changes that they read
//   node scripts/fastTests.mjs --list     prints the files that are left out
import { spawnSync } from 'node:child_process'
import fs from 'node:fs'
import path from 'node:path'

const root = path.resolve(import.meta.dirname, '..')
export const durationsFile = path.join(root, 'test', 'durations.json')

/**
 * Four fifths of the files take a quarter of the time: about a minute on two cores. A share says the same whether the table was
 * measured on a fast machine, a slow one or a busy one.
 */
const FAST_SHARE = 0.25

/** Files of the table that are not fast, the slowest first. */
export function slowFiles(durations) {
  const byTime = Object.entries(durations).toSorted(([, a], [, b]) => b - a)
  let rest = byTime.reduce((sum, [, time]) => sum + time, 0)
  const limit = FAST_SHARE * rest
  const isSlow = ([, time]) => {
    if (rest <= limit) return false
    rest -= time
    return true
  }
  return byTime.filter(isSlow).map(([file]) => file)
}

function main(args) {
  const slow = slowFiles(JSON.parse(fs.readFileSync(durationsFile, 'utf8')))
  if (args.includes('--list')) {
    process.stdout.write(`${slow.join('\n')}\n`)
    return 0
  }
  const isWatching = args.includes('--watch')
  const filters = args.filter((arg) => arg !== '--watch')
  // Whoever names files means them, however long they take.
  const isNamed = filters.some((arg) => !arg.startsWith('-'))
  const exclude = isNamed ? [] : slow.flatMap((file) => ['--exclude', file])
  const command = [isWatching ? 'watch' : 'run', '--project', 'unit', ...exclude, ...filters]
  const vitest = path.join(root, 'node_modules', 'vitest', 'vitest.mjs')
  const { status } = spawnSync(process.execPath, [vitest, ...command], {
    cwd: root,
    stdio: 'inherit',
  })
  return status ?? 1
}

if (process.argv[1] === import.meta.filename) process.exit(main(process.argv.slice(2)))
