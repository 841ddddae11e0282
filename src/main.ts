#!/usr/bin/env node
import { createProgram } from './cli/program.ts'
import { report } from './cli/report.ts'

try {
  await createProgram().parseAsync()
} catch (error) {
  report(error)
  process.exit(1)
}
