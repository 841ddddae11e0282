/** One question from the terminal: the answer, and what proves it. */
import { expect, inject, test } from 'vitest'
import { openClient } from '../../src/cli/job/client.ts'
import { submissionOf } from '../../src/cli/run/ask.ts'
import { verdictOn } from '../../src/cli/run/verdict.ts'
import { post, runAssay } from '../support/assay.ts'

const up = inject('up')
const home = inject('home')
const question = ['tiny.gguf', 'What is AI?', '--max-tokens', '8'] as const

test('assay run prints the answer of a model, and that it is verified', async () => {
  const { code, output } = await runAssay(['run', ...question, '--home', home])
  expect(code).toBe(0)
  const [, id = ''] =
    /^Verified: signed.* assay job verify ([0-9a-f]{64}) shows every check\.$/m.exec(output) ?? []
  const { body } = await post(`${up.dispatcher}/api/job/result`, { job_id: id })
  const [answer] = body.result as { result: string }[]
  expect(output).toContain(`${answer?.result}\n`)

  const asked = {
    model: 'tiny.gguf',
    prompt: 'What is AI?',
    temperature: 0,
    maxTokens: 8,
    raw: false,
  }
  const known = {
    jobId: id,
    submission: submissionOf(asked, up.project),
    modelSha256: undefined,
    dispatcher: up.dispatcherAddress,
    text: answer?.result ?? '',
  }
  const verdict = (change: object) => verdictOn(openClient({ home }), { ...known, ...change })
  expect(await verdict({})).toMatchObject({ verdict: 'holds' })
  for (const change of [
    { text: 'another text' },
    { submission: submissionOf({ ...asked, prompt: 'another' }, up.project) },
    { modelSha256: '0'.repeat(64) },
    { submission: submissionOf({ ...asked, model: 'other.gguf' }, up.project) },
  ])
    expect(await verdict(change)).toMatchObject({ verdict: 'fails' })
})

test('what leads to no trusted dispatcher is not called verified', async () => {
  const other = await runAssay([
    'run',
    ...question,
    '--home',
    home,
    '--dispatcher-address',
    `0x${'12'.repeat(20)}`,
  ])
  expect(other.code).toBe(1)
  expect(other.output).toMatch(/^NOT PROVEN: /m)
  const environment = { ASSAY_PROJECT: up.project, ASSAY_PROJECT_TOKEN: up.token }
  const unnamed = await runAssay(['run', ...question, '--dispatcher', up.dispatcher], environment)
  expect(unnamed.code).toBe(3)
  expect(unnamed.output).toMatch(/^Not verified: pass --dispatcher-address/m)
})

test('a model that nobody serves is an error that says how to have it', async () => {
  const { code, output } = await runAssay(['run', 'smollm2', 'What is AI?', '--home', home])
  expect(code).toBe(1)
  expect(output).toContain('no operator serves smollm2')
  expect(output).toContain('Fetch it: assay model get smollm2. Served: tiny.gguf.')
})

test('a raw prompt is read as it is, and a refusal of the dispatcher is told', async () => {
  const raw = await runAssay(['run', ...question, '--raw', '--home', home])
  expect(raw.output).toMatch(/^Verified: signed/m)
  const hot = await runAssay(['run', ...question, '--temperature', '9', '--home', home])
  expect(hot).toMatchObject({ code: 1, output: expect.stringContaining('temperature') as string })
})
