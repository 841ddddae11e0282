/** Long, because all tests share one dispatcher on one PostgreSQL, which takes seconds to start. */
import { randomBytes } from 'node:crypto'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import {
  startTestDispatcher,
  startTestPostgres,
  type TestDispatcher,
  type TestPostgres,
} from '../../../../test/support/dispatcher.ts'
import {
  connectOperator,
  type OperatorScript,
  type ScriptedOperator,
} from '../../../../test/support/scriptedOperator.ts'
import { waitFor } from '../../../../test/support/waitFor.ts'
import type { Hex } from '../../../base/hex.ts'
import type { FromOperator } from '../../protocol.ts'
import { setAgreement } from '../access/projects.ts'
import { removeModel, setModel } from './register.ts'

const hash = (digit: string): Hex => `0x${digit.repeat(64)}`
const [GOOD, OTHER] = [hash('a'), hash('b')]

let postgres: TestPostgres
let dispatcher: TestDispatcher
const operators: ScriptedOperator[] = []

beforeAll(async () => {
  postgres = await startTestPostgres()
  dispatcher = await startTestDispatcher(postgres, 'models')
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

async function connect(script: OperatorScript): Promise<ScriptedOperator> {
  const operator = await connectOperator(dispatcher, script)
  operators.push(operator)
  return operator
}

/** A name that no former release would accept, of this test alone. */
const ownName = (): string => `llama 3/${randomBytes(6).toString('hex')}:8b`
const ownFile = (): string => `${randomBytes(6).toString('hex')}.gguf`
const jobFor = (model: string, params: object = {}) => ({
  tag: 'opml',
  prompt: 'p',
  model,
  params: { max_tokens: 16, ...params },
})

/** An operator that serves one file under a name, and says so. */
const serving = (model: string, sha256: Hex, more: object = {}): Promise<ScriptedOperator> =>
  connect({
    models: [model],
    identities: [{ model, type: 'opml', sha256, ...more }],
    modelHash: sha256,
  })

/** An operator of a former release: it says nothing about its files. */
const former = (model: string, modelHash: Hex): Promise<ScriptedOperator> =>
  connect({ models: [model], modelHash })

async function answerNext(operator: ScriptedOperator, output = 'same') {
  const dispatch = await operator.next('dispatch')
  operator.send(await operator.answer(dispatch, output))
  return dispatch
}

async function submitFully(job: object) {
  const { project: from, token: verify } = dispatcher
  return (await dispatcher.post('/api/job/submit', { from, verify, job })).body
}

async function get(path: string) {
  const response = await fetch(`http://${dispatcher.httpAddress}${path}`, {
    headers: { authorization: `Bearer ${dispatcher.token}` },
  })
  // oxlint-disable-next-line typescript/no-explicit-any -- tests look into bodies of every shape
  return (await response.json()) as any
}

/** Entries of a model, once they satisfy the check. */
async function entriesOf(model: string) {
  const { result } = await get('/api/models')
  return result.filter((entry: { model: string }) => entry.model === model)
}

async function operatorEntry({ address }: ScriptedOperator) {
  const { result } = await get('/api/operators')
  return result.find((entry: { operator: string }) => entry.operator === address)
}

// Holds D58.
test('a name with spaces, slashes and colons is served, echoed as submitted, and in the receipt', async () => {
  const model = ownName()
  const operator = await serving(model, GOOD)
  const id = await dispatcher.submit(jobFor(model))
  expect(await answerNext(operator)).toMatchObject({ job: { model } })
  const detail = await dispatcher.until(id, ({ state }) => state === 'completed')
  expect(detail.job.model).toBe(model)
  const bundle = await get(`/api/job/receipt/${id}`)
  expect(bundle.result.answers[0]).toMatchObject({
    receipt: { model },
    statement: { modelHash: GOOD },
  })
})

// Holds D58, D144.
test('a pinned job goes to the operator that states the file, in upper or lower case', async () => {
  const model = ownName()
  const [right, wrong] = [await serving(model, GOOD), await serving(model, OTHER)]
  for (const digits of ['a'.repeat(64), 'A'.repeat(64)]) {
    const pinned = `${model}@sha256:${digits}`
    const id = await dispatcher.submit(jobFor(pinned))
    expect(await answerNext(right)).toMatchObject({ jobId: id, job: { model: pinned } })
    const detail = await dispatcher.until(id, ({ state }) => state === 'completed')
    expect(detail.job.model).toBe(pinned)
  }
  expect(wrong.received.filter(({ type }) => type === 'dispatch')).toEqual([])
})

test('a pinned job is not handed to an operator of a former release, which cannot say what it serves', async () => {
  const model = ownFile()
  const operator = await former(model, GOOD)
  const body = await submitFully(jobFor(`${model}@sha256:${'a'.repeat(64)}`))
  expect(body.warnings).toEqual([expect.stringContaining('no connected opml operator serves')])
  const plain = await dispatcher.submit(jobFor(model))
  expect(await answerNext(operator)).toMatchObject({ jobId: plain })
  await dispatcher.until(plain, ({ state }) => state === 'completed')
  expect(await dispatcher.detail(body.result)).toMatchObject({ state: 'created' })
})

// Holds D144.
test('whoever states one file and answers from another is rejected, counted, and not asked for that pin again', async () => {
  const model = ownName()
  const operator = await connect({
    models: [model],
    identities: [{ model, type: 'opml', sha256: GOOD }],
    modelHash: OTHER,
  })
  const id = await dispatcher.submit(jobFor(`${model}@sha256:${'a'.repeat(64)}`))
  await answerNext(operator)
  expect(await operator.next('rejected')).toMatchObject({
    jobId: id,
    reason: `serves another file for ${model}: file ${OTHER}, not ${GOOD}`,
  })
  expect(await operatorEntry(operator)).toMatchObject({ other_files: 1 })
  expect(await dispatcher.results(id)).toEqual([])
  expect(await entriesOf(model)).toMatchObject([{ identities: [{ sha256: OTHER, operators: 1 }] }])
  const again = await submitFully(jobFor(`${model}@sha256:${'a'.repeat(64)}`))
  expect(again.warnings[0]).toContain(`connected operators serve sha256:${'b'.repeat(64)}`)
})

// Holds D143, D144.
test.each([
  ['another quantisation', { sha256: OTHER, modelRoot: hash('2') }, 'file .*; weights .*'],
  [
    'another template',
    { sha256: OTHER, modelRoot: hash('1'), templateHash: hash('4') },
    'file .*; chat template .*; the weights are the same',
  ],
  [
    'another token list',
    { sha256: OTHER, modelRoot: hash('1'), tokenListHash: hash('6') },
    'file .*; token list .*; the weights are the same',
  ],
])(
  '%s under a registered name is refused by name, and others are served',
  async (_, file, parts) => {
    const model = ownName()
    await setModel(dispatcher.sql, model, {
      sha256: GOOD,
      modelRoot: hash('1'),
      templateHash: hash('3'),
      tokenListHash: hash('5'),
    })
    const { sha256, ...more } = file
    const bad = await serving(model, sha256, more)
    const notice = await bad.next('notice')
    const reason = new RegExp(`^serves another file for ${model.replaceAll('/', '.')}: ${parts}$`)
    expect(notice.refused).toEqual([{ model, reason: expect.stringMatching(reason) }])
    expect(await operatorEntry(bad)).toMatchObject({
      models: [],
      refused: [{ model, reason: notice.refused[0]?.reason }],
    })
    const good = await serving(model, GOOD, { modelRoot: hash('1'), templateHash: hash('3') })
    const id = await dispatcher.submit(jobFor(model))
    await answerNext(good)
    await dispatcher.until(id, ({ state }) => state === 'completed')
    expect(bad.received.filter(({ type }) => type === 'dispatch')).toEqual([])
    expect(await entriesOf(model)).toMatchObject([
      { operators: 1, pinned: true, registered: { sha256: GOOD }, identities: [{ sha256: GOOD }] },
    ])
  },
)

test('a renamed model of a former release is found out by its answer, and gets no more jobs of that name', async () => {
  const model = ownFile()
  await setModel(dispatcher.sql, model, { sha256: GOOD })
  const cheat = await former(model, OTHER)
  const id = await dispatcher.submit(jobFor(model))
  await answerNext(cheat)
  expect((await cheat.next('rejected')).reason).toContain('serves another file')
  const honest = await former(model, GOOD)
  await waitFor(async () =>
    expect(honest.received.some(({ type }) => type === 'dispatch')).toBe(true),
  )
  await answerNext(honest)
  const detail = await dispatcher.until(id, ({ state }) => state === 'completed')
  expect(detail.draws).toMatchObject([{ operator: honest.address }])
  expect(await operatorEntry(cheat)).toMatchObject({ models: [], other_files: 1 })
  expect(cheat.received.filter(({ type }) => type === 'notice')).toEqual([])
})

test('an answer that was under way when the operator offered the right file does not take the name from it', async () => {
  const model = ownName()
  const operator = await serving(model, OTHER)
  await dispatcher.submit(jobFor(model))
  const before = await operator.next('dispatch')
  await setModel(dispatcher.sql, model, { sha256: GOOD })
  const offer: Extract<FromOperator, { type: 'heartbeat' }>['offer'] = {
    workers: ['opml'],
    models: [model],
    identities: [{ model, type: 'opml', sha256: GOOD }],
  }
  operator.send({ type: 'heartbeat', leases: [before.lease], offer })
  await waitFor(async () =>
    expect(await operatorEntry(operator)).toMatchObject({ models: [model], refused: [] }),
  )
  operator.send(await operator.answer(before))
  expect((await operator.next('rejected')).reason).toContain('serves another file')
  await waitFor(async () =>
    expect(await operatorEntry(operator)).toMatchObject({
      models: [model],
      refused: [],
      other_files: 1,
    }),
  )
})

test('a registration takes hold of operators that are connected already, and its removal gives them back', async () => {
  const model = ownName()
  const operator = await serving(model, OTHER)
  const hasJob = () => dispatcher.submit(jobFor(model))
  await hasJob()
  await answerNext(operator)
  await setModel(dispatcher.sql, model, { sha256: GOOD })
  expect(await operatorEntry(operator)).toMatchObject({ models: [], refused: [{ model }] })
  const body = await submitFully(jobFor(model))
  await removeModel(dispatcher.sql, model)
  expect(await operatorEntry(operator)).toMatchObject({ models: [model], refused: [] })
  await answerNext(operator)
  await dispatcher.until(body.result, ({ state }) => state === 'completed')
})

// Holds D144.
test('where k of n must agree, equal texts of different files do not', async () => {
  const model = ownName()
  await setAgreement(dispatcher.sql, 'test', { k: 2, n: 3 })
  try {
    const all = [
      await serving(model, GOOD),
      await serving(model, OTHER),
      await serving(model, hash('c')),
    ]
    const body = await submitFully(jobFor(model))
    expect(body.warnings).toEqual([expect.stringMatching(/different files .*: pin one/)])
    // Three rounds are all that the test's dispatcher tries.
    for (let round = 0; round < 3; round++) for (const each of all) await answerNext(each)
    const detail = await dispatcher.until(body.result, ({ state }) => state === 'failed')
    expect(detail.reason).toBe(
      'the operators gave different answers from 3 different model files: pin one',
    )
    const same = ownName()
    const two = [await serving(same, GOOD), await serving(same, GOOD)]
    const agreed = await dispatcher.submit(jobFor(same))
    for (const each of two) await answerNext(each)
    await dispatcher.until(agreed, ({ state }) => state === 'completed')
  } finally {
    await setAgreement(dispatcher.sql, 'test', undefined)
  }
})

// Holds D145.
test('what is not supported in a job is said, and a served job has nothing said about it', async () => {
  const model = ownName()
  await serving(model, GOOD)
  await waitFor(async () => expect(await submitFully(jobFor(model))).not.toHaveProperty('warnings'))
  const params = { best_of: 3, ['evil\u202e\n'.repeat(200)]: 1 }
  const { warnings } = await submitFully({ ...jobFor(model, params), colour: 'red' })
  expect(warnings).toEqual([
    '"params.best_of" is not supported and is ignored',
    expect.stringMatching(/^"params\.evil\ufffd\ufffd[^\n\u202e]{1,200}…" is not supported/u),
    '"colour" is not supported and is ignored',
  ])
  const many = Object.fromEntries(Array.from({ length: 500 }, (_, at) => [`key${at}`, at]))
  expect((await submitFully(jobFor(model, many))).warnings).toHaveLength(17)
})

test('each job of a batch has its own warnings', async () => {
  const model = ownName()
  await serving(model, GOOD)
  await waitFor(async () => expect(await submitFully(jobFor(model))).not.toHaveProperty('warnings'))
  const { project: from, token: verify } = dispatcher
  const jobs = [{ job: jobFor(model) }, { job: jobFor('nobody serves this') }, { job: 'x' }]
  const { body } = await dispatcher.post('/api/job/batch', { from, verify, jobs: jobs.slice(0, 2) })
  expect(body.result).toEqual([
    { code: 200, job_id: expect.any(String) },
    { code: 200, job_id: expect.any(String), warnings: [expect.stringContaining('no connected')] },
  ])
})

test('names that are no file names are not offered to nor taken from hostile offers', async () => {
  const operator = await serving(ownName(), GOOD)
  operator.send(
    JSON.stringify({
      type: 'heartbeat',
      leases: [],
      offer: { workers: ['opml'], models: [`x@sha256:${'a'.repeat(64)}`] },
    }),
  )
  expect(await operator.closed).toBe(4003)
})
