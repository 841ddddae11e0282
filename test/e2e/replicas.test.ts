/** Two dispatcher processes that share a database and a key file, nothing else; one of them is killed. */
import { spawn, type ChildProcess } from 'node:child_process'
import { randomBytes, randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { join, resolve } from 'node:path'
import { sql } from 'kysely'
import { pino } from 'pino'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createProject } from '../../src/jobs/dispatcher/access/projects.ts'
import { openDispatcherSql } from '../../src/jobs/dispatcher/dispatcher.ts'
import type { DispatcherSql } from '../../src/jobs/dispatcher/tables.ts'
import { startTestPostgres, type TestPostgres } from '../support/dispatcher.ts'
import { connectOperator } from '../support/scriptedOperator.ts'

const JOBS = 80
const MAIN = resolve(import.meta.dirname, '../../dist/main.js')

type Replica = {
  readonly process: ChildProcess
  readonly httpAddress: string
  readonly operatorAddress: string
  readonly dispatcherAddress: string
}

let postgres: TestPostgres
let store: DispatcherSql
const replicas: Replica[] = []

beforeAll(async () => {
  postgres = await startTestPostgres()
  store = await openDispatcherSql(postgres.url('replicas'), pino({ level: 'silent' }))
  replicas.push(...(await Promise.all([startReplica(), startReplica()])))
})

afterAll(async () => {
  for (const { process } of replicas) process.kill('SIGKILL')
  await store.close()
  await postgres.stop()
})

async function startReplica(): Promise<Replica> {
  const flags = [
    '--dispatcher.address=127.0.0.1:0',
    '--dispatcher.operator-address=127.0.0.1:0',
    '--dispatcher.lease=2s',
  ]
  const child = spawn(
    process.execPath,
    [MAIN, 'dispatcher', '--home', join(postgres.folder, 'home'), ...flags],
    {
      stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
      env: { ...process.env, ASSAY_DISPATCHER_PG_DB_URL: postgres.url('replicas') },
    },
  )
  const [message] = (await once(child, 'message')) as [
    { type: string; details: Omit<Replica, 'process'> },
  ]
  if (message.type !== 'ready') throw new Error(`a replica says ${JSON.stringify(message)}`)
  return { process: child, ...message.details }
}

/** An operator that answers whatever it is handed, until its replica dies. */
async function serve(
  privateKey: Uint8Array,
  replica: Replica,
): Promise<{ closed: Promise<number> }> {
  const operator = await connectOperator(replica, { privateKey, slots: 8 })
  operator.socket.on('message', () => {
    const message = operator.received.at(-1)
    if (message?.type === 'dispatch') void operator.answer(message).then(operator.send)
  })
  return operator
}

test('jobs that were acknowledged by a dispatcher that is killed are all done, once each', async () => {
  const [doomed, survivor] = replicas
  if (doomed === undefined || survivor === undefined) throw new Error('two replicas are needed')
  const { project, token } = await createProject(store, { name: 'replicas' })
  const [first, second] = [randomBytes(32), randomBytes(32)]
  const moving = await serve(first, doomed)
  await serve(second, survivor)
  const moved = moving.closed.then(() => serve(first, survivor))

  const submit = async (replica: Replica, key: string): Promise<string> => {
    const response = await fetch(`http://${replica.httpAddress}/api/job/submit`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'idempotency-key': key },
      body: JSON.stringify({
        from: project,
        verify: token,
        job: { tag: 'opml', prompt: key, model: 'tiny.gguf' },
      }),
    })
    const body = (await response.json()) as { code: number; result: string }
    expect(body.code).toBe(200)
    return body.result
  }
  const ids = new Map<string, string>()
  for (let at = 0; at < JOBS; at++) {
    const key = randomUUID()
    if (at === JOBS / 2) {
      // In the middle of a request, the answer to which nobody will see.
      const lost = submit(doomed, key).catch(() => undefined)
      doomed.process.kill('SIGKILL')
      await lost
    }
    const to = at < JOBS / 2 && at % 2 === 0 ? doomed : survivor
    ids.set(key, await submit(to, key))
  }
  await moved

  await expect
    .poll(
      async () => {
        const { rows } = await sql<{ state: string; count: bigint }>`
          select state, count(*) from jobs group by state`.execute(store.db)
        return rows.map(({ state, count }) => [state, Number(count)])
      },
      { timeout: 30_000, interval: 250 },
    )
    .toEqual([['completed', JOBS]])
  const jobs = await store.db.selectFrom('jobs').select('id').execute()
  expect(new Set(jobs.map(({ id }) => id))).toEqual(new Set(ids.values()))
  const { rows: doubled } = await sql`
    select job_id from results group by job_id, operator, round having count(*) > 1`.execute(
    store.db,
  )
  expect(doubled).toEqual([])
  const { rows: unanswered } = await sql`
    select id from jobs where not exists (select from results r where r.job_id = jobs.id)`.execute(
    store.db,
  )
  expect(unanswered).toEqual([])
})
