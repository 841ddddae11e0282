// What the dispatcher costs and how fast it is, on an embedded PostgreSQL and without a chain (bench/frame.mjs has one): jobs
// submitted one at a time and in batches, the latency at a steady rate, the time to an idle operator, to another one when the
// first is gone, and a thousand operators at once. Prints a Markdown table.
import { spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { pino } from 'pino'
import { startEmbeddedPostgres } from '../dist/store/sql/embedded.js'
import {
  connectOperator,
  deferred,
  handOutTimes,
  jobClient,
  refuse,
  spread,
} from './support/jobs.mjs'
import { cpuSeconds, residentBytes } from './support/processes.mjs'

const root = path.resolve(import.meta.dirname, '..')
const SUBMITS = Number(process.env.SUBMITS ?? 20_000)
const CLIENTS = 64
const BATCH = 100
const STEADY = { perSecond: 500, seconds: 10 }
const DISPATCHES = 200
const LEASE_MS = 2000
const RECOVERIES = 5
const OPERATORS = 1000
const PROJECT = { project: 'bench', token: randomBytes(32).toString('hex') }

const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'assay-bench-'))
const postgres = await startEmbeddedPostgres({
  folder: path.join(folder, 'postgres'),
  log: pino({ level: 'silent' }),
})
const dispatcher = spawn(
  process.execPath,
  [
    path.join(root, 'dist', 'main.js'),
    'dispatcher',
    `--home=${path.join(folder, 'home')}`,
    '--dispatcher.address=127.0.0.1:0',
    '--dispatcher.operator-address=127.0.0.1:0',
    `--dispatcher.lease=${LEASE_MS}ms`,
  ],
  {
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    env: {
      ...process.env,
      ASSAY_LOG_LEVEL: 'warn',
      ASSAY_PROJECT: PROJECT.project,
      ASSAY_PROJECT_TOKEN: PROJECT.token,
      ASSAY_DISPATCHER_PROJECT_JOBS_PER_MINUTE: '0',
      ASSAY_DISPATCHER_TOKEN_JOBS_PER_MINUTE: '0',
      ASSAY_DISPATCHER_PG_DB_URL: postgres.url('bench'),
    },
  },
)
const [ready] = await once(dispatcher, 'message')
if (ready.type !== 'ready') throw new Error(ready.message)
const addresses = ready.details
const client = jobClient(addresses.httpAddress, PROJECT, CLIENTS)
const server = postmaster()

/** The process of the database server, by the port on its command line. */
function postmaster() {
  const port = `port=${new URL(postgres.url('bench')).port}`
  return fs
    .readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .find((pid) => {
      try {
        return fs.readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0').includes(port)
      } catch {
        return false
      }
    })
}

/** Processor time per job of dispatcher and database, and jobs per second by the clock. */
async function measured(jobs, work) {
  const before = [dispatcher.pid, server].map(cpuSeconds)
  const began = performance.now()
  await work()
  const seconds = (performance.now() - began) / 1000
  const [own, database] = [dispatcher.pid, server].map(
    (pid, at) => `${(((cpuSeconds(pid) - before[at]) * 1000) / jobs).toFixed(2)} ms`,
  )
  return `${own} of the dispatcher and ${database} of PostgreSQL per job, ${Math.round(jobs / seconds)}/s by the clock`
}

/** Submits from as many clients as there are connections. */
async function submitFromAll(count) {
  let left = count
  const each = async () => {
    while (left-- > 0) await client.submit('nobody.gguf')
  }
  await Promise.all(Array.from({ length: CLIENTS }, each))
}

async function steadily() {
  const times = []
  const pending = []
  const start = performance.now()
  for (let i = 0; i < STEADY.perSecond * STEADY.seconds; i++) {
    const due = start + (i * 1000) / STEADY.perSecond
    if (due > performance.now()) await sleep(due - performance.now())
    // From when it is due: one that waits for a busy client waits, too.
    pending.push(client.submit('nobody.gguf').then(() => times.push(performance.now() - due)))
  }
  await Promise.all(pending)
  return spread(times)
}

/** Milliseconds from the death of an operator that has a job to the next hand-out of that job. */
async function recovery() {
  const handed = deferred()
  const doomed = await connectOperator(addresses, 'doomed.gguf', () => handed.resolve())
  await client.submit('doomed.gguf')
  await handed.promise
  doomed.kill()
  const died = performance.now()
  return new Promise((resolve, reject) => {
    let heir
    connectOperator(addresses, 'doomed.gguf', (message, send) => {
      if (message.type === 'dispatch') send(refuse(message))
      else heir.close().then(() => resolve(performance.now() - died), reject)
    }).then((operator) => (heir = operator), reject)
  })
}

/** A thousand logins at once, and hand-outs among them. */
async function crowd() {
  const before = { cpu: cpuSeconds(dispatcher.pid), bytes: residentBytes(dispatcher.pid) }
  const began = performance.now()
  const operators = []
  for (let at = 0; at < OPERATORS; at += 50)
    operators.push(
      ...(await Promise.all(
        Array.from({ length: 50 }, (_, i) =>
          connectOperator(addresses, `crowd-${at + i}.gguf`, () => undefined),
        ),
      )),
    )
  const seconds = (performance.now() - began) / 1000
  const cpu = ((cpuSeconds(dispatcher.pid) - before.cpu) * 1000) / OPERATORS
  const kilobytes = (residentBytes(dispatcher.pid) - before.bytes) / 1024 / OPERATORS
  const times = await handOutTimes(client, addresses, 'idle.gguf', DISPATCHES / 4)
  const connected = /^assay_operators_connected (\d+)$/m.exec(
    await client.request('GET', '/metrics'),
  )
  await Promise.all(operators.map((operator) => operator.close()))
  return `${connected?.[1]} connected within ${seconds.toFixed(1)} s, ${cpu.toFixed(1)} ms and ${kilobytes.toFixed(0)} kB each; a job to another one among them: ${spread(times)}`
}

const rows = []
await submitFromAll(1000)
rows.push([`submit, ${CLIENTS} clients`, await measured(SUBMITS, () => submitFromAll(SUBMITS))])
rows.push([
  `batches of ${BATCH}`,
  await measured(SUBMITS, async () => {
    for (let i = 0; i < SUBMITS / BATCH; i++) await client.submitMany('nobody.gguf', BATCH)
  }),
])
rows.push([`submit at ${STEADY.perSecond}/s`, await steadily()])
rows.push([
  'from the submission to an idle operator',
  spread(await handOutTimes(client, addresses, 'idle.gguf', DISPATCHES)),
])
const recoveries = []
for (let i = 0; i < RECOVERIES; i++) recoveries.push(await recovery())
rows.push([
  `another operator has the job of one that was killed (lease ${LEASE_MS} ms)`,
  `at most ${Math.max(...recoveries).toFixed(0)} ms later`,
])
rows.push([`${OPERATORS} operators`, await crowd()])

process.stdout.write(['| what | result |', '| --- | --- |'].join('\n'))
for (const row of rows) process.stdout.write(`\n| ${row.join(' | ')} |`)
process.stdout.write('\n')

client.close()
const gone = once(dispatcher, 'exit')
dispatcher.kill('SIGTERM')
await gone
await postgres.stop()
fs.rmSync(folder, { recursive: true, force: true })
