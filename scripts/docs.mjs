// Writes docs/methods.md, docs/events.md, docs/errors.md, docs/config.md and docs/metrics.md from the tables in the code; with --check only
// says whether they are fresh. Runs on the compiled program.
import fs from 'node:fs'
import path from 'node:path'

const root = path.resolve(import.meta.dirname, '..')
const { renderDocs } = await import('../dist/cli/docs/render.js')
const check = process.argv.includes('--check')
let stale = false
for (const [name, text] of Object.entries(renderDocs())) {
  const file = path.join(root, 'docs', name)
  const current = fs.existsSync(file) ? fs.readFileSync(file, 'utf8') : ''
  if (current === text) continue
  stale = true
  if (check) process.stderr.write(`docs/${name} is stale: run npm run docs\n`)
  else {
    fs.writeFileSync(file, text)
    process.stderr.write(`docs/${name} written\n`)
  }
}
process.exit(check && stale ? 1 : 0)
