/** A dispatcher on an embedded PostgreSQL in a temporary folder, with a client of its job API. */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pino } from 'pino'
import { fromHex } from '../../src/base/hex.ts'
import { RECEIPTS_ADDRESS, REGISTRY_ADDRESS } from '../../src/config/contracts.ts'
import type { Home } from '../../src/config/home.ts'
import { startEmbeddedPostgres } from '../../src/store/sql/embedded.ts'
import {
  runDispatcher,
  type Dispatcher,
  type DispatcherOptions,
} from '../../src/jobs/dispatcher/dispatcher.ts'
import type { ChainOptions } from '../../src/jobs/dispatcher/chain.ts'
import { createProject } from '../../src/jobs/dispatcher/access/projects.ts'

export const CHAIN_ID = 271828n
/** A chain's options, with the contracts of genesis; receipts are anchored only if an interval is given. */
export function chainOptions(
  chain: { readonly rpc: string; readonly comet: string; readonly home: Home },
  changes: Partial<ChainOptions> = {},
): ChainOptions {
  return {
    rpcUrl: chain.rpc,
    consensusRpcUrl: chain.comet,
    anchorKeyFile: chain.home.anchorKey,
    anchorIntervalMs: 0,
    receiptsContract: fromHex(RECEIPTS_ADDRESS),
    registryContract: fromHex(REGISTRY_ADDRESS),
    operators: 'any',
    ...changes,
  }
}

const quiet = pino({ level: 'silent' })

export type Reply = {
  readonly status: number
  readonly headers: Headers
  // oxlint-disable-next-line typescript/no-explicit-any -- tests look into bodies of every shape
  readonly body: any
}

export type TestDispatcher = Dispatcher & {
  readonly project: string
  readonly token: string
  readonly options: DispatcherOptions
  /** POST with a JSON body. */
  post(path: string, body: unknown, headers?: Record<string, string>): Promise<Reply>
  /** Submits a job of the test project and returns its id. */
  submit(job: object, more?: object): Promise<string>
  detail(id: string): Promise<Reply['body']>
  results(id: string): Promise<Reply['body']>
  /** Resolves with the detail record once `isDone` holds for it. */
  until(id: string, isDone: (detail: Reply['body']) => boolean): Promise<Reply['body']>
}

/** A temporary folder with a server in it. */
export async function startTestPostgres() {
  const folder = await mkdtemp(join(tmpdir(), 'assay-dispatcher-'))
  const postgres = await startEmbeddedPostgres({ folder: join(folder, 'postgres'), log: quiet })
  return {
    folder,
    url: postgres.url,
    async stop(): Promise<void> {
      await postgres.stop()
      await rm(folder, { recursive: true, force: true })
    },
  }
}

export type TestPostgres = Awaited<ReturnType<typeof startTestPostgres>>

/** Starts a dispatcher on a database of the server. */
export async function startTestDispatcher(
  postgres: TestPostgres,
  database: string,
  changes: Partial<DispatcherOptions> = {},
): Promise<TestDispatcher> {
  const options: DispatcherOptions = {
    databaseUrl: postgres.url(database),
    keyFile: join(postgres.folder, `${database}.key`),
    promptKeyFile: join(postgres.folder, `${database}.prompt.key`),
    chainId: CHAIN_ID,
    httpAddress: { host: '127.0.0.1', port: 0 },
    operatorAddress: { host: '127.0.0.1', port: 0 },
    corsOrigins: [],
    hosts: [],
    openReads: true,
    unknownModel: 'wait',
    jobDeadlineMs: 60_000,
    retentionMs: 0,
    archiveUrl: '',
    leaseMs: 10_000,
    maxAttempts: 3,
    committee: 16,
    limits: { jobsPerMinute: 0, tokenJobsPerMinute: 0, jobsPerDay: 0, tokensPerMinute: 0 },
    webhookHosts: [],
    evidence: { software: 'any' },
    ...changes,
  }
  const dispatcher = await runDispatcher(options, { log: quiet })
  const { project, token } = await createProject(dispatcher.sql, {
    name: 'test',
    id: 'test',
    // Several dispatchers on one database share it.
    token: `token-of-${database}`,
  })
  const post: TestDispatcher['post'] = async (path, body, headers = {}) => {
    const response = await fetch(`http://${dispatcher.httpAddress}${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body: typeof body === 'string' ? body : JSON.stringify(body),
    })
    return { status: response.status, headers: response.headers, body: await response.json() }
  }
  const read = async (path: string, id: string): Promise<Reply['body']> => {
    const { status, body } = await post(path, { job_id: id })
    if (status !== 200) throw new Error(`${path} answers ${JSON.stringify(body)}`)
    return body.result
  }
  const detail = (id: string) => read('/api/job/detail', id)
  return {
    ...dispatcher,
    project,
    token,
    options,
    post,
    detail,
    results: (id) => read('/api/job/result', id),
    async submit(job, more = {}) {
      const { body } = await post('/api/job/submit', { from: project, verify: token, job, ...more })
      if (body.code !== 200) throw new Error(`submit answers ${JSON.stringify(body)}`)
      return body.result
    },
    async until(id, isDone) {
      const end = Date.now() + 15_000
      for (;;) {
        const record = await detail(id)
        if (isDone(record)) return record
        if (Date.now() > end) throw new Error(`the job stays ${JSON.stringify(record)}`)
        await new Promise((resolve) => setTimeout(resolve, 10))
      }
    },
  }
}
