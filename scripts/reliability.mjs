/**
 * Runs the campaigns of test/torture that damage a system, and publishes what they measured in docs/reliability.md:
 *
 *   npm run reliability [-- --seed 1]      all runs, for hours; writes the page
 *   npm run reliability -- --short         few runs; prints the table, as a check
 *   npm run reliability -- --scale 0.1     a tenth of all runs; writes the page, which says so
 *
 * With --figures FOLDER, what was measured is kept there, and campaigns that are in it are not repeated: all runs take hours, and
 * may be cut short.
 */
import { spawnSync } from 'node:child_process'
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { parseArgs } from 'node:util'
import { renderReport } from './reliabilityReport.mjs'

const root = path.resolve(import.meta.dirname, '..')

/** Files of test/torture, with the runs of each. */
const CAMPAIGNS = [
  { file: 'crash', runs: 500, short: 10 },
  { file: 'oneSigner', runs: 1000, short: 20 },
  { file: 'acknowledged', runs: 1200, short: 24 },
  { file: 'damage', runs: 1000, short: 15 },
  { file: 'faults', runs: 1, short: 1 },
  { file: 'memory', runs: 800, short: 48 },
  { file: 'readOnlyDatabase', runs: 500, short: 30 },
  { file: 'descriptors', runs: 600, short: 600 },
  { file: 'partition', runs: 20, short: 1 },
  { file: 'oldHome', runs: 100, short: 1 },
]

const { values } = parseArgs({
  options: {
    short: { type: 'boolean', default: false },
    seed: { type: 'string', default: '1' },
    scale: { type: 'string', default: '1' },
    figures: { type: 'string' },
  },
})
const scale = Number(values.scale)
const folder = values.figures ?? fs.mkdtempSync(path.join(os.tmpdir(), 'assay-reliability-'))
fs.mkdirSync(folder, { recursive: true })
const failed = []
for (const { file, runs, short } of CAMPAIGNS) {
  const done = path.join(folder, `${file}.done`)
  if (fs.existsSync(done)) continue
  const count = values.short ? short : Math.max(short, Math.round(runs * scale))
  const { status } = spawnSync(
    process.execPath,
    [
      path.join(root, 'node_modules/vitest/vitest.mjs'),
      'run',
      '--project',
      'long',
      `test/torture/${file}.test.ts`,
    ],
    {
      cwd: root,
      stdio: 'inherit',
      env: {
        ...process.env,
        ASSAY_RELIABILITY: folder,
        ASSAY_TORTURE_RUNS: String(count),
        ASSAY_TORTURE_SEED: values.seed,
      },
    },
  )
  if (status === 0) fs.writeFileSync(done, '')
  else failed.push(file)
}

const figures = fs
  .readdirSync(folder)
  .filter((name) => name.endsWith('.json'))
  .sort()
  .map((name) => JSON.parse(fs.readFileSync(path.join(folder, name), 'utf8')))
if (values.figures === undefined) fs.rmSync(folder, { recursive: true, force: true })
const report = renderReport(figures, {
  seed: values.seed,
  scale,
  failed,
  cores: os.cpus().length,
})
if (values.short) process.stdout.write(report)
else fs.writeFileSync(path.join(root, 'docs/reliability.md'), report)
const isClean = figures.every(
  ({ lost = 0, forged = 0, doubleSigned = 0 }) => lost + forged + doubleSigned === 0,
)
process.exitCode = failed.length === 0 && isClean ? 0 : 1
