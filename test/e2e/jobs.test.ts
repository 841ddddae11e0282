import { expect, inject, test } from 'vitest'
import { hasLlamaRuntime } from '../../src/inference/llamaRuntime.ts'
import { eventually, post } from '../support/assay.ts'

const up = inject('up')
const submitUrl = `${up.dispatcher}/api/job/submit`
const hasModelRuntime = hasLlamaRuntime()

function submission(overrides: Record<string, unknown> = {}, job: Record<string, unknown> = {}) {
  return {
    from: up.project,
    tag: 'suspicion',
    user: 'user-1',
    job: {
      tag: 'opml',
      prompt: 'What is AI?',
      model: 'tiny.gguf',
      params: { temperature: 0, top_p: 1, max_tokens: 16 },
      ...job,
    },
    verify: up.token,
    ...overrides,
  }
}

type Record_ = {
  id: string
  job_id: string
  operator: string
  result: string
  verify_id: string
  vrf: Record<string, unknown>
  clock: Record<string, string>
  signature: string
  job_type: string
  tag: string
  created_at: string
}

async function resultsOf(jobId: string): Promise<Record_[]> {
  return eventually(async () => {
    const answer = await post(`${up.dispatcher}/api/job/result`, { job_id: jobId })
    expect(answer.status).toBe(200)
    const rows = answer.body.result as Record_[]
    return rows.length > 0 ? rows : undefined
  })
}

test.runIf(hasModelRuntime).each(['opml', 'tee'])(
  'a job of type %s comes back signed, drawn and clocked',
  async (tag) => {
    const submitted = await post(submitUrl, submission({}, { tag }))
    expect(submitted.body.code).toBe(200)
    const jobId = submitted.body.result as string
    expect(jobId).toMatch(/^[0-9a-f]{64}$/)

    const [row] = await resultsOf(jobId)
    expect(Object.keys(row!).sort()).toEqual([
      'clock',
      'created_at',
      'id',
      'job_id',
      'job_type',
      'operator',
      'result',
      'signature',
      'tag',
      'verify_id',
      'vrf',
    ])
    expect(row).toMatchObject({
      id: `_${jobId}_suspicion`,
      job_id: jobId,
      job_type: tag,
      tag: 'suspicion',
    })
    expect(row!.operator).toMatch(/^0x[0-9a-fA-F]{40}$/)
    expect(row!.signature).toMatch(/^0x[0-9a-f]{130}$/)
    expect(row!.result.length).toBeGreaterThan(0)
    expect(row!.verify_id).not.toBe('')
    expect(row!.created_at).toMatch(/^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d$/)
    expect(row!.vrf).toMatchObject({ selected: true })
    for (const key of ['vrf_prompt_hash', 'vrf_random_value', 'vrf_verify_pubkey', 'vrf_proof'])
      expect(row!.vrf[key]).toMatch(/^(?:0x)?[0-9a-f]+$/)
    expect(Object.values(row!.clock).every((value) => /^\d+$/.test(value))).toBe(true)
    expect(Object.keys(row!.clock).length).toBeGreaterThan(1)

    const detail = await post(`${up.dispatcher}/api/job/detail`, { job_id: jobId })
    expect(detail.body.result).toMatchObject({
      id: jobId,
      user: 'user-1',
      status: 'dispatched',
      state: 'completed',
      tag: 'suspicion',
      job_type: tag,
      job: {
        tag,
        prompt: 'What is AI?',
        model: 'tiny.gguf',
        params: { temperature: 0, top_p: 1, max_tokens: 16 },
      },
    })
  },
)

test.runIf(hasModelRuntime)('the same opml job gives the same text again', async () => {
  const texts: string[] = []
  for (let i = 0; i < 2; i++) {
    // Another user: the jobs after a suspicion are reviewed, too (D31).
    const { body } = await post(submitUrl, submission({ tag: '', user: 'user-2' }))
    const [row] = await resultsOf(body.result as string)
    expect(row!.id).toBe(`_${row!.job_id}_`)
    texts.push(row!.result)
  }
  expect(texts[0]).toBe(texts[1])
})

test('a wrong token, an unknown project and a missing token are refused alike, and nothing is stored', async () => {
  for (const overrides of [{ verify: 'nope' }, { from: 'nobody' }]) {
    const answer = await post(submitUrl, submission(overrides))
    expect([answer.status, answer.body.code]).toEqual([401, 401])
  }
  const { verify: _, ...withoutToken } = submission()
  expect((await post(submitUrl, withoutToken)).status).toBeGreaterThanOrEqual(400)
})

test.each([
  ['an unknown job type', submission({}, { tag: 'zkml' })],
  ['an unknown review tag', submission({ tag: 'angry' })],
  ['a prompt that is a number', submission({}, { prompt: 7 })],
  ['a model name with a control character', submission({}, { model: 'a\u0000b' })],
  ['a malformed pin', submission({}, { model: 'tiny.gguf@sha256:1234' })],
  ['no job', submission({ job: undefined })],
  ['malformed JSON', '{"from": '],
])('%s is a 400 with the documented body', async (_, body) => {
  const answer = await post(submitUrl, body)
  expect(answer.status).toBe(400)
  expect(answer.body).toMatchObject({
    code: 400,
    message: expect.any(String),
    error: expect.any(String),
  })
  expect(answer.body).not.toHaveProperty('result')
})

test('an oversize body is a 413, an unknown job a 404', async () => {
  const large = await post(submitUrl, submission({}, { prompt: 'x'.repeat(2_000_000) }))
  expect(large.status).toBe(413)
  const job_id = '0'.repeat(64)
  expect((await post(`${up.dispatcher}/api/job/result`, { job_id })).status).toBe(404)
  expect((await post(`${up.dispatcher}/api/job/detail`, { job_id })).status).toBe(404)
})

test.runIf(hasModelRuntime)('a prompt with U+0000 is run like any other', async () => {
  const { status, body } = await post(submitUrl, submission({}, { prompt: 'a\u0000b' }))
  expect(status).toBe(200)
  expect((await resultsOf(body.result as string))[0]!.result.length).toBeGreaterThan(0)
})

test('a job for a model that nobody serves is accepted and waits', async () => {
  const { body } = await post(submitUrl, submission({}, { model: 'llama-2-7b-chat.Q4_0.gguf' }))
  expect(body.code).toBe(200)
  const detail = await post(`${up.dispatcher}/api/job/detail`, { job_id: body.result })
  expect(detail.body.result).toMatchObject({ status: 'created', state: 'created' })
  const result = await post(`${up.dispatcher}/api/job/result`, { job_id: body.result })
  expect(result.body).toEqual({ code: 200, result: [] })
})
