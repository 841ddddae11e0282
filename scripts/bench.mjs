// Runs the benchmarks of bench/: all, or those named. See bench/README.md.
//   npm run bench -- [NAME ...] [--quick | --full] [--peers=anvil,hardhat,geth]
//   npm run bench -- profile SCENARIO [seconds or transactions]
import { spawnSync } from 'node:child_process'
import path from 'node:path'
import { parseArgs } from 'node:util'

const root = path.resolve(import.meta.dirname, '..')

/** Programs of their own: the parts of Assay without a peer. */
const ALONE = [
  'blocks',
  'frame',
  'state',
  'snapshot',
  'search',
  'logSearch',
  'curves',
  'evm',
  'hostile',
  'trace',
  'fixed',
  'dispatcher',
  'jobs',
  'committees',
  'bundles',
  'fanout',
  'eventLoop',
  'access',
  'durable',
  'network',
]
/** Groups of rows against other nodes, measured together for one table. */
const AGAINST = ['reads', 'calls', 'writes', 'logs', 'steps', 'startup']

function run(name, args) {
  process.stdout.write(`\n## ${name}\n\n`)
  const file = path.join(root, 'bench', `${name}.mjs`)
  const result = spawnSync(process.execPath, [file, ...args], { cwd: root, stdio: 'inherit' })
  if (result.status !== 0) process.exit(result.status ?? 1)
}

const args = process.argv.slice(2)
if (args[0] === 'profile') run('profile', args.slice(1))
else {
  const { positionals } = parseArgs({ args, allowPositionals: true, strict: false })
  const options = args.filter((arg) => !positionals.includes(arg))
  const known = [...ALONE, ...AGAINST, 'against']
  const unknown = positionals.find((name) => !known.includes(name))
  if (unknown !== undefined)
    throw new Error(`no benchmark "${unknown}"; there are: ${known.join(', ')}, profile`)
  const isChosen = (name) => positionals.length === 0 || positionals.includes(name)
  // Those without a peer have one size only.
  const isQuick = positionals.length === 0 && args.includes('--quick')
  if (!isQuick) for (const name of ALONE.filter(isChosen)) run(name, [])
  const groups = positionals.includes('against') ? AGAINST : AGAINST.filter(isChosen)
  if (groups.length > 0) run('against', [...groups, ...options])
}
