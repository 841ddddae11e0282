// Runs the benchmarks of bench/ one after the other: all, or those named.
import { spawnSync } from 'node:child_process'
import path from 'node:path'

const root = path.resolve(import.meta.dirname, '..')
const all = ['frame', 'state']
const chosen = process.argv.length > 2 ? process.argv.slice(2) : all
for (const name of chosen) {
  process.stdout.write(`\n## ${name}\n\n`)
  const result = spawnSync(process.execPath, [path.join(root, 'bench', `${name}.mjs`)], {
    cwd: root,
    stdio: 'inherit',
  })
  if (result.status !== 0) process.exit(result.status ?? 1)
}
