// What it costs to verify a receipt bundle: bundles of real jobs, opml and tee (with the attester for machines without a TEE),
// as soon as there is a result and when its anchor has a proof up to a signed header. Each is verified in processes of its own,
// first and many times. Processor time; prints a Markdown table.
// Build first (node scripts/build.mjs), then: node bench/bundles.mjs [processes]
import { execFile } from 'node:child_process'
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import { runJob, startSystem, stopSystem } from './support/system.mjs'
import { median } from './support/measure.mjs'

const [processes = 5] = process.argv.slice(2).map(Number)
const PROMPT = 'What is AI?'
const TARGET_MS = 100
const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'assay-bench-'))
const run = promisify(execFile)

async function bundleOf(up, id) {
  const response = await fetch(`${up.dispatcher}/api/job/receipt/${id}`)
  return (await response.json()).result
}

async function anchoredBundleOf(up, id) {
  for (;;) {
    const bundle = await bundleOf(up, id)
    if (bundle.answers.every(({ anchor }) => anchor?.proof !== undefined)) return bundle
    await sleep(200)
  }
}

/** Bundles by name, written to files. */
async function makeBundles(up) {
  const files = {}
  for (const tag of ['opml', 'tee']) {
    const id = await runJob(up, tag, PROMPT)
    const made = {
      [tag]: await bundleOf(up, id),
      [`${tag}, anchored`]: await anchoredBundleOf(up, id),
    }
    for (const [name, bundle] of Object.entries(made)) {
      files[name] = path.join(folder, `${name}.json`)
      fs.writeFileSync(files[name], JSON.stringify(bundle))
    }
  }
  return files
}

const home = path.join(folder, 'home')
try {
  const system = await startSystem(home, ['--dispatcher.anchor-interval=2s'])
  let files
  try {
    files = await makeBundles(system.up)
  } finally {
    await stopSystem(system)
  }
  const { up } = system
  const rows = []
  for (const [name, file] of Object.entries(files)) {
    const measured = []
    for (let i = 0; i < processes; i++) {
      const { stdout } = await run(process.execPath, [
        path.join(import.meta.dirname, 'support', 'verifyBundle.mjs'),
        file,
        `assay_${up.chainId}-1`,
        up.dispatcherAddress,
        PROMPT,
      ])
      measured.push(JSON.parse(stdout))
    }
    const [{ bytes, lines }] = measured
    const each = (key) => `${median(measured.map((one) => one[key])).toFixed(1)} ms`
    rows.push(
      `| ${name} | ${(bytes / 1024).toFixed(0)} kB, ${lines} lines | ${each('first')} | ${each('again')} | ${each('load')} | ${each('whole')} |`,
    )
  }
  process.stdout.write(
    [
      `| bundle | size | first time (target <= ${TARGET_MS} ms) | again | loading the code | process until then |`,
      '|---|---|---|---|---|---|',
      ...rows,
      '',
    ].join('\n'),
  )
} finally {
  fs.rmSync(folder, { recursive: true, force: true })
}
