// Prepares a checkout, needing nothing but Node and npm: installs the packages of package-lock.json, completes those whose
// install scripts we do not run, installs the inference runtime, and compiles. Every step is skipped when it is done.
//
//   node scripts/setup.mjs            what `npm start` needs
//   node scripts/setup.mjs --no-llama without the inference runtime
import { createHash } from 'node:crypto'
import { spawn } from 'node:child_process'
import fs from 'node:fs'
import path from 'node:path'

const root = path.resolve(import.meta.dirname, '..')
const stamps = path.join(root, '.setup')
const MINIMUM = [20, 19]

// Packages that ask for a newer Node in their manifest and work on Node 20 (tested here); anything else fails CI.
const ENGINE_WARNINGS_KNOWN = new Set(['cookie'])

function fail(message, advice) {
  process.stderr.write(`\nSetup failed: ${message}\n${advice}\n`)
  process.exit(1)
}

function checkNode() {
  const [major, minor] = process.versions.node.split('.').map(Number)
  if (major > MINIMUM[0] || (major === MINIMUM[0] && minor >= MINIMUM[1])) return
  fail(
    `Node ${process.versions.node} is too old.`,
    `Install Node ${MINIMUM.join('.')} or newer (22 and 24 work too): https://nodejs.org`,
  )
}

/** Runs a command quietly, with a line that shows how long it takes on a terminal. */
export function run(label, command, args, options = {}) {
  return new Promise((resolve) => {
    const started = Date.now()
    const seconds = () => ((Date.now() - started) / 1000).toFixed(0)
    const terminal = process.stderr.isTTY
    const timer =
      terminal && setInterval(() => process.stderr.write(`\r${label} ... ${seconds()} s `), 1000)
    process.stderr.write(`${label} ... `)
    const child = spawn(command, args, { cwd: root, stdio: ['ignore', 'pipe', 'pipe'], ...options })
    let output = ''
    child.stdout.on('data', (chunk) => (output += chunk))
    child.stderr.on('data', (chunk) => (output += chunk))
    child.on('error', (error) => (output += error.message))
    child.on('close', (code) => {
      if (timer) clearInterval(timer)
      process.stderr.write(
        `${terminal ? `\r${label} ... ` : ''}${code === 0 ? `${seconds()} s` : 'failed'}\n`,
      )
      resolve({ code, output })
    })
  })
}

function npmCommand(args) {
  const cli = process.env.npm_execpath
  return cli !== undefined && /\.c?js$/.test(cli)
    ? [process.execPath, [cli, ...args]]
    : ['npm', args]
}

/** Names of locked packages whose installed version differs. Optional ones of other platforms may be absent. */
function differences(lock) {
  const out = []
  for (const [folder, entry] of Object.entries(lock.packages)) {
    if (folder === '') continue
    const manifest = path.join(root, folder, 'package.json')
    const present = fs.existsSync(manifest)
    if (!present && (entry.optional === true || entry.devOptional === true)) continue
    const version = present ? JSON.parse(fs.readFileSync(manifest, 'utf8')).version : 'absent'
    if (version !== entry.version)
      out.push(`${folder.replace('node_modules/', '')} ${version}, expected ${entry.version}`)
  }
  return out
}

async function installPackages() {
  const lockText = fs.readFileSync(path.join(root, 'package-lock.json'))
  const print = createHash('sha256').update(lockText).update(process.version).digest('hex')
  const stamp = path.join(stamps, 'install.sha256')
  const done = fs.existsSync(stamp) && fs.readFileSync(stamp, 'utf8') === print
  if (done && fs.existsSync(path.join(root, 'node_modules'))) return
  const [command, args] = npmCommand([
    'install',
    '--no-save',
    '--no-audit',
    '--no-fund',
    '--ignore-scripts',
  ])
  const { code, output } = await run('Installing packages', command, args)
  if (code !== 0)
    fail(
      `npm install failed.\n${output.split('\n').slice(-25).join('\n')}`,
      'Check the network and the npm registry setting, then run the same command again.',
    )
  const wrong = differences(JSON.parse(lockText.toString('utf8')))
  if (wrong.length > 0)
    fail(
      `installed packages differ from package-lock.json:\n  ${wrong.join('\n  ')}`,
      'Delete node_modules and run the same command again.',
    )
  const complaints = [...output.matchAll(/EBADENGINE\s+package: '((?:@[^/]+\/)?[^@']+)@/g)].map(
    (match) => match[1],
  )
  const unknown = complaints.filter((name) => !ENGINE_WARNINGS_KNOWN.has(name))
  if (unknown.length > 0) {
    const message = `packages that do not support Node ${process.versions.node}: ${unknown.join(', ')}`
    if (process.env.CI)
      fail(
        message,
        'Pin versions that do, or add them to the known list in scripts/setup.mjs with a test.',
      )
    process.stderr.write(`Warning: ${message}\n`)
  }
  fs.mkdirSync(stamps, { recursive: true })
  fs.writeFileSync(stamp, print)
}

async function runScript(name, ...args) {
  const child = spawn(process.execPath, [path.join(root, 'scripts', name), ...args], {
    cwd: root,
    stdio: ['ignore', 'inherit', 'inherit'],
  })
  return new Promise((resolve) => child.on('close', resolve))
}

/** Installs the inference runtime into the home, unless it is there or in the checkout. It says itself what goes wrong. */
function installRuntime() {
  const main = path.join(root, 'dist', 'main.js')
  const child = spawn(process.execPath, [main, 'runtime', 'install'], {
    stdio: ['ignore', 'ignore', 'inherit'],
  })
  return new Promise((resolve) => child.on('close', resolve))
}

checkNode()
await installPackages()
if ((await runScript('build.mjs')) !== 0) process.exit(1)
// Without the runtime the chain and everything else still work; jobs then say what is missing (D39a).
if (!process.argv.includes('--no-llama')) await installRuntime()
