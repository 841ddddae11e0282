/** Values that the OpenAPI document shows as examples; a test holds each to its schema. */

export const EXAMPLE_ID = '5f3e0a4b'.repeat(8)
export const EXAMPLE_OPERATOR = '0x70997970c51812dc3a010c7d01b50e0d17dc79c8'

export const EXAMPLE_JOB = {
  tag: 'opml' as const,
  prompt: 'What is the capital of France?',
  model: 'tiny.gguf',
  params: { temperature: 0, max_tokens: 16 },
}

export const EXAMPLE_CHAT = {
  model: EXAMPLE_JOB.model,
  messages: [{ role: 'user', content: EXAMPLE_JOB.prompt }],
  stream: true,
}

const TIME = '2026-11-22 12:00:00'
const CLOCK = { dispatcher: '7', [EXAMPLE_OPERATOR]: '3' }
const DRAW = {
  selected: true,
  vrf_prompt_hash: '1b'.repeat(32),
  vrf_random_value: '2c'.repeat(32),
  vrf_verify_pubkey: `02${'3d'.repeat(32)}`,
  vrf_proof: '4e'.repeat(81),
}

export const EXAMPLE_RESULT = {
  id: `_${EXAMPLE_ID}_`,
  job_id: EXAMPLE_ID,
  operator: EXAMPLE_OPERATOR,
  result: 'Paris.',
  verify_id: '9a'.repeat(32),
  vrf: DRAW,
  clock: CLOCK,
  signature: `0x${'6b'.repeat(65)}`,
  job_type: 'opml' as const,
  tag: '' as const,
  created_at: TIME,
}

export const EXAMPLE_DETAIL = {
  id: EXAMPLE_ID,
  job: EXAMPLE_JOB,
  user: 'user-1',
  job_type: 'opml' as const,
  status: 'dispatched' as const,
  tag: '' as const,
  effective_tag: '' as const,
  clock: CLOCK,
  created_at: TIME,
  state: 'completed' as const,
  reason: '',
  draws: [{ ...DRAW, operator: EXAMPLE_OPERATOR, round: 0, created_at: TIME }],
}

export const EXAMPLE_DEAD_LETTER = {
  job_id: EXAMPLE_ID,
  state: 'failed' as const,
  reason: 'no memory',
  job_type: 'opml' as const,
  model: 'tiny.gguf',
  failures: 1,
  finished_at: TIME,
}

export const EXAMPLE_ERROR = {
  code: 404,
  message: 'there is no such job',
  error: 'not_found',
  request_id: '0b1c2d3e-4f50-4617-8293-a4b5c6d7e8f9',
}

export const EXAMPLE_SERVING_OPERATOR = {
  operator: EXAMPLE_OPERATOR,
  workers: ['opml'],
  models: ['tiny.gguf'],
  refused: [],
  other_files: 0,
  slots: 4,
  busy: 1,
  range: { start: 0, end: 600_000, max: 600_000 },
}

export const EXAMPLE_SERVED_MODEL = {
  model: 'tiny.gguf',
  job_type: 'opml' as const,
  operators: 1,
  slots: 4,
  pinned: true,
  registered: { sha256: `0x${'7c'.repeat(32)}` },
  identities: [{ sha256: `0x${'7c'.repeat(32)}`, operators: 1 }],
}

export const EXAMPLE_LISTED_JOB = {
  job_id: EXAMPLE_ID,
  state: 'completed' as const,
  reason: '',
  job_type: 'opml' as const,
  model: 'tiny.gguf',
  user: 'user-1',
  tag: '' as const,
  effective_tag: '' as const,
  priority: 0,
  created_at: TIME,
  finished_at: TIME,
}
