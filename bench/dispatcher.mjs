// What the dispatcher costs: processor time per submitted job (one at a time, and in batches), the latency of a submission at a
// steady rate, and the time from a submission to an idle operator. A dispatcher of its own on an embedded PostgreSQL. Prints a
// Markdown table. Processor time is that of the dispatcher's process, from its own metrics; that of PostgreSQL is not in it.
import { spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import fs from 'node:fs'
import http from 'node:http'
import os from 'node:os'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { pino } from 'pino'
import { WebSocket } from 'ws'
import { fromHex } from '../dist/base/hex.js'
import { addressOfPrivateKey } from '../dist/base/secp256k1.js'
import { startEmbeddedPostgres } from '../dist/store/sql/embedded.js'
import { beginLogin } from '../dist/verify/operator/login.js'

const root = path.resolve(import.meta.dirname, '..')
const SUBMITS = Number(process.env.SUBMITS ?? 5000)
const CLIENTS = 64
const BATCH = 100
const STEADY = { perSecond: 100, seconds: 5 }
const DISPATCHES = 200
const PROJECT = { ASSAY_PROJECT: 'bench', ASSAY_PROJECT_TOKEN: randomBytes(32).toString('hex') }

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
    '--dispatcher.project-jobs-per-minute=0',
    '--dispatcher.token-jobs-per-minute=0',
  ],
  {
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    env: { ...process.env, ...PROJECT, ASSAY_DISPATCHER_PG_DB_URL: postgres.url('bench') },
  },
)
const [ready] = await once(dispatcher, 'message')
if (ready.type !== 'ready') throw new Error(ready.message)
const { httpAddress, operatorAddress, dispatcherAddress } = ready.details

const agent = new http.Agent({ keepAlive: true, maxSockets: CLIENTS })
const [host, port] = httpAddress.split(':')

function request(method, url, body) {
  return new Promise((resolve, reject) => {
    const headers = body === undefined ? {} : { 'content-type': 'application/json' }
    const sent = http.request({ agent, host, port, method, path: url, headers }, (response) => {
      const chunks = []
      response.on('data', (chunk) => chunks.push(chunk))
      response.on('end', () => {
        const text = Buffer.concat(chunks).toString()
        if (response.statusCode === 200) resolve(text)
        else reject(new Error(`${url} answers ${response.statusCode}: ${text}`))
      })
    })
    sent.on('error', reject)
    sent.end(body === undefined ? undefined : JSON.stringify(body))
  })
}

const sender = { from: PROJECT.ASSAY_PROJECT, verify: PROJECT.ASSAY_PROJECT_TOKEN }
const job = (model) => ({ tag: 'opml', prompt: 'p'.repeat(500), model })
const submit = (model) => request('POST', '/api/job/submit', { ...sender, job: job(model) })
const processorSeconds = async () =>
  Number(/^process_cpu_seconds_total (\S+)$/m.exec(await request('GET', '/metrics'))[1])
const percentile = (values, part) =>
  values.toSorted((a, b) => a - b)[Math.min(values.length - 1, Math.floor(values.length * part))]

async function measured(jobs, work) {
  const before = await processorSeconds()
  const began = performance.now()
  await work()
  const seconds = (performance.now() - began) / 1000
  const processor = (await processorSeconds()) - before
  return `${Math.round(jobs / processor)} jobs per processor second, ${Math.round(jobs / seconds)}/s by the clock`
}

const rows = []
await submit('warm.gguf')

rows.push([
  `submit, ${CLIENTS} clients`,
  await measured(SUBMITS, async () => {
    let left = SUBMITS
    const client = async () => {
      while (left-- > 0) await submit('nobody.gguf')
    }
    await Promise.all(Array.from({ length: CLIENTS }, client))
  }),
])

rows.push([
  `batches of ${BATCH}`,
  await measured(SUBMITS, async () => {
    const jobs = Array.from({ length: BATCH }, () => ({ job: job('nobody.gguf') }))
    for (let i = 0; i < SUBMITS / BATCH; i++)
      await request('POST', '/api/job/batch', { ...sender, jobs })
  }),
])

const latencies = []
const pending = []
for (let i = 0; i < STEADY.perSecond * STEADY.seconds; i++) {
  const began = performance.now()
  pending.push(submit('nobody.gguf').then(() => latencies.push(performance.now() - began)))
  await sleep(1000 / STEADY.perSecond)
}
await Promise.all(pending)
rows.push([
  `submit at ${STEADY.perSecond}/s`,
  `p50 ${percentile(latencies, 0.5).toFixed(1)} ms, p99 ${percentile(latencies, 0.99).toFixed(1)} ms`,
])

const privateKey = randomBytes(32)
const identity = {
  address: addressOfPrivateKey(privateKey),
  privateKey,
  dispatcher: fromHex(dispatcherAddress),
}
const socket = new WebSocket(`ws://${operatorAddress}/ws`)
let handed = () => undefined
const welcome = new Promise((resolve) => {
  socket.on('message', (data) => {
    const message = JSON.parse(String(Buffer.from(data)))
    if (message.type === 'challenge') {
      const offer = { workers: ['opml'], models: ['idle.gguf'], slots: 1 }
      socket.send(JSON.stringify(beginLogin(message, identity, offer).hello))
    } else if (message.type === 'welcome') resolve()
    else if (message.type === 'dispatch') {
      const { jobId, lease } = message
      handed(performance.now())
      socket.send(JSON.stringify({ type: 'refused', jobId, lease, reason: 'bench', retry: false }))
    } else handed(undefined)
  })
})
await welcome
const dispatches = []
for (let i = 0; i < DISPATCHES; i++) {
  const began = performance.now()
  let recorded
  const over = new Promise((resolve) => (recorded = resolve))
  const arrived = new Promise((resolve) => {
    handed = (at) => (at === undefined ? recorded() : resolve(at))
  })
  await submit('idle.gguf')
  dispatches.push((await arrived) - began)
  await over
}
rows.push([
  'from the submission to an idle operator',
  `p50 ${percentile(dispatches, 0.5).toFixed(1)} ms, p99 ${percentile(dispatches, 0.99).toFixed(1)} ms`,
])

process.stdout.write(['| what | result |', '| --- | --- |'].join('\n'))
for (const row of rows) process.stdout.write(`\n| ${row.join(' | ')} |`)
process.stdout.write('\n')

socket.terminate()
agent.destroy()
const gone = once(dispatcher, 'exit')
dispatcher.kill('SIGTERM')
await gone
await postgres.stop()
fs.rmSync(folder, { recursive: true, force: true })
