// Runs projects of tests. In CI, files that start whole systems get a second attempt, alone: among thousands of waits for other
// processes, one that a busy machine decides differently shall not refuse a change. Such a file is named at the end, and is a
// defect to mend. Unit tests and vectors have one attempt.
import { spawnSync } from 'node:child_process'
import fs from 'node:fs'
import path from 'node:path'

const root = path.resolve(import.meta.dirname, '..')
const vitest = path.join(root, 'node_modules', 'vitest', 'vitest.mjs')

/** Folders of the tests that start whole systems. */
const SYSTEMS = /^test\/(browser|clients|e2e|recipes|torture|ways)\//
/** Those that make inputs at random. */
const RANDOM = /\/(fuzz|requests)\.test\.ts$/
/** With more failed files than these, something is wrong. */
const MAX_AGAIN = 3

/**
 * Files that deserve a second attempt after a run, by its JSON report: paths from the root. None when any other file failed, too many
 * did, or random inputs found something, which other ones need not find again.
 */
export function secondAttempt(report, base = root) {
  const failed = report.testResults
    .filter(({ status }) => status === 'failed')
    .map(({ name }) => path.relative(base, name).replaceAll(path.sep, '/'))
  const isFound = report.testResults.some(({ assertionResults = [] }) =>
    assertionResults.some(({ failureMessages = [] }) =>
      failureMessages.some((message) => message.includes('Property failed')),
    ),
  )
  const mayFail = (file) => SYSTEMS.test(file) && !RANDOM.test(file)
  const isFew = failed.length <= MAX_AGAIN && failed.every(mayFail)
  return isFew && !isFound ? failed : []
}

/** One run; its exit status, and its report if it came to an end. */
function attempt(projects, file, args) {
  fs.rmSync(file, { force: true })
  const { status } = spawnSync(
    process.execPath,
    [
      vitest,
      'run',
      ...projects.flatMap((project) => ['--project', project]),
      '--reporter=default',
      '--reporter=json',
      `--outputFile=${file}`,
      ...args,
    ],
    { cwd: root, stdio: 'inherit' },
  )
  const report = fs.existsSync(file) ? JSON.parse(fs.readFileSync(file, 'utf8')) : undefined
  return { status: status ?? 1, report }
}

/** Runs projects; returns the exit status, and prints how many tests passed, failed and were skipped. */
export function runTests(projects, args = []) {
  const file = path.join(root, '.setup', 'tests.json')
  const first = attempt(projects, file, args)
  if (first.report !== undefined) {
    const { numPassedTests, numFailedTests, numPendingTests, numTodoTests } = first.report
    const skipped = numPendingTests + numTodoTests
    process.stdout.write(
      `\ntests: ${numPassedTests} passed, ${numFailedTests} failed, ${skipped} skipped\n`,
    )
  }
  const again =
    first.status === 0 || first.report === undefined || process.env.CI === undefined
      ? []
      : secondAttempt(first.report)
  if (again.length === 0) return first.status
  process.stdout.write(`\nA second attempt, alone: ${again.join(', ')}\n`)
  const second = attempt(projects, file, again)
  if (second.status === 0)
    process.stdout.write(`\nUNSTEADY, passed only at a second attempt: ${again.join(', ')}\n`)
  return second.status
}
