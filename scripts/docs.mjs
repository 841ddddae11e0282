// Writes the references under docs/, src/client/methods.ts and src/sdk/jobRoutes.ts from the tables in the code, and what follows from the table of
// rooms; with --check only says whether they are fresh. Runs on the compiled program.
import { spawnSync } from 'node:child_process'
import fs from 'node:fs'
import path from 'node:path'
import { runnerImport } from 'vite'

const root = path.resolve(import.meta.dirname, '..')
const { renderDocs } = await import('../dist/cli/docs/render.js')
const { clientMethods } = await import('../dist/cli/docs/client.js')
const { jobRoutesFile } = await import('../dist/cli/docs/jobClient.js')
const check = process.argv.includes('--check')
let stale = false
/** As `npm run format` leaves a file. */
function formatted(file, text) {
  const oxfmt = path.join(root, 'node_modules', 'oxfmt', 'bin', 'oxfmt')
  const result = spawnSync(process.execPath, [oxfmt, `--stdin-filepath=${file}`], {
    cwd: root,
    encoding: 'utf8',
    input: text,
  })
  if (result.status !== 0) throw new Error(result.stderr)
  return result.stdout
}

const files = Object.entries(renderDocs()).map(([name, text]) => [`docs/${name}`, text])
const methods = 'src/client/methods.ts'
files.push([methods, formatted(methods, clientMethods())])
const jobRoutes = 'src/sdk/jobRoutes.ts'
files.push([jobRoutes, formatted(jobRoutes, jobRoutesFile())])

// What follows from the table of rooms, which needs no build.
const { module: checkouts } = await runnerImport('./tidy/checkout.ts')
const { module: made } = await runnerImport('./tidy/render/files.ts')
files.push(...made.madeFiles(checkouts.thisCheckout(root)))

for (const [name, text] of files) {
  const file = path.join(root, name)
  const current = fs.existsSync(file) ? fs.readFileSync(file, 'utf8') : ''
  if (current === text) continue
  stale = true
  if (check) process.stderr.write(`${name} is stale: run npm run docs\n`)
  else {
    fs.writeFileSync(file, text)
    process.stderr.write(`${name} written\n`)
  }
}
process.exit(check && stale ? 1 : 0)
