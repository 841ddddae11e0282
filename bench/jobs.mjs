// Jobs at once: 1, 16 and 100 tiny jobs of a tag, from their submission to the result, on a whole system of its own. Prints a
// Markdown table, with the processor time of each program per job, which tells more than times on a machine with other work.
// Build first (node scripts/build.mjs), then: node bench/jobs.mjs [rounds]
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { cpuByProgram } from './support/processes.mjs'
import { runJob, startSystem, stopSystem } from './support/system.mjs'

const ROUNDS = Number(process.argv[2] ?? 3)
/** Between two looks for one result: a hundred clients that poll faster measure themselves. */
const POLL_MS = 20
const COUNTS = [1, 16, 100]

const percentile = (values, part) =>
  values.toSorted((a, b) => a - b)[Math.min(values.length - 1, Math.floor(values.length * part))]

/** Milliseconds of the processor per job, of this program and of those that took more than one. */
function costs(before, after, own, jobs) {
  const client = [['client', process.cpuUsage(own)]].map(([name, { user, system }]) => [
    name,
    (user + system) / 1e3 / jobs,
  ])
  const programs = [...after].map(([name, seconds]) => [
    name,
    ((seconds - (before.get(name) ?? 0)) * 1e3) / jobs,
  ])
  return [...programs, ...client]
    .filter(([, ms]) => ms >= 1)
    .toSorted(([, a], [, b]) => b - a)
    .map(([name, ms]) => `${name} ${ms.toFixed(0)}`)
    .join(', ')
}

const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'assay-bench-jobs-'))
const system = await startSystem(path.join(folder, 'home'), ['--model', 'none'])
try {
  const rows = []
  for (const tag of ['opml', 'tee']) {
    await runJob(system.up, tag, 'first')
    for (const count of COUNTS) {
      const times = []
      const rates = []
      const before = cpuByProgram(system.child.pid)
      const own = process.cpuUsage()
      for (let round = 0; round < ROUNDS; round++) {
        const began = performance.now()
        const one = async (_, i) => {
          await runJob(system.up, tag, `${count} ${round} ${i}`, POLL_MS)
          times.push(performance.now() - began)
        }
        await Promise.all(Array.from({ length: count }, one))
        rates.push((count / (performance.now() - began)) * 1e3)
      }
      const cells = [0.5, 0.99].map((part) => `${percentile(times, part).toFixed(0)} ms`)
      cells.push(percentile(rates, 0.5).toFixed(1))
      cells.push(costs(before, cpuByProgram(system.child.pid), own, count * ROUNDS))
      rows.push(`| ${tag} | ${count} | ${cells.join(' | ')} |`)
    }
  }
  const head = [
    '| tag | jobs at once | p50 | p99 | jobs per second | processor ms per job |',
    '|---|---|---|---|---|---|',
  ]
  process.stdout.write([...head, ...rows, ''].join('\n'))
} finally {
  await stopSystem(system)
  if (process.env.KEEP === undefined) fs.rmSync(folder, { recursive: true, force: true })
  else process.stdout.write(`${folder}\n`)
}
