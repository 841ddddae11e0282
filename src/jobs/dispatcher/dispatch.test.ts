/** Long, because all tests share one dispatcher on one PostgreSQL, which takes seconds to start. */
import { randomBytes } from 'node:crypto'
import { mkdtemp } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { WebSocket } from 'ws'
import {
  startTestDispatcher,
  startTestPostgres,
  type TestDispatcher,
  type TestPostgres,
} from '../../../test/support/dispatcher.ts'
import {
  connectOperator,
  statementOf,
  type OperatorScript,
  type ScriptedOperator,
} from '../../../test/support/scriptedOperator.ts'
import { openSoftwareAttester } from '../../attest/software.ts'
import { toHexDigits } from '../../base/hex.ts'
import { evidenceSubject } from '../evidence.ts'
import { CLOSE, type Result } from '../protocol.ts'
import { signDigest } from '../signature.ts'
import { statementDigest } from '../../proof/job/statement.ts'
import { recoverStatementSigner } from '../statement.ts'
import { countOf, includesClock } from '../../proof/job/vectorClock.ts'
import { waitFor } from '../../../test/support/waitFor.ts'

const PARAMS = { temperature: 0, top_p: 1, max_tokens: 16 }
const JOB = { tag: 'opml', prompt: 'What is AI?', model: 'tiny.gguf', params: PARAMS }

let postgres: TestPostgres
let dispatcher: TestDispatcher
const operators: ScriptedOperator[] = []

beforeAll(async () => {
  postgres = await startTestPostgres()
  dispatcher = await startTestDispatcher(postgres, 'dispatch')
})

afterEach(async () => {
  for (const operator of operators.splice(0)) operator.socket.close()
  await waitFor(async () => {
    const sessions = await dispatcher.sql.db.selectFrom('sessions').select('operator').execute()
    expect(sessions).toEqual([])
  })
})

afterAll(async () => {
  await dispatcher.close()
  await postgres.stop()
})

async function connect(script: OperatorScript = {}, to = dispatcher): Promise<ScriptedOperator> {
  const operator = await connectOperator(to, script)
  operators.push(operator)
  return operator
}

/** Its own model, so that only this test's operator gets this test's jobs. */
const ownModel = (): string => `${randomBytes(6).toString('hex')}.gguf`

test('a job is handed out, answered, verified and recorded, with every key of the record filled', async () => {
  const operator = await connect()
  const id = await dispatcher.submit(JOB, { tag: 'suspicion' })
  const dispatch = await operator.next('dispatch')
  expect(dispatch).toMatchObject({
    jobId: id,
    tag: 'suspicion',
    position: 'after',
    chainId: '271828',
    job: { tag: 'opml', prompt: JOB.prompt, model: JOB.model, params: PARAMS },
  })
  expect(await dispatcher.detail(id)).toMatchObject({ status: 'dispatched', state: 'dispatched' })

  const answer = await operator.answer(dispatch, 'an \u0000 answer')
  operator.send(answer)
  expect(await operator.next('recorded')).toMatchObject({ jobId: id, lease: dispatch.lease })

  const [record, ...others] = await dispatcher.results(id)
  expect(others).toEqual([])
  expect(record).toEqual({
    id: `_${id}_suspicion`,
    job_id: id,
    operator: operator.address,
    result: 'an \u0000 answer',
    verify_id: expect.stringMatching(/^[0-9a-f]{64}$/),
    vrf: answer.vrf,
    clock: answer.clock,
    signature: answer.answer?.signature,
    job_type: 'opml',
    tag: 'suspicion',
    created_at: expect.stringMatching(/^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d$/),
  })
  expect(record.vrf.selected).toBe(true)

  const detail = await dispatcher.detail(id)
  expect(detail).toMatchObject({ status: 'dispatched', state: 'completed', reason: '' })
  expect(detail.draws).toMatchObject([{ operator: operator.address, round: 0, selected: true }])
  expect(includesClock(detail.clock, record.clock)).toBe(true)
  const own = dispatcher.dispatcherAddress
  expect(countOf(detail.clock, own)).toBeGreaterThan(countOf(record.clock, own))
})

