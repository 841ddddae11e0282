import { expect, test } from 'vitest'
import { paramsOf, promptOf, submittedJob } from './schemas.ts'

const JOB = { tag: 'opml', prompt: '', model: 'tiny.gguf' }

// Holds D42.
test('a job without parameters gets the likeliest tokens, and at most 128 of them', () => {
  const defaults = { temperature: 0, top_p: 1, max_tokens: 128 }
  expect(paramsOf(submittedJob.parse(JOB))).toEqual(defaults)
  const params = { max_tokens: 5 }
  expect(paramsOf(submittedJob.parse({ ...JOB, params }))).toEqual({ ...defaults, ...params })
})

// Holds D136, D137.
test('a conversation takes the place of the prompt, and its parameters say so', () => {
  const { prompt: _, ...rest } = JOB
  const messages = [{ role: 'user', content: 'What is AI?' }]
  const job = submittedJob.parse({
    ...rest,
    messages,
    params: { stop: 'END', seed: 3, stream: true },
  })
  expect(promptOf(job)).toBe('[{"content":"What is AI?","role":"user"}]')
  expect(paramsOf(job)).toMatchObject({ messages: true, stop: ['END'], seed: 3 })
  expect(paramsOf(job)).not.toHaveProperty('stream')
  expect(submittedJob.safeParse({ ...JOB, messages }).error?.issues[0]?.path).toEqual(['messages'])
  expect(submittedJob.safeParse(rest).error?.issues[0]?.path).toEqual(['prompt'])
  const raw = submittedJob.safeParse({ ...rest, messages, params: { raw: true } })
  expect(raw.error?.issues[0]?.message).toMatch(/run as it is/)
})

test.each([[['']], [[]], [['a', 'b', 'c', 'd', 'e']], [['x'.repeat(257)]], ['']])(
  'stop texts %j are refused',
  (stop) => {
    expect(submittedJob.safeParse({ ...JOB, params: { stop } }).success).toBe(false)
  },
)
