// Jobs at once: 1, 16 and 100 tiny jobs of a tag, from their submission to the result, on a whole system of its own. Prints a
// Markdown table. Build first (node scripts/build.mjs), then: node bench/jobs.mjs [rounds]
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { runJob, startSystem, stopSystem } from './support/system.mjs'

const ROUNDS = Number(process.argv[2] ?? 3)
/** Between two looks for one result: a hundred clients that poll faster measure themselves. */
const POLL_MS = 20
const COUNTS = [1, 16, 100]

const percentile = (values, part) =>
  values.toSorted((a, b) => a - b)[Math.min(values.length - 1, Math.floor(values.length * part))]

const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'assay-bench-jobs-'))
const system = await startSystem(path.join(folder, 'home'), ['--model', 'none'])
try {
  const rows = []
  for (const tag of ['opml', 'tee']) {
    await runJob(system.up, tag, 'first')
    for (const count of COUNTS) {
      const times = []
      const rates = []
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
      rows.push(
        `| ${tag} | ${count} | ${cells.join(' | ')} | ${percentile(rates, 0.5).toFixed(1)} |`,
      )
    }
  }
  const head = ['| tag | jobs at once | p50 | p99 | jobs per second |', '|---|---|---|---|---|']
  process.stdout.write([...head, ...rows, ''].join('\n'))
} finally {
  await stopSystem(system)
  if (process.env.KEEP === undefined) fs.rmSync(folder, { recursive: true, force: true })
  else process.stdout.write(`${folder}\n`)
}