// Holds D29.
test('a result that is sent twice is one row, and is acknowledged twice', async () => {
  const operator = await connect()
  const id = await dispatcher.submit(JOB)
  const dispatch = await operator.next('dispatch')
  const [first, second] = [
    await operator.answer(dispatch, 'a'),
    await operator.answer(dispatch, 'b'),
  ]
  operator.send(first)
  operator.send(second)
  operator.send(first)
  for (let i = 0; i < 3; i++) await operator.next('recorded')
  expect(await dispatcher.results(id)).toMatchObject([{ result: 'a' }])
})

/** Changes that make an honest result false, and the dispatcher's reason. */
const LIES: readonly [string, (result: Result, key: Uint8Array) => unknown, RegExp][] = [
  [
    'a signature of another key',
    (r) => resign(r, {}, randomBytes(32)),
    /not signed by the operator/,
  ],
  ['another output', (r) => edit(r, { output: 'forged' }), /outputHash/],
  [
    'a statement about another job',
    (r, key) => resign(r, { jobId: `0x${'0'.repeat(64)}` }, key),
    /jobId/,
  ],
  ['another seed', (r, key) => resign(r, { seed: `0x${'0'.repeat(64)}` }, key), /seed/],
  ['another clock', (r) => ({ ...r, clock: { ...r.clock, x: '1' } }), /did not hand out/],
  [
    'an ill-formed participant',
    (r) => ({ ...r, clock: { ...r.clock, '\u0000': '1' } }),
    /malformed participant/,
  ],
  ['a clock that lags behind', (r) => ({ ...r, clock: {} }), /behind/],
  ['a number of tokens beyond the limit', (r, key) => resign(r, { tokens: 17 }, key), /max_tokens/],
  ['a draw that it lost', (r) => edit({ ...r, selected: false }, undefined), /selects/],
  [
    'a drawn value of its own',
    (r) => draw(r, { vrf_random_value: '00'.repeat(32) }),
    /drawn value/,
  ],
  ['a proof of its own', (r) => draw(r, { vrf_proof: '02'.repeat(81) }), /proof/],
  [
    'the draw of another key',
    (r) =>
      draw(r, {
        vrf_verify_pubkey: '0279be667ef9dcbbac55a06295ce870b07029bfcdb2dce28d959f2815b16f81798',
      }),
    /operator's key/,
  ],
  ['no answer though it was drawn', (r) => edit(r, undefined), /no answer/],
  [
    'evidence for an opml job',
    (r) => edit(r, { evidence: { level: 'hardware', format: 'x', document: '' } }),
    /evidence/,
  ],
]

const edit = (result: Result, changes: object | undefined): Result => ({
  ...result,
  answer: changes === undefined ? undefined : Object.assign({}, result.answer, changes),
})
const draw = (result: Result, changes: object): Result => ({
  ...result,
  vrf: { ...result.vrf, ...changes },
})
function resign(result: Result, changes: object, key: Uint8Array): Result {
  if (result.answer === undefined) throw new Error('no answer')
  const statement = { ...result.answer.statement, ...changes }
  const domain = { chainId: 271828n, dispatcher: dispatcher.dispatcherAddress }
  return edit(result, { statement, signature: signDigest(statementDigest(statement, domain), key) })
}

test('results that do not hold are refused, not stored, and their jobs go out again', async () => {
  await Promise.all(
    LIES.map(async ([, forge, reason]) => {
      const model = ownModel()
      const operator = await connect({ models: [model] })
      const id = await dispatcher.submit({ ...JOB, model })
      const dispatch = await operator.next('dispatch')
      const lie = forge(await operator.answer(dispatch), operator.privateKey)
      operator.send(JSON.stringify(lie))
      expect((await operator.next('rejected')).reason).toMatch(reason)
      expect(await dispatcher.results(id)).toEqual([])
      const again = await operator.next('dispatch')
      expect(again.jobId).toBe(id)
      expect(again.seed).not.toBe(dispatch.seed)
      operator.send(await operator.answer(again))
      await operator.next('recorded')
    }),
  )
})

