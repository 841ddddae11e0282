// Formats the AssemblyScript sources, or says with --check which are not formatted. Their decorators stand on functions, which no
// formatter of TypeScript takes: each waits in a comment meanwhile.
import { spawnSync } from 'node:child_process'
import fs from 'node:fs'
import path from 'node:path'

const root = path.resolve(import.meta.dirname, '..')
const oxfmt = path.join(root, 'node_modules', 'oxfmt', 'bin', 'oxfmt')
const check = process.argv.includes('--check')

const DECORATOR = /^([ \t]*)@(inline|unmanaged|lazy|final|global|external\([^)\n]*\))(?=[ \n])/gm
const WAITING = /\/\*@([^*]+)@\*\//g

function format(file, text) {
  const result = spawnSync(process.execPath, [oxfmt, `--stdin-filepath=${file}`], {
    cwd: root,
    encoding: 'utf8',
    input: text.replace(DECORATOR, '$1/*@$2@*/'),
  })
  if (result.status !== 0) throw new Error(`${file} cannot be formatted:\n${result.stderr}`)
  return result.stdout.replace(WAITING, '@$1')
}

const sources = fs
  .readdirSync(path.join(root, 'src'), { recursive: true })
  .filter((file) => file.endsWith('.as.ts'))
  .map((file) => path.join('src', file))
  .sort()

let stale = false
for (const file of sources) {
  const current = fs.readFileSync(path.join(root, file), 'utf8')
  // The formatter knows this ending as one that it leaves alone.
  const text = format(file.replace(/\.as\.ts$/, '.ts'), current)
  if (text === current) continue
  stale = true
  if (check) process.stderr.write(`${file} is not formatted: run npm run format\n`)
  else fs.writeFileSync(path.join(root, file), text)
}
process.exit(check && stale ? 1 : 0)
