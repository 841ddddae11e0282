// Measures how long each file of unit tests takes, and writes test/durations.json, from which npm run test:fast chooses.
//   npm run durations                     measures all files
//   npm run durations -- FILTER ...       measures some, for example after they were moved or split
//   npm run durations -- --runs 3         takes the shortest of several times: what else a machine does makes them longer
import fs from 'node:fs'
import path from 'node:path'
import { parseArgs } from 'node:util'
import { startVitest } from 'vitest/node'
import { durationsFile, slowFiles } from './fastTests.mjs'

const root = path.resolve(import.meta.dirname, '..')
const { values, positionals } = parseArgs({
  options: { runs: { type: 'string', default: '1' } },
  allowPositionals: true,
})

/** Milliseconds of all tests and hooks of each file, by its path from the root. */
async function measure() {
  const times = {}
  const reporter = {
    onTestModuleEnd(module) {
      const file = path.relative(root, module.moduleId).replaceAll(path.sep, '/')
      // What a file loads is not counted: the first one that needs a module loads it for all that come later.
      times[file] = Math.ceil(module.diagnostic().duration)
    },
  }
  const options = { root, watch: false, project: ['unit'], reporters: ['default', reporter] }
  const vitest = await startVitest('test', positionals, options)
  const failed = vitest.state.getCountOfFailedTests()
  await vitest.close()
  if (failed > 0) throw new Error(`${failed} tests failed: the table stays as it is`)
  return times
}

const best = {}
for (let run = 0; run < Number(values.runs); run++)
  for (const [file, time] of Object.entries(await measure()))
    best[file] = Math.min(best[file] ?? Number.POSITIVE_INFINITY, time)

const known = positionals.length > 0 ? JSON.parse(fs.readFileSync(durationsFile, 'utf8')) : {}
const sorted = Object.entries({ ...known, ...best })
  .filter(([file]) => fs.existsSync(path.join(root, file)))
  .toSorted(([a], [b]) => (a < b ? -1 : 1))
const durations = Object.fromEntries(sorted)
fs.writeFileSync(durationsFile, `${JSON.stringify(durations, null, 2)}\n`)
process.stdout.write(
  `${sorted.length} files in test/durations.json, ${slowFiles(durations).length} of them too slow for test:fast\n`,
)
process.exit(0)
