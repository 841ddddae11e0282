#!/usr/bin/env node
import { exitCodeOf } from './base/errors.ts'
import { createProgram } from './cli/program.ts'
import { report } from './cli/report.ts'

const LONG_MS = 1_000_000_000
// Time limits of requests (AbortSignal.timeout) keep no process alive: one that waits for nothing else would end without a word.
const waiting = setInterval(() => undefined, LONG_MS)
try {
  await createProgram().parseAsync()
} catch (error) {
  report(error)
  process.exit(exitCodeOf(error))
} finally {
  clearInterval(waiting)
}
