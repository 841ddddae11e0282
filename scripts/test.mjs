// The README's test command: unit tests, other people's vectors (a sample), and the built program end to end. Says first
// which external programs are absent, so that what they would test is skipped knowingly.
import { spawnSync } from 'node:child_process'
import fs from 'node:fs'
import path from 'node:path'
import { hasLlamaRuntime, LLAMA_INSTALL_COMMAND } from '../dist/inference/llamaRuntime.js'
import { runTests } from './runTests.mjs'

const root = path.resolve(import.meta.dirname, '..')

function has(command, args = ['--version']) {
  const result = spawnSync(command, args, { stdio: 'ignore' })
  return result.error === undefined
}

const needs = [
  {
    present: fs.existsSync(path.resolve(root, process.env.ASSAY_VECTORS ?? '../shared/vectors')),
    skipped: "tests with other people's vectors",
    enable: 'set ASSAY_VECTORS to a folder that contains them',
  },
  {
    present: hasLlamaRuntime(),
    skipped: 'tests that run a model',
    enable: LLAMA_INSTALL_COMMAND,
  },
  {
    present: process.platform !== 'linux' || process.getuid() !== 0 || has('unshare'),
    skipped: 'the user-namespace form of the embedded database',
    enable: 'apt-get install util-linux',
  },
]
for (const need of needs.filter((each) => !each.present))
  process.stderr.write(`Skipped: ${need.skipped}. To enable: ${need.enable}\n`)

// The long tests (npm run test:long) have their own step in CI.
const projects = ['tidy', 'unit', 'vectors', 'e2e', 'ways']
process.exit(runTests(projects, process.argv.slice(2)))
