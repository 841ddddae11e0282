import { randomBytes } from 'node:crypto'
import OpenAI from 'openai'
import { afterAll, beforeAll, expect, test } from 'vitest'
import {
  startTestDispatcher,
  startTestPostgres,
  type TestDispatcher,
  type TestPostgres,
} from '../../test/support/dispatcher.ts'
import { connectOperator, type ScriptedOperator } from '../../test/support/scriptedOperator.ts'
import { createVerifyingFetch, type Confirmation, type VerifyingOptions } from './openai.ts'

let postgres: TestPostgres
let dispatcher: TestDispatcher
let operator: ScriptedOperator
const model = `${randomBytes(6).toString('hex')}.gguf`

beforeAll(async () => {
  postgres = await startTestPostgres()
  dispatcher = await startTestDispatcher(postgres, 'verified', { openReads: false })
  operator = await connectOperator(dispatcher, { models: [model] })
})
afterAll(async () => {
  operator.socket.close()
  await dispatcher.close()
  await postgres.stop()
})

const MESSAGES = [{ role: 'user' as const, content: 'What is AI?' }]

/** Changes what a server answers to completions; bundles pass. */
function tampering(change: (text: string) => string): typeof fetch {
  return async (input, init) => {
    const request = new Request(input, init)
    const response = await fetch(request)
    if (!request.url.includes('/v1/')) return response
    const headers = new Headers(response.headers)
    headers.delete('content-length')
    return new Response(change(await response.text()), { status: response.status, headers })
  }
}

function clientOf(options: Partial<VerifyingOptions> = {}): {
  readonly client: OpenAI
  readonly found: Confirmation[]
} {
  const found: Confirmation[] = []
  const client = new OpenAI({
    apiKey: dispatcher.token,
    baseURL: `http://${dispatcher.httpAddress}/v1`,
    fetch: createVerifyingFetch({
      trust: { dispatcher: dispatcher.dispatcherAddress },
      onConfirmation: (each) => void found.push(each),
      ...options,
    }),
  })
  return { client, found }
}

/** The operator answers the next hand-out. */
async function answerNext(text = 'All of it.'): Promise<void> {
  operator.send(await operator.answer(await operator.next('dispatch'), text))
}

async function ask(client: OpenAI, more: object = {}): Promise<string | null | undefined> {
  const [{ choices }] = await Promise.all([
    client.chat.completions.create({ model, messages: MESSAGES, ...more }),
    answerNext(),
  ])
  return choices[0]?.message.content
}

/** All text of a stream, and the error that ended it. */
async function askStream(
  client: OpenAI,
): Promise<{ readonly text: string; readonly error: unknown; readonly chunks: number }> {
  let text = ''
  let chunks = 0
  try {
    const [stream] = await Promise.all([
      client.chat.completions.create({ model, messages: MESSAGES, stream: true }),
      answerNext(),
    ])
    for await (const { choices } of stream) {
      chunks++
      text += choices[0]?.delta.content ?? ''
    }
    return { text, error: undefined, chunks }
  } catch (error) {
    return { text, error, chunks }
  }
}

// Holds D151.
test('an unmodified client gets an answer that verified, and what was found', async () => {
  const { client, found } = clientOf()
  expect(await ask(client)).toBe('All of it.')
  expect(found).toMatchObject([{ verdict: 'holds', facts: [['signed']] }])
  expect(found[0]?.bundle?.jobId).toBe(found[0]?.jobId)
  const [{ response }] = await Promise.all([
    client.chat.completions.create({ model, messages: MESSAGES }).withResponse(),
    answerNext(),
  ])
  expect(response.headers.get('x-assay-facts')).toBe('signed')
})

test('stop texts, a seed, limits and prompts of other forms are those of the statement', async () => {
  const { client } = clientOf()
  const params = {
    stop: ['\n', 'end'],
    seed: -7,
    max_completion_tokens: 5,
    temperature: 0.25,
    top_p: 0.5,
  }
  expect(await ask(client, params)).toBe('All of it.')
  expect(await ask(client, { stop: 'end', max_tokens: 9 })).toBe('All of it.')
  const messages = [
    { role: 'developer' as const, content: 'Be brief.' },
    {
      role: 'user' as const,
      content: [
        { type: 'text' as const, text: 'Hi ' },
        { type: 'text' as const, text: 'there' },
      ],
    },
  ]
  expect(await ask(client, { messages })).toBe('All of it.')
  const [{ choices }] = await Promise.all([
    client.completions.create({ model, prompt: 'Once' }),
    answerNext(),
  ])
  expect(choices[0]?.text).toBe('All of it.')
})

test('a text that was changed on its way is not given', async () => {
  const { client, found } = clientOf({
    fetch: tampering((text) => text.replace('All of it.', 'None of it.')),
  })
  const asked = ask(client)
  await expect(asked).rejects.toMatchObject({ status: 422, code: 'unverified_answer' })
  await expect(asked).rejects.toThrow('the text is not an output that the bundle proves')
  // A refusal is not tried again: that would be another job.
  expect(found).toHaveLength(1)
})

