import OpenAI from 'openai'
import { afterAll, beforeAll, expect, test } from 'vitest'
import {
  errorOf,
  MESSAGES,
  only,
  startOpenAiRig,
  type OpenAiRig,
} from '../../../../test/support/openAiRig.ts'
import type { ScriptedOperator } from '../../../../test/support/scriptedOperator.ts'
import { promptHash } from '../../../proof/job/hashes.ts'
import { createProject, setLimits } from '../access/projects.ts'

let rig: OpenAiRig
let client: OpenAI

beforeAll(async () => {
  rig = await startOpenAiRig('openai')
  ;({ client } = rig)
})

afterAll(() => rig.stop())

// Holds D63, D139.
test('a chat is a job whose answer comes with what proves it', async () => {
  await rig.withOperators(1, async (model, operators) => {
    const asked = client.chat.completions.create({ model, messages: MESSAGES }).withResponse()
    const dispatch = await only(operators).next('dispatch')
    expect(dispatch.job).toEqual({
      tag: 'opml',
      model,
      prompt: '[{"content":"What is AI?","role":"user"}]',
      params: { temperature: 1, top_p: 1, max_tokens: 1_048_576, messages: true },
    })
    expect(dispatch.stream).toBeUndefined()
    only(operators).send(await only(operators).answer(dispatch, 'A field.'))
    const { data, response } = await asked
    expect(data).toMatchObject({
      id: `chatcmpl-${dispatch.jobId}`,
      object: 'chat.completion',
      model,
      choices: [
        { index: 0, message: { role: 'assistant', content: 'A field.' }, finish_reason: 'stop' },
      ],
      usage: { prompt_tokens: 4, completion_tokens: 3, total_tokens: 7 },
      assay: {
        provisional: false,
        job_id: dispatch.jobId,
        operator: only(operators).address,
        evidence: 'none',
        statement: { promptHash: promptHash(dispatch.job.prompt) },
        warnings: [],
      },
    })
    expect(response.headers.get('x-assay-job')).toBe(dispatch.jobId)
    const path = response.headers.get('x-assay-receipt') ?? ''
    const bundle = await fetch(`http://${rig.dispatcher.httpAddress}${path}`)
    const { result } = (await bundle.json()) as { result: { answers: { receipt: object }[] } }
    const { assay } = data as unknown as { assay: { receipt: object; verify_id: string } }
    expect(assay.receipt).toEqual(result.answers[0]?.receipt)
    expect(response.headers.get('x-assay-verify-id')).toBe(assay.verify_id)
  })
})

test('a job that fails is an error with its reason, in the form that clients expect', async () => {
  await rig.withOperators(1, async (model, operators) => {
    for (const stream of [false, true]) {
      const asked = client.chat.completions.create({ model, messages: MESSAGES, stream })
      const failed = errorOf(asked)
      const { jobId, lease } = await only(operators).next('dispatch')
      const reason = 'the prompt is too long'
      only(operators).send({ type: 'refused', jobId, lease, reason, retry: false })
      expect(await failed).toMatchObject({
        status: 502,
        code: 'job_failed',
        type: 'server_error',
        message: '502 the prompt is too long',
      })
    }
  })
})

test('a completion continues the prompt as it is', async () => {
  await rig.withOperators(1, async (model, operators) => {
    const operator = only(operators)
    const asked = client.completions.create({ model, prompt: 'AI is', stop: ['.'], seed: 7 })
    const dispatch = await operator.next('dispatch')
    expect(dispatch.job).toMatchObject({
      prompt: 'AI is',
      params: { temperature: 1, max_tokens: 16, raw: true, stop: ['.'], seed: 7 },
    })
    operator.send(await operator.answer(dispatch, ' a field'))
    expect(await asked).toMatchObject({
      object: 'text_completion',
      choices: [{ text: ' a field', finish_reason: 'stop' }],
    })
  })
})

test('an operator of a former release is not handed what it would leave out', async () => {
  await rig.withOperators(
    1,
    async (model, operators) => {
      const asked = client.chat.completions.create({
        model,
        messages: MESSAGES,
        assay: { deadline: 2 },
      } as OpenAI.ChatCompletionCreateParamsNonStreaming)
      await expect(asked).rejects.toMatchObject({ status: 504, code: 'job_expired' })
      expect(only(operators).received.map(({ type }) => type)).not.toContain('dispatch')
    },
    { isOfFormerRelease: true },
  )
})

test('models are listed once, each can be asked for, and what nobody serves is 404', async () => {
  await rig.withOperators(2, async (model) => {
    const { data } = await client.models.list()
    expect(data.filter(({ id }) => id === model)).toMatchObject([{ object: 'model' }])
    expect(await client.models.retrieve(model)).toMatchObject({ id: model, assay: { slots: 8 } })
  })
  const unknown = { status: 404, code: 'model_not_found', param: 'model' }
  await expect(client.models.retrieve('no.gguf')).rejects.toMatchObject(unknown)
  const asked = client.chat.completions.create({ model: 'no.gguf', messages: MESSAGES })
  await expect(asked).rejects.toMatchObject(unknown)
})

