import { randomBytes } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from 'vitest'
import {
  startTestDispatcher,
  startTestPostgres,
  type TestDispatcher,
  type TestPostgres,
} from '../../../../test/support/dispatcher.ts'
import {
  connectOperator,
  type ScriptedOperator,
} from '../../../../test/support/scriptedOperator.ts'
import { setAgreement } from '../access/projects.ts'

let postgres: TestPostgres
let dispatcher: TestDispatcher

beforeAll(async () => {
  postgres = await startTestPostgres()
  dispatcher = await startTestDispatcher(postgres, 'review')
})

afterAll(async () => {
  await dispatcher.close()
  await postgres.stop()
})

const ownJob = () => ({ tag: 'opml', prompt: 'p', model: `${randomBytes(6).toString('hex')}.gguf` })

/** Answers one hand-out and returns it. */
async function answerNext(operator: ScriptedOperator, output = 'same') {
  const dispatch = await operator.next('dispatch')
  operator.send(await operator.answer(dispatch, output))
  await operator.next('recorded')
  return dispatch
}

// Holds D31, D60.
test('a tagged job has the ten before it verified again and the ten after it watched, of its user alone', async () => {
  const job = ownJob()
  const operator = await connectOperator(dispatcher, { models: [job.model], slots: 16 })
  const submit = (user: string, tag = '') => dispatcher.submit(job, { user, tag })
  const other = await submit('other')
  await answerNext(operator)
  const before: string[] = []
  for (let i = 0; i < 11; i++) {
    before.push(await submit('watched'))
    await answerNext(operator)
  }
  const tagged = await submit('watched', 'malicious')
  const handouts = []
  for (let i = 0; i < 11; i++) handouts.push(await answerNext(operator))
  const again = handouts.filter(({ position }) => position === 'before')
  expect(new Set(again.map(({ jobId }) => jobId))).toEqual(new Set(before.slice(1)))
  expect(handouts.find(({ jobId }) => jobId === tagged)).toMatchObject({ position: 'after' })
  for (const { tag } of handouts) expect(tag).toBe('malicious')

  for (const id of before.slice(1)) {
    expect(await dispatcher.detail(id)).toMatchObject({
      state: 'completed',
      tag: '',
      effective_tag: 'malicious',
    })
    const results = await dispatcher.results(id)
    expect(results.map((record: { id: string }) => record.id)).toEqual([
      `_${id}_`,
      `_${id}_malicious`,
    ])
  }
  for (const id of [other, before[0] ?? '']) expect(await dispatcher.results(id)).toHaveLength(1)

  const positions: string[] = []
  for (let i = 0; i < 11; i++) {
    await submit('watched')
    positions.push((await answerNext(operator)).position)
  }
  expect(positions).toEqual([...Array<string>(10).fill('after'), ''])
  await submit('other')
  expect((await answerNext(operator)).position).toBe('')
  operator.socket.close()
})

test('a review that nobody finishes leaves the job completed with its first result', async () => {
  const job = ownJob()
  const operator = await connectOperator(dispatcher, { models: [job.model] })
  const id = await dispatcher.submit(job, { user: 'left' })
  await answerNext(operator)
  operator.socket.close()
  await operator.closed
  await dispatcher.submit(job, { user: 'left', tag: 'suspicion', deadline: 1 })
  expect(await dispatcher.detail(id)).toMatchObject({
    state: 'dispatched',
    effective_tag: 'suspicion',
  })
  await dispatcher.until(id, ({ state }) => state === 'completed')
  expect(await dispatcher.results(id)).toHaveLength(1)
})

test('k of n operators that agree complete a job, and no more than n are asked', async () => {
  await setAgreement(dispatcher.sql, 'test', { k: 2, n: 3 })
  try {
    const job = ownJob()
    const operators = [await connectOperator(dispatcher, { models: [job.model] })]
    const id = await dispatcher.submit(job)
    await expect.poll(async () => (await dispatcher.detail(id)).state).toBe('created')
    for (let i = 0; i < 3; i++)
      operators.push(await connectOperator(dispatcher, { models: [job.model] }))
    await dispatcher.until(id, ({ state }) => state === 'dispatched')
    const isAsked = (): ScriptedOperator[] =>
      operators.filter(({ received }) => received.some(({ type }) => type === 'dispatch'))
    await expect.poll(() => isAsked().length >= 2).toBe(true)
    for (const operator of isAsked().slice(0, 2)) await answerNext(operator)
    expect(await dispatcher.detail(id)).toMatchObject({ state: 'completed' })
    expect(isAsked().length).toBeLessThanOrEqual(3)
    for (const { socket } of operators) socket.close()
  } finally {
    await setAgreement(dispatcher.sql, 'test', undefined)
  }
})

// Holds D106.
test('fewer equal answers than required by the deadline are no agreement, and are still shown', async () => {
  await setAgreement(dispatcher.sql, 'test', { k: 2, n: 2 })
  try {
    const job = ownJob()
    const operators = [
      await connectOperator(dispatcher, { models: [job.model] }),
      await connectOperator(dispatcher, { models: [job.model] }),
    ]
    const id = await dispatcher.submit(job, { deadline: 3 })
    const [first, second] = operators
    if (first === undefined || second === undefined) throw new Error('no operators')
    await answerNext(first)
    expect(await dispatcher.until(id, ({ state }) => state !== 'dispatched')).toMatchObject({
      state: 'expired',
      reason: '1 of 2 equal answers came before the deadline',
    })
    expect(await dispatcher.results(id)).toHaveLength(1)
    for (const { socket } of operators) socket.close()
  } finally {
    await setAgreement(dispatcher.sql, 'test', undefined)
  }
})

test('operators that disagree are asked again, and the job fails when they never agree', async () => {
  await setAgreement(dispatcher.sql, 'test', { k: 2, n: 2 })
  try {
    const job = ownJob()
    const operators = [
      await connectOperator(dispatcher, { models: [job.model] }),
      await connectOperator(dispatcher, { models: [job.model] }),
    ]
    const id = await dispatcher.submit(job)
    for (let round = 0; round < dispatcher.options.maxAttempts; round++)
      for (const [at, operator] of operators.entries()) await answerNext(operator, `answer ${at}`)
    expect(await dispatcher.until(id, ({ state }) => state === 'failed')).toMatchObject({
      reason: 'the operators gave different answers',
    })
    for (const { socket } of operators) socket.close()
  } finally {
    await setAgreement(dispatcher.sql, 'test', undefined)
  }
})