test('a job that is answered with lies alone fails and says so', async () => {
  const model = ownModel()
  const liar = await connect({ models: [model] })
  const id = await dispatcher.submit({ ...JOB, model })
  for (let i = 0; i < dispatcher.options.maxAttempts; i++)
    liar.send(edit(await liar.answer(await liar.next('dispatch')), { output: 'lie' }))
  const { state, reason } = await dispatcher.until(id, (detail) => detail.state !== 'dispatched')
  expect(state).toBe('failed')
  expect(reason).toContain('3 hand-outs without a result')
})

test('a lease of another operator is worth nothing', async () => {
  const model = ownModel()
  const owner = await connect({ models: [model] })
  const thief = await connect({ models: ['other.gguf'] })
  const id = await dispatcher.submit({ ...JOB, model })
  const dispatch = await owner.next('dispatch')
  thief.send(await thief.answer(dispatch))
  expect((await thief.next('rejected')).reason).toMatch(/over/)
  thief.send({ type: 'refused', jobId: id, lease: dispatch.lease, reason: 'x', retry: false })
  await thief.next('recorded')
  owner.send(await owner.answer(dispatch))
  await owner.next('recorded')
  expect(await dispatcher.results(id)).toHaveLength(1)
})

// Holds D34.
test('tee jobs need evidence that binds the statement, and its level is stored', async () => {
  const model = ownModel()
  const attester = openSoftwareAttester(await mkdtemp(join(postgres.folder, 'tee-')), [])
  const domain = { chainId: 271828n, dispatcher: dispatcher.dispatcherAddress }
  const operator = await connect({
    workers: ['tee'],
    models: [model],
    async evidence(request) {
      const statement = statementOf(request, 'attested')
      const evidence = await attester.attest(evidenceSubject(statement, domain))
      return { output: 'attested', statement, evidence }
    },
  })
  const id = await dispatcher.submit({ ...JOB, tag: 'tee', model })
  const bare = await operator.answer(await operator.next('dispatch'))
  operator.send(edit(bare, { evidence: undefined }))
  expect((await operator.next('rejected')).reason).toMatch(/without evidence/)

  const dispatch = await operator.next('dispatch')
  const old = bare.answer?.evidence
  operator.send(edit(await operator.answer(dispatch), { evidence: old }))
  expect((await operator.next('rejected')).reason).toMatch(/evidence is invalid/)

  operator.send(await operator.answer(await operator.next('dispatch')))
  await operator.next('recorded')
  const [record] = await dispatcher.results(id)
  expect(record).toMatchObject({ result: 'attested', job_type: 'tee' })
  const row = await dispatcher.sql.db
    .selectFrom('results')
    .select(['evidence_level', 'statement', 'evidence'])
    .where('job_id', '=', id)
    .executeTakeFirstOrThrow()
  expect(row.evidence_level).toBe('software-insecure')
  expect(row.evidence?.format).toBe('software-cose-v1')
  expect(recoverStatementSigner(row.statement, domain, record.signature)).toBe(operator.address)
})

test('an operator that is not drawn leaves its draw, and the job is drawn again', async () => {
  const model = ownModel()
  const operator = await connect({ models: [model] })
  operator.socket.close()
  await operator.closed
  const setRange = (end: bigint): Promise<unknown> =>
    dispatcher.sql.db
      .updateTable('operators')
      .set({ range_end: end })
      .where('address', '=', operator.address)
      .execute()
  await setRange(0n)
  const narrow = await connect({ privateKey: operator.privateKey, models: [model] })
  const id = await dispatcher.submit({ ...JOB, model })
  const first = await narrow.next('dispatch')
  const unselected = await narrow.answer(first)
  expect(unselected).toMatchObject({ selected: false })
  await setRange(600_000n)
  narrow.send(unselected)
  // What counts is the dispatcher's own record of the range.
  expect((await narrow.next('rejected')).reason).toMatch(/selects the operator/)
  await setRange(0n)
  const second = await narrow.next('dispatch')
  narrow.send(await narrow.answer(second))
  await narrow.next('recorded')
  const third = await narrow.next('dispatch')
  expect(new Set([first.seed, second.seed, third.seed]).size).toBe(3)
  const detail = await dispatcher.detail(id)
  expect(detail.draws).toMatchObject([{ operator: operator.address, round: 1, selected: false }])
  expect(await dispatcher.results(id)).toEqual([])
})

