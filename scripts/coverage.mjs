// Runs unit tests with coverage and prints how much of each room they reach: npm run coverage [-- FILTER ...]
// The whole report is coverage/index.html. What runs in a process or thread of its own is not counted.
import { spawnSync } from 'node:child_process'
import fs from 'node:fs'
import path from 'node:path'

const root = path.resolve(import.meta.dirname, '..')
const folder = path.join(root, 'coverage')
const KINDS = ['lines', 'branches', 'functions']

/** Sums of what there is and what was reached, by room. */
function sumByRoom(files) {
  const rooms = new Map()
  for (const [file, counts] of Object.entries(files)) {
    if (file === 'total') continue
    const [, room = ''] = path.relative(root, file).split(path.sep)
    const sums = rooms.get(room) ?? KINDS.map(() => ({ total: 0, covered: 0 }))
    for (const [at, kind] of KINDS.entries()) {
      sums[at].total += counts[kind].total
      sums[at].covered += counts[kind].covered
    }
    rooms.set(room, sums)
  }
  return rooms
}

const percent = ({ total, covered }) =>
  total === 0 ? '-' : `${((100 * covered) / total).toFixed(1)} %`

const row = (name, cells) =>
  `${name.padEnd(14)}${cells.map((cell) => cell.padStart(11)).join('')}\n`

const vitest = path.join(root, 'node_modules', 'vitest', 'vitest.mjs')
const { status } = spawnSync(
  process.execPath,
  [
    vitest,
    'run',
    '--project=unit',
    '--coverage.enabled',
    '--coverage.provider=v8',
    '--coverage.include=src/**/*.ts',
    ...['test', 'as'].map((ending) => `--coverage.exclude=src/**/*.${ending}.ts`),
    '--coverage.exclude=src/generated/**',
    '--coverage.reporter=html',
    '--coverage.reporter=json-summary',
    '--coverage.reportOnFailure',
    `--coverage.reportsDirectory=${folder}`,
    ...process.argv.slice(2),
  ],
  { cwd: root, stdio: 'inherit' },
)

const summary = path.join(folder, 'coverage-summary.json')
if (!fs.existsSync(summary)) process.exit(status ?? 1)
const files = JSON.parse(fs.readFileSync(summary, 'utf8'))
process.stdout.write(`\n${row('room', KINDS)}`)
for (const [room, sums] of [...sumByRoom(files)].toSorted(([a], [b]) => (a < b ? -1 : 1)))
  process.stdout.write(row(room, sums.map(percent)))
process.stdout.write(
  row(
    'all',
    KINDS.map((kind) => percent(files.total[kind])),
  ),
)
process.stdout.write('\nFile by file: coverage/index.html\n')
process.exit(status ?? 1)
