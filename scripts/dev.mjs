// Runs the system from this checkout and starts it again when its sources change: npm run dev [-- COMMAND or OPTIONS].
// A change that does not build is printed, and what runs goes on. What ended by itself waits for the next change too.
import { spawn } from 'node:child_process'
import fs from 'node:fs'
import path from 'node:path'

const root = path.resolve(import.meta.dirname, '..')
const stamps = path.join(root, '.setup')

/** Folders whose files are built into the program; what the build itself writes is not among them. */
const SOURCES = ['src', 'contracts', 'web']
const generated = path.join(root, 'src', 'generated')
const isSource = (file) => /\.(ts|tsx|css|html|svg|sol)$/.test(file) && !file.endsWith('.test.ts')

/** Several files are saved at once, by a change of branch for example. */
const SETTLE_MS = 200

const say = (text) => process.stderr.write(`\n[dev] ${text}\n`)

/** The command line of the program: `up` unless a command is named, in a home that belongs to this checkout. */
function argumentsOf(given) {
  const words = given[0] === undefined || given[0].startsWith('-') ? ['up', ...given] : given
  const hasHome = words.some((word) => word === '--home' || word.startsWith('--home='))
  return hasHome ? words : [...words, '--home', path.join(root, '.dev')]
}

/** What the steps of the build last saw: it is another text when something was built. */
function stateOfBuild() {
  const files = fs.readdirSync(stamps).filter((name) => name.endsWith('.sha256'))
  return files.map((name) => fs.readFileSync(path.join(stamps, name), 'utf8')).join()
}

/** Resolves with whether everything compiles. */
function build() {
  const script = path.join(root, 'scripts', 'build.mjs')
  const child = spawn(process.execPath, [script], {
    cwd: root,
    stdio: ['ignore', 'inherit', 'inherit'],
  })
  return new Promise((resolve) => child.on('close', (code) => resolve(code === 0)))
}

const args = argumentsOf(process.argv.slice(2))
let running
let isStopping = false

function start() {
  const child = spawn(process.execPath, [path.join(root, 'dist', 'main.js'), ...args], {
    cwd: root,
    // The channel tells the program when this one is gone. Ctrl-C reaches this one alone, which ends the program.
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
    detached: true,
  })
  const gone = new Promise((resolve) => child.on('close', resolve))
  running = { child, gone }
  void gone.then((code) => {
    if (running?.child !== child) return
    running = undefined
    if (!isStopping) say(`It ended with code ${code}. The next change starts it again.`)
  })
}

async function stop() {
  if (running === undefined) return
  const { child, gone } = running
  running = undefined
  child.kill('SIGTERM')
  await gone
}

let isBusy = false
let isChanged = false
let timer

/** Builds, and starts the program again if it is another one. */
async function renew() {
  const before = stateOfBuild()
  if (!(await build())) {
    if (!isStopping) say('It does not build; the next change is tried again.')
    return
  }
  if (isStopping || (running !== undefined && stateOfBuild() === before)) return
  say('Starting again ...')
  await stop()
  if (!isStopping) start()
}

/** Until nothing has changed meanwhile. */
async function renewAll() {
  isChanged = true
  if (isBusy) return
  isBusy = true
  while (isChanged) {
    isChanged = false
    await renew()
  }
  isBusy = false
}

async function end() {
  if (isStopping) return
  isStopping = true
  await stop()
  process.exit(0)
}
for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => void end())

function changed() {
  clearTimeout(timer)
  timer = setTimeout(() => void renewAll(), SETTLE_MS)
}

const watched = new Set()

/** Watches a folder and those below. Node 20 can do that by itself, but loses a file that an editor replaces by another one. */
function watch(folder) {
  if (watched.has(folder) || folder === generated) return
  watched.add(folder)
  const watcher = fs.watch(folder, (event, name) => {
    if (name === null) return
    const file = path.join(folder, name)
    const isFolder = () => fs.statSync(file, { throwIfNoEntry: false })?.isDirectory() === true
    if (event === 'rename' && isFolder()) {
      watch(file)
      changed()
    } else if (isSource(file)) changed()
  })
  // The folder is gone.
  watcher.on('error', () => watcher.close())
  watcher.on('close', () => watched.delete(folder))
  for (const entry of fs.readdirSync(folder, { withFileTypes: true }))
    if (entry.isDirectory()) watch(path.join(folder, entry.name))
}
for (const folder of SOURCES) watch(path.join(root, folder))

start()
say(`Watching ${SOURCES.join(', ')}. Ctrl-C ends it.`)