// Holds D24.
test('every operator that serves type and model draws, and several results share an id', async () => {
  const model = ownModel()
  const [a, b, other] = [
    await connect({ models: [model] }),
    await connect({ models: [model] }),
    await connect({ workers: ['tee'], models: [model] }),
  ]
  const id = await dispatcher.submit({ ...JOB, model })
  a.send(await a.answer(await a.next('dispatch')))
  await a.next('recorded')
  expect(await dispatcher.detail(id)).toMatchObject({ state: 'dispatched' })
  b.send(await b.answer(await b.next('dispatch')))
  await b.next('recorded')
  expect(await dispatcher.detail(id)).toMatchObject({ state: 'completed' })
  const records = await dispatcher.results(id)
  expect(records.map((record: { id: string }) => record.id)).toEqual([`_${id}_`, `_${id}_`])
  expect(new Set(records.map((record: { verify_id: string }) => record.verify_id)).size).toBe(2)
  expect(other.received).toEqual([])
})

test('a refusal for good fails the job with its reason; one for now brings it back', async () => {
  const model = ownModel()
  const operator = await connect({ models: [model] })
  const id = await dispatcher.submit({ ...JOB, model })
  const first = await operator.next('dispatch')
  const refusal = { type: 'refused', jobId: id, retry: true, reason: 'busy' } as const
  operator.send({ ...refusal, lease: first.lease })
  const second = await operator.next('dispatch')
  const reason = 'cannot \u0000 load'
  operator.send({ ...refusal, lease: second.lease, retry: false, reason })
  const detail = await dispatcher.until(id, ({ state }) => state === 'failed')
  expect(detail.reason).toBe('cannot  load')
})

test('no more jobs are handed out than an operator has slots', async () => {
  const model = ownModel()
  const operator = await connect({ models: [model], slots: 2 })
  for (let i = 0; i < 3; i++) await dispatcher.submit({ ...JOB, model, prompt: `${i}` })
  const first = await operator.next('dispatch')
  await operator.next('dispatch')
  expect(operator.received.filter(({ type }) => type === 'dispatch')).toHaveLength(2)
  operator.send(await operator.answer(first))
  expect((await operator.next('dispatch')).job.prompt).toBe('2')
})

test('jobs that came before their operator are handed out when it connects, oldest first', async () => {
  const model = ownModel()
  for (const prompt of ['a', 'b', 'c']) await dispatcher.submit({ ...JOB, model, prompt })
  const operator = await connect({ models: [model], slots: 1 })
  const prompts: string[] = []
  for (let i = 0; i < 3; i++) {
    const dispatch = await operator.next('dispatch')
    prompts.push(dispatch.job.prompt)
    operator.send(await operator.answer(dispatch))
  }
  expect(prompts).toEqual(['a', 'b', 'c'])
})

// Holds D29.
test('without heartbeats a lease runs out and the job goes out again; with them it does not', async () => {
  const quick = await startTestDispatcher(postgres, 'leases', { leaseMs: 1000 })
  try {
    const operator = await connect({ models: ['m'] }, quick)
    const id = await quick.submit({ ...JOB, model: 'm' })
    const first = await operator.next('dispatch')
    const second = await operator.next('dispatch')
    expect(second.lease).not.toBe(first.lease)
    operator.send(await operator.answer(first))
    expect((await operator.next('rejected')).reason).toMatch(/over/)

    for (let i = 0; i < 10; i++) {
      operator.send({ type: 'heartbeat', leases: [second.lease] })
      await new Promise((resolve) => setTimeout(resolve, 200))
    }
    operator.send(await operator.answer(second))
    await operator.next('recorded')
    expect(await quick.detail(id)).toMatchObject({ state: 'completed' })
    operator.socket.close()
  } finally {
    await quick.close()
  }
})

