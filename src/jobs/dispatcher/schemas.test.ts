import { expect, test } from 'vitest'
import { paramsOf, submittedJob } from './schemas.ts'

const JOB = { tag: 'opml', prompt: '', model: 'tiny.gguf' }

// Holds D42.
test('a job without parameters gets the likeliest tokens, and at most 128 of them', () => {
  const defaults = { temperature: 0, top_p: 1, max_tokens: 128 }
  expect(paramsOf(submittedJob.parse(JOB))).toEqual(defaults)
  const params = { max_tokens: 5 }
  expect(paramsOf(submittedJob.parse({ ...JOB, params }))).toEqual({ ...defaults, ...params })
})
