import type OpenAI from 'openai'
import { afterAll, beforeAll, expect, test } from 'vitest'
import {
  errorOf,
  MESSAGES,
  only,
  startOpenAiRig,
  type OpenAiRig,
} from '../../../../test/support/openAiRig.ts'
import type { ScriptedOperator } from '../../../../test/support/scriptedOperator.ts'
import type { Dispatch } from '../../protocol.ts'

let rig: OpenAiRig
let client: OpenAI

beforeAll(async () => {
  rig = await startOpenAiRig('streams')
  ;({ client } = rig)
})

afterAll(() => rig.stop())

function say(
  operator: ScriptedOperator,
  { jobId, lease }: Dispatch,
  at: number,
  text: string,
): void {
  operator.send({ type: 'text', jobId, lease, at, text })
}

type Chunk = OpenAI.ChatCompletionChunk & { readonly assay: Readonly<Record<string, unknown>> }

/** Reads a stream on until its text is `text`. */
async function readUntil(chunks: AsyncIterator<Chunk>, text: string): Promise<void> {
  let read = ''
  while (read !== text) {
    const { value, done } = await chunks.next()
    if (done === true) throw new Error(`the stream ended with ${read}`)
    read += value.choices[0]?.delta.content ?? ''
  }
}

async function rest(chunks: AsyncIterator<Chunk>): Promise<readonly Chunk[]> {
  const all: Chunk[] = []
  for (let next = await chunks.next(); next.done !== true; next = await chunks.next())
    all.push(next.value)
  return all
}

async function begin(model: string, more: object = {}): Promise<AsyncIterator<Chunk>> {
  const stream = await client.chat.completions.create({
    model,
    messages: MESSAGES,
    stream: true,
    ...more,
  } as OpenAI.ChatCompletionCreateParamsStreaming)
  return stream[Symbol.asyncIterator]() as AsyncIterator<Chunk>
}

// Holds D138.
test('a stream shows each piece as it comes, marked as provisional, and ends with what proves it', async () => {
  await rig.withOperators(1, async (model, operators) => {
    const operator = only(operators)
    const opened = begin(model, { stream_options: { include_usage: true } })
    const dispatch = await operator.next('dispatch')
    expect(dispatch.stream).toBe(true)
    say(operator, dispatch, 0, 'A ')
    const chunks = await opened
    await readUntil(chunks, 'A ')
    say(operator, dispatch, 2, 'fie')
    await readUntil(chunks, 'fie')
    operator.send(await operator.answer(dispatch, 'A field.'))
    const [text, last, usage] = await rest(chunks)
    expect(text).toMatchObject({
      choices: [{ delta: { content: 'ld.' } }],
      assay: { provisional: true, job_id: dispatch.jobId },
    })
    expect(last).toMatchObject({
      choices: [{ delta: {}, finish_reason: 'stop' }],
      assay: { provisional: false, job_id: dispatch.jobId, statement: { tokens: 3 } },
    })
    expect(usage).toMatchObject({ choices: [], usage: { total_tokens: 7 } })
  })
})

test('of two operators one speaks; when it leaves, the other goes on from the same beginning', async () => {
  await rig.withOperators(2, async (model, operators) => {
    const [one, other] = operators as [ScriptedOperator, ScriptedOperator]
    const opened = begin(model)
    const first = await one.next('dispatch')
    const second = await other.next('dispatch')
    say(one, first, 0, 'A fi')
    const chunks = await opened
    await readUntil(chunks, 'A fi')
    say(other, second, 0, 'A')
    expect(await other.next('stream')).toMatchObject({ lease: second.lease, on: false })
    one.socket.close()
    expect(await other.next('stream')).toMatchObject({ lease: second.lease, on: true })
    say(other, second, 0, 'A fiel')
    await readUntil(chunks, 'el')
    other.send(await other.answer(second, 'A field.'))
    const all = await rest(chunks)
    expect(all.map(({ choices }) => choices[0]?.delta.content ?? '').join('')).toBe('d.')
    expect(all.at(-1)?.assay['operator']).toBe(other.address)
  })
})

test('where the recorded answer is not what was shown, the stream ends with an error', async () => {
  await rig.withOperators(1, async (model, operators) => {
    const operator = only(operators)
    const opened = begin(model)
    const dispatch = await operator.next('dispatch')
    say(operator, dispatch, 0, 'Trust me')
    const chunks = await opened
    await readUntil(chunks, 'Trust me')
    operator.send(await operator.answer(dispatch, 'A field.'))
    await expect(rest(chunks)).rejects.toMatchObject({ code: 'answer_differs' })
  })
})

// Holds D140.
test('a client that disconnects cancels its job, and the operator is told', async () => {
  await rig.withOperators(1, async (model, operators) => {
    const operator = only(operators)
    for (const stream of [false, true]) {
      const leaving = new AbortController()
      const asked = client.chat.completions.create(
        { model, messages: MESSAGES, stream },
        { signal: leaving.signal },
      )
      const left = errorOf(asked)
      const { jobId, lease } = await operator.next('dispatch')
      leaving.abort()
      expect(await left).toMatchObject({ message: 'Request was aborted.' })
      expect(await operator.next('halt')).toMatchObject({ jobId, lease })
      expect(await rig.dispatcher.detail(jobId)).toMatchObject({ state: 'cancelled' })
    }
  })
})

test('a client that can ask again by its key does not cancel its job', async () => {
  await rig.withOperators(1, async (model, operators) => {
    const operator = only(operators)
    const headers = { 'idempotency-key': 'again' }
    const leaving = new AbortController()
    const body = { model, messages: MESSAGES }
    const left = client.chat.completions.create(body, { headers, signal: leaving.signal })
    const gone = errorOf(left)
    const dispatch = await operator.next('dispatch')
    leaving.abort()
    expect(await gone).toMatchObject({ message: 'Request was aborted.' })
    const again = client.chat.completions.create(body, { headers })
    operator.send(await operator.answer(dispatch, 'A field.'))
    expect((await again).id).toBe(`chatcmpl-${dispatch.jobId}`)
  })
})
