/**
 * Dispatchers behind pgbouncer in transaction mode, as docs/postgresql.md sets it up: no connection keeps a state from one
 * transaction to the next. Skipped where pgbouncer is not installed.
 */
import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import fs from 'node:fs'
import path from 'node:path'
import { sql } from 'kysely'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { freePort } from '../../src/base/freePorts.ts'
import { ensureDatabase, withClient } from '../../src/store/sql/database.ts'
import {
  startTestDispatcher,
  startTestPostgres,
  type TestDispatcher,
  type TestPostgres,
} from '../support/dispatcher.ts'
import { connectOperator } from '../support/scriptedOperator.ts'
import { waitFor } from '../support/waitFor.ts'

const PROGRAM = '/usr/sbin/pgbouncer'
const isInstalled = fs.existsSync(PROGRAM)
if (!isInstalled)
  process.emitWarning('skipped, pgbouncer is not installed: apt-get install pgbouncer')

const JOBS = 60
const JOB = {
  tag: 'opml',
  prompt: 'p',
  model: 'm.gguf',
  params: { temperature: 0, top_p: 1, max_tokens: 16 },
}
/** As in docs/postgresql.md. */
const SETTINGS = [
  'pool_mode = transaction',
  'ignore_startup_parameters = extra_float_digits, statement_timeout, lock_timeout, idle_in_transaction_session_timeout',
]

let postgres: TestPostgres
let pooler: ChildProcess | undefined
let pooled: (database: string) => string
const dispatchers: TestDispatcher[] = []

beforeAll(async () => {
  if (!isInstalled) return
  postgres = await startTestPostgres()
  const server = new URL(postgres.url('postgres'))
  const port = await freePort()
  const folder = path.join(postgres.folder, 'pgbouncer')
  fs.mkdirSync(folder)
  // It runs as another user where root starts it.
  fs.chmodSync(postgres.folder, 0o711)
  fs.chmodSync(folder, 0o755)
  const users = path.join(folder, 'users.txt')
  fs.writeFileSync(users, `"${server.username}" "${server.password}"\n`)
  const file = path.join(folder, 'pgbouncer.ini')
  const lines = [
    '[databases]',
    `* = host=127.0.0.1 port=${server.port}`,
    '[pgbouncer]',
    'listen_addr = 127.0.0.1',
    `listen_port = ${port}`,
    'unix_socket_dir =',
    'auth_type = plain',
    `auth_file = ${users}`,
    'default_pool_size = 4',
    ...SETTINGS,
  ]
  fs.writeFileSync(file, `${lines.join('\n')}\n`)
  const user = process.geteuid?.() === 0 ? ['-u', 'nobody'] : []
  pooler = spawn(PROGRAM, [...user, file], { stdio: 'ignore' })
  pooled = (database) => {
    const url = new URL(postgres.url(database))
    url.port = String(port)
    return url.href
  }
  await waitFor(() => withClient(pooled('postgres'), (client) => client.query('select 1')))
}, 60_000)

afterAll(async () => {
  await Promise.all(dispatchers.map((each) => each.close()))
  if (pooler !== undefined) {
    const ended = once(pooler, 'exit')
    pooler.kill('SIGTERM')
    await ended
  }
  if (isInstalled) await postgres.stop()
})

test.skipIf(!isInstalled)(
  'replicas that share few connections migrate, hand out, record and end jobs',
  async () => {
    await ensureDatabase(postgres.url('pooled'))
    for (let at = 0; at < 2; at++)
      dispatchers.push(await startTestDispatcher({ ...postgres, url: pooled }, 'pooled'))
    const operators = await Promise.all(
      dispatchers.map((dispatcher) => connectOperator(dispatcher, { models: [JOB.model] })),
    )
    for (const operator of operators)
      operator.socket.on('message', () => {
        for (const message of operator.received.splice(0))
          if (message.type === 'dispatch')
            void operator.answer(message).then((answer) => operator.send(answer))
      })
    const [first] = dispatchers
    if (first === undefined) throw new Error('no dispatcher')
    const jobs = await Promise.all(
      Array.from({ length: JOBS }, (_, at) =>
        (dispatchers[at % dispatchers.length] ?? first).submit(JOB),
      ),
    )
    await waitFor(async () => {
      const { rows } = await sql<{ state: string; count: bigint }>`
        select state, count(*) as count from jobs group by state`.execute(first.sql.db)
      expect(rows).toEqual([{ state: 'completed', count: BigInt(JOBS) }])
    })
    for (const id of jobs) expect(await first.results(id)).toHaveLength(2)
    for (const { socket } of operators) socket.close()
  },
  120_000,
)