test.each([
  ['tools', [{ type: 'function', function: { name: 'f' } }]],
  ['n', 2],
  ['logprobs', true],
  ['top_logprobs', 3],
  ['response_format', { type: 'json_object' }],
  ['logit_bias', { 5: 1 }],
  ['presence_penalty', 0.5],
  ['frequency_penalty', 0.5],
  ['modalities', ['text', 'audio']],
])('what cannot be done is refused by name: %s', async (param, value) => {
  await rig.withOperators(1, async (model) => {
    const body = { model, messages: MESSAGES, [param]: value }
    await expect(
      client.chat.completions.create(body as OpenAI.ChatCompletionCreateParamsNonStreaming),
    ).rejects.toMatchObject({ status: 400, code: 'unsupported_parameter', param })
  })
})

test('images and messages of tools are refused by name', async () => {
  const image = { type: 'image_url', image_url: { url: 'data:' } }
  for (const [messages, param] of [
    [[{ role: 'user', content: [{ type: 'text', text: 'x' }, image] }], 'messages.0.content.1'],
    [[{ role: 'tool', tool_call_id: '1', content: 'x' }], 'messages.0.role'],
    [[{ role: 'assistant', content: null, tool_calls: [{}] }], 'messages.0.tool_calls'],
  ] as const)
    await expect(
      client.chat.completions.create({ model: 'x', messages } as never),
    ).rejects.toMatchObject({ status: 400, code: 'unsupported_value', param })
})

test('members without effect pass, and others are answered with a warning', async () => {
  await rig.withOperators(1, async (model, operators) => {
    const more = {
      top_k: 5,
      n: 1,
      tools: [],
      metadata: {},
      store: false,
      presence_penalty: 0,
      logprobs: null,
    }
    const asked = client.chat.completions.create({
      model,
      messages: [{ role: 'developer', content: [{ type: 'text', text: 'Be brief.' }] }],
      ...more,
    } as OpenAI.ChatCompletionCreateParamsNonStreaming)
    const dispatch = await only(operators).next('dispatch')
    expect(dispatch.job.prompt).toBe('[{"content":"Be brief.","role":"system"}]')
    only(operators).send(await only(operators).answer(dispatch, 'Yes.'))
    expect(await asked).toMatchObject({
      assay: { warnings: ['top_k is not supported and was ignored'] },
    })
  })
})

test('errors have one form everywhere below /v1', async () => {
  const wrong = new OpenAI({ apiKey: 'wrong', baseURL: client.baseURL, maxRetries: 0 })
  await expect(wrong.models.list()).rejects.toMatchObject({ status: 401, code: 'invalid_api_key' })
  await expect(client.embeddings.create({ model: 'x', input: 'x' })).rejects.toMatchObject({
    status: 404,
    code: 'unsupported_endpoint',
  })
  await expect(client.responses.create({ model: 'x', input: 'x' })).rejects.toMatchObject({
    status: 404,
    code: 'not_found',
  })
  for (const [body, param] of [
    [{ model: 'x', messages: [] }, 'messages'],
    [{ model: 'x', messages: MESSAGES, temperature: 3 }, 'temperature'],
    [{ model: 'x', messages: MESSAGES, assay: { type: 'zk' } }, 'assay.type'],
    [{ model: 'x', messages: MESSAGES, assay: { kind: 'tee' } }, 'assay'],
    [{ model: 'a\0b', messages: MESSAGES }, 'model'],
    [{ model: 'x', messages: MESSAGES, stop: ['a', 'b', 'c', 'd', 'e'] }, 'stop'],
  ] as const)
    await expect(client.chat.completions.create(body as never)).rejects.toMatchObject({
      status: 400,
      type: 'invalid_request_error',
      param,
    })
  const reply = await fetch(`${client.baseURL}/chat/completions`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      authorization: `Bearer ${rig.dispatcher.token}`,
    },
    body: '{',
  })
  expect(await reply.json()).toMatchObject({ error: { type: 'invalid_request_error' } })
})

// Holds D141.
test('where two of two must agree, the answer waits until both have, and is what they agree on', async () => {
  await rig.withOperators(2, async (model, operators) => {
    const [one, other] = operators as [ScriptedOperator, ScriptedOperator]
    const asked = client.chat.completions.create({
      model,
      messages: MESSAGES,
      assay: { agree: { k: 2, n: 2 } },
    } as OpenAI.ChatCompletionCreateParamsNonStreaming)
    one.send(await one.answer(await one.next('dispatch'), 'One.'))
    other.send(await other.answer(await other.next('dispatch'), 'Two.'))
    for (const operator of operators)
      operator.send(await operator.answer(await operator.next('dispatch'), 'Both.'))
    expect((await asked).choices[0]?.message.content).toBe('Both.')
  })
})

test('what a project may not submit now is 429 with a time to wait', async () => {
  const { project, token } = await createProject(rig.dispatcher.sql, { name: 'limited' })
  await setLimits(rig.dispatcher.sql, project, { jobsPerMinute: 1 })
  await rig.withOperators(1, async (model, operators) => {
    const limited = new OpenAI({ apiKey: token, baseURL: client.baseURL, maxRetries: 0 })
    const first = limited.completions.create({ model, prompt: 'x' })
    only(operators).send(await only(operators).answer(await only(operators).next('dispatch')))
    await first
    const second = limited.completions.create({ model, prompt: 'x', stream: true })
    const error = (await errorOf(second)) as InstanceType<typeof OpenAI.RateLimitError>
    expect(error).toBeInstanceOf(OpenAI.RateLimitError)
    expect(error).toMatchObject({ code: 'rate_limit_exceeded', type: 'rate_limit_error' })
    expect(error.headers.get('retry-after')).toBe('60')
  })
})