test('another dispatcher, another request and another model are named', async () => {
  const trust = { dispatcher: `0x${'1'.repeat(40)}` }
  await expect(ask(clientOf({ trust }).client)).rejects.toThrow('is not the one you trust')
  const swapped = (change: (body: string) => string): typeof fetch => {
    return async (input, init) => {
      const request = new Request(input, init)
      if (!request.url.includes('/v1/')) return fetch(request)
      const { url, method, headers } = request
      return fetch(url, { method, headers, body: change(await request.text()) })
    }
  }
  const other = clientOf({ fetch: swapped((body) => body.replace('What is AI?', 'What is tea?')) })
  await expect(ask(other.client)).rejects.toThrow('the prompt is not that of your request')
  const warmer = clientOf({ fetch: swapped((body) => body.replace('"seed":1', '"seed":2')) })
  await expect(ask(warmer.client, { seed: 1 })).rejects.toThrow('the parameters are not those')
  const hash = `${model}@sha256:${'0'.repeat(64)}`
  const pinned = clientOf({ fetch: swapped((body) => body.replace(hash, model)) })
  await expect(ask(pinned.client, { model: hash })).rejects.toThrow('not the one that you gave')
})

test('what cannot be verified is refused before it is sent', async () => {
  const sent: unknown[] = []
  const fetching = createVerifyingFetch({
    trust: {},
    fetch: async (...args) => {
      sent.push(args)
      return new Response('{}')
    },
  })
  const post = async (body: object): Promise<unknown> => {
    const response = await fetching('http://127.0.0.1/v1/chat/completions', {
      method: 'POST',
      body: JSON.stringify(body),
    })
    return [
      response.status,
      ((await response.json()) as { error?: { message?: string } }).error?.message,
    ]
  }
  const image = [{ role: 'user', content: [{ type: 'image_url', image_url: { url: 'x' } }] }]
  expect(await post({ model, messages: image })).toEqual([
    422,
    'this request cannot be verified: a message has parts that are not text',
  ])
  expect(sent).toEqual([])
  // An answer without a job is not given either; other routes pass.
  expect(await post({ model, messages: MESSAGES })).toEqual([
    422,
    'the server names no job, so nothing proves its answer',
  ])
  expect(await (await fetching('http://127.0.0.1/v1/models')).json()).toEqual({})
})

test('a fact that is required and does not come in time is a refusal that names what is missing', async () => {
  const { client, found } = clientOf({ require: ['anchored'], waitMs: 0 })
  await expect(ask(client)).rejects.toThrow('the receipt is not anchored on a chain, or not yet')
  expect(found.map(({ verdict }) => verdict)).toEqual(['unchecked'])
})

test('a stream is held back until its text verifies', async () => {
  const { client, found } = clientOf()
  expect(await askStream(client)).toMatchObject({ text: 'All of it.', error: undefined })
  expect(found).toMatchObject([{ verdict: 'holds' }])
  const changed = clientOf({ fetch: tampering((text) => text.replace('All of', 'None of')) })
  expect(await askStream(changed.client)).toMatchObject({
    text: '',
    error: {
      status: 422,
      message: expect.stringContaining('not an output that the bundle proves'),
    },
  })
})

test('a stream that is shown at once ends with an error, and without its end, where its text does not verify', async () => {
  const { client } = clientOf({ policy: 'show' })
  expect(await askStream(client)).toMatchObject({ text: 'All of it.', error: undefined })
  const changed = clientOf({
    policy: 'show',
    fetch: tampering((text) => text.replace('All of', 'None of')),
  })
  expect(await askStream(changed.client)).toMatchObject({
    text: 'None of it.',
    error: { code: 'unverified_answer' },
  })
  const more = clientOf({
    policy: 'show',
    fetch: tampering((text) =>
      text.replace(
        'data: [DONE]',
        'data: {"choices":[{"index":0,"delta":{"content":" No!"}}]}\n\ndata: [DONE]',
      ),
    ),
  })
  expect(await askStream(more.client)).toMatchObject({
    text: 'All of it.',
    error: { message: expect.stringContaining('goes on after its end') },
  })
  const cut = clientOf({
    policy: 'show',
    fetch: tampering((text) =>
      text.split('\n\n').slice(0, 2).join('\n\n').concat('\n\ndata: [DONE]\n\n'),
    ),
  })
  expect(await askStream(cut.client)).toMatchObject({
    error: { message: expect.stringContaining('the stream has no end') },
  })
})

test('text in places that nothing proves is not given', async () => {
  for (const [from, to, reason] of [
    ['"refusal":null', '"refusal":"no"', 'has "refusal", which nothing proves'],
    ['"choices":[', '"choices":[{"index":1,"message":{"content":"b"}},', 'several choices'],
  ] as const) {
    const { client } = clientOf({ fetch: tampering((text) => text.replace(from, to)) })
    await expect(ask(client)).rejects.toThrow(reason)
  }
})

test('an answer that is shown at once is confirmed afterwards', async () => {
  const { client, found } = clientOf({
    policy: 'show',
    fetch: tampering((text) => text.replace('All of it.', 'None of it.')),
  })
  expect(await ask(client)).toBe('None of it.')
  await expect.poll(() => found.map(({ verdict }) => verdict)).toEqual(['fails'])
})

test('errors of the server pass as they are', async () => {
  const { client } = clientOf()
  const asked = client.chat.completions.create({ model: 'nobody.gguf', messages: MESSAGES })
  await expect(asked).rejects.toMatchObject({ status: 404, code: 'model_not_found' })
})
