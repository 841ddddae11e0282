// What it costs to decide whom jobs are for, and what they leave behind, by the number of operators that are connected: milliseconds
// for 200 jobs (a batch), and rows. Then what taking back leases and ending jobs costs, by the number of jobs in the tables. On an
// embedded PostgreSQL. Prints Markdown tables. Build first, then: node bench/committees.mjs [--quick]
import { randomBytes, randomUUID } from 'node:crypto'
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { sql } from 'kysely'
import { pino } from 'pino'
import { createProject } from '../dist/jobs/dispatcher/access/projects.js'
import { Committees } from '../dist/jobs/dispatcher/committees.js'
import { openDispatcherSql } from '../dist/jobs/dispatcher/dispatcher.js'
import { planJobs } from '../dist/jobs/dispatcher/plan.js'
import { expireJobs, reapAssignments } from '../dist/jobs/dispatcher/schedule.js'
import { startEmbeddedPostgres } from '../dist/store/sql/embedded.js'
import { openSql } from '../dist/store/sql/open.js'
import { median } from './support/measure.mjs'
import { tableLines } from './support/table.mjs'

const isQuick = process.argv.includes('--quick')
const OPERATORS = isQuick ? [10, 100, 1000] : [10, 100, 1000, 10_000]
const JOBS = isQuick ? [1e3, 1e4] : [1e4, 1e5, 1e6]
const BATCH = 200
const ROUNDS = 5
const SETTINGS = { committee: 16, maxAttempts: 5 }
const LIMITS = { leaseMs: 30_000, maxAttempts: 5 }

const log = pino({ level: 'silent' })
const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'assay-bench-'))
const postgres = await startEmbeddedPostgres({ folder: path.join(folder, 'postgres'), log })

async function openStore(name) {
  const store = await openDispatcherSql(postgres.url(name), log)
  await createProject(store, { name, id: 'bench' })
  return store
}

async function connect({ db }, count) {
  const operators = Array.from({ length: count }, () => `0x${randomBytes(20).toString('hex')}`)
  await sql`insert into operators (address, range_start, range_end, range_max)
    select *, 0, 600000, 600000 from unnest(${operators}::text[])`.execute(db)
  await sql`insert into sessions (operator, session, replica, protocol, workers, models, slots)
    select operator, operator, ${randomUUID()}, 3, '{opml}', '{m.gguf}', 4
    from unnest(${operators}::text[]) operator`.execute(db)
}

async function addJobs({ db }, count, columns = sql`false, 'created', null::timestamptz`) {
  // Triggers would refuse rows that begin as finished jobs.
  await db.transaction().execute(async (transaction) => {
    await sql`set local session_replication_role = replica`.execute(transaction)
    await sql`insert into jobs (id, project, user_id, tag, type, model, request, seed, clock, deadline_at,
      planned, state, finished_at)
    select encode(sha256(gen_random_uuid()::text::bytea), 'hex'), 'bench', '', '', 'opml', 'm.gguf',
      decode(repeat('00', 300), 'hex'), repeat('ab', 32), '{}', now() + interval '1 hour', ${columns}
    from generate_series(1, ${count}::integer)`.execute(transaction)
  })
}

async function timed(work) {
  const began = performance.now()
  await work()
  return performance.now() - began
}

const sizeOf = async ({ db }) => {
  const { rows } = await sql`select pg_table_size('assignments') as bytes`.execute(db)
  return Number(rows[0].bytes)
}

const planning = []
for (const count of OPERATORS) {
  const store = await openStore(`operators_${count}`)
  await connect(store, count)
  const committees = new Committees(store)
  await committees.refresh()
  const times = []
  const before = await sizeOf(store)
  for (let round = 0; round < ROUNDS; round++) {
    await addJobs(store, BATCH)
    times.push(await timed(() => planJobs(store, committees, SETTINGS)))
  }
  const bytes = (await sizeOf(store)) - before
  const first = new Committees(store)
  const read = await timed(() => first.refresh())
  planning.push([
    count.toLocaleString('en'),
    median(times).toFixed(0),
    (bytes / ROUNDS / BATCH / 1000).toFixed(1),
    read.toFixed(0),
  ])
  await store.close()
}
console.log(
  tableLines([
    ['operators', 'planning 200 jobs, ms', 'rows per job, kB', 'reading all operators, ms'],
    ...planning,
  ]).join('\n'),
)

const reaping = []
const store = await openStore('reaping')
// Filling the tables takes longer than any statement of a dispatcher may.
const patient = openSql(postgres.url('reaping'), { log, statementTimeout: 0 })
await connect(store, 10)
let present = 0
for (const count of JOBS) {
  const finished = sql`true, 'completed', now()`
  for (; present < count * 0.9; present += 20_000)
    await addJobs(patient, Math.min(20_000, count * 0.9 - present), finished)
  for (let added = 0; added < count / 10; added += 20_000)
    await addJobs(store, Math.min(20_000, count / 10), sql`true, 'dispatched', null::timestamptz`)
  await patient.db.transaction().execute(async (transaction) => {
    await sql`set local session_replication_role = replica`.execute(transaction)
    await sql`insert into assignments (job_id, operator, round, state, lease, lease_until)
      select j.id, s.operator, 0, 'open', gen_random_uuid(), now() + interval '1 hour'
      from jobs j cross join lateral (select operator from sessions limit 2) s
      where j.state = 'dispatched' on conflict do nothing`.execute(transaction)
  })
  present = count
  await sql`analyze`.execute(patient.db)
  const reap = []
  const expire = []
  for (let round = 0; round < ROUNDS; round++) {
    reap.push(await timed(() => reapAssignments(store, LIMITS)))
    expire.push(await timed(() => expireJobs(store)))
  }
  reaping.push([count.toLocaleString('en'), median(reap).toFixed(1), median(expire).toFixed(1)])
}
console.log(
  `\n${tableLines([['jobs', 'taking back leases, ms', 'ending jobs, ms'], ...reaping]).join('\n')}`,
)
await patient.close()
await store.close()
await postgres.stop()
fs.rmSync(folder, { recursive: true, force: true })