// Holds D41.
test('a job that nobody serves expires with that reason, one that nobody finishes with another', async () => {
  const hasty = await startTestDispatcher(postgres, 'deadlines', { jobDeadlineMs: 1000 })
  try {
    const unserved = await hasty.submit({ ...JOB, model: 'nobody-has-this.gguf' })
    const operator = await connect({ models: ['m'] }, hasty)
    const unfinished = await hasty.submit({ ...JOB, model: 'm' })
    const dispatch = await operator.next('dispatch')
    const first = await hasty.until(unserved, ({ state }) => state === 'expired')
    expect(first).toMatchObject({
      status: 'created',
      reason: 'no connected opml operator serves the model nobody-has-this.gguf',
    })
    const second = await hasty.until(unfinished, ({ state }) => state === 'expired')
    expect(second).toMatchObject({ status: 'dispatched' })
    expect(second.reason).toMatch(/no operator finished/)
    operator.send(await operator.answer(dispatch))
    await operator.next('rejected')
    expect(await hasty.results(unfinished)).toEqual([])
    operator.socket.close()
  } finally {
    await hasty.close()
  }
})

test('after a restart of the dispatcher, a result of before is still taken', async () => {
  const before = await startTestDispatcher(postgres, 'restart')
  const privateKey = randomBytes(32)
  const first = await connect({ privateKey }, before)
  const id = await before.submit(JOB)
  const result = await first.answer(await first.next('dispatch'))
  await before.close()
  expect(await first.closed).toBe(CLOSE.shutdown)
  const after = await startTestDispatcher(postgres, 'restart')
  try {
    const second = await connect({ privateKey }, after)
    second.send(result)
    await second.next('recorded')
    expect(await after.results(id)).toHaveLength(1)
    second.socket.close()
  } finally {
    await after.close()
  }
})

test('a newer connection of an operator takes the place of the older', async () => {
  const model = ownModel()
  const older = await connect({ models: [model] })
  const newer = await connect({ privateKey: older.privateKey, models: [model] })
  expect(await older.closed).toBe(CLOSE.replaced)
  const id = await dispatcher.submit({ ...JOB, model })
  expect((await newer.next('dispatch')).jobId).toBe(id)
})

test('sockets that do not prove their key, or talk nonsense, are closed with a reason', async () => {
  const closeCode = (messages: readonly (string | Buffer)[]): Promise<number> =>
    new Promise((resolve) => {
      const socket = new WebSocket(`ws://${dispatcher.operatorAddress}/ws`)
      socket.once('message', () => {
        for (const message of messages) socket.send(message)
      })
      socket.once('close', resolve)
    })
  const hello = {
    type: 'hello',
    protocol: 1,
    operator: `0x${'11'.repeat(20)}`,
    nonce: toHexDigits(randomBytes(32)),
    workers: ['opml'],
    models: [],
    slots: 1,
    signature: `0x${'11'.repeat(65)}`,
  }
  expect(await closeCode([JSON.stringify(hello)])).toBe(CLOSE.unauthenticated)
  expect(await closeCode([JSON.stringify({ ...hello, protocol: 4 })])).toBe(CLOSE.version)
  expect(await closeCode(['{"type":"heartbeat","leases":[]}'])).toBe(CLOSE.unauthenticated)
  for (const nonsense of ['', '{', 'null', '{"type":"unknown"}', Buffer.from('{}')])
    expect(await closeCode([nonsense])).toBe(CLOSE.malformed)
  expect(await closeCode(['x'.repeat(17 * 1024 * 1024)])).toBe(1009)
})
