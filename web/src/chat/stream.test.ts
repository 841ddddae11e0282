import { afterEach, expect, test, vi } from 'vitest'
import { DEFAULT_SETTINGS } from './conversation.ts'
import { askChat, ChatError, type Part } from './stream.ts'

const JOB = 'ab'.repeat(32)
const chunk = (content: string) => ({
  choices: [{ delta: { content } }],
  assay: { provisional: true, job_id: JOB },
})
const end = {
  choices: [{ delta: {} }],
  assay: { provisional: false, job_id: JOB, warnings: ['n'] },
}

let sent: { url: string; options: RequestInit } | undefined

afterEach(() => vi.unstubAllGlobals())

function answerWith(response: () => Response): void {
  vi.stubGlobal('fetch', async (url: string, options: RequestInit) => {
    sent = { url, options }
    return response()
  })
}

const stream = (events: readonly (object | string)[]) => () =>
  new Response(
    events
      .map((each) => `data: ${typeof each === 'string' ? each : JSON.stringify(each)}\n\n`)
      .join(''),
    { headers: { 'content-type': 'text/event-stream' } },
  )

async function ask(model = 'm'): Promise<readonly Part[]> {
  const parts: Part[] = []
  const request = {
    url: 'http://jobs.test',
    token: 'assay_0f',
    settings: { ...DEFAULT_SETTINGS, model },
    messages: [{ role: 'user', content: 'Hi' }] as const,
    signal: new AbortController().signal,
  }
  for await (const part of askChat(request)) parts.push(part)
  return parts
}

test('an answer comes in parts, with its job, and ends where it was recorded', async () => {
  answerWith(stream([chunk('Hel'), chunk('lo'), end, '[DONE]']))
  const parts = await ask()
  expect(parts.filter(({ kind }) => kind === 'text')).toEqual([
    { kind: 'text', text: 'Hel' },
    { kind: 'text', text: 'lo' },
  ])
  expect(parts[0]).toEqual({ kind: 'job', id: JOB })
  expect(parts.at(-1)).toEqual({ kind: 'end', warnings: ['n'] })
})

test('a model may have any name, and the token is in no address', async () => {
  answerWith(stream([end]))
  await ask('hf.co/org/model:Q4_K_M@00ff')
  expect(JSON.parse(await new Response(sent?.options.body).text())).toMatchObject({
    model: 'hf.co/org/model:Q4_K_M@00ff',
    stream: true,
  })
  expect(sent?.url).toBe('http://jobs.test/v1/chat/completions')
  expect(new Headers(sent?.options.headers).get('authorization')).toBe('Bearer assay_0f')
})

test('a refusal, an error within the stream and a lost connection are errors', async () => {
  answerWith(() => Response.json({ error: { message: 'no such model' } }, { status: 404 }))
  await expect(ask()).rejects.toThrow(new ChatError(404, 'no such model'))
  answerWith(() => new Response('gateway', { status: 502 }))
  await expect(ask()).rejects.toThrow('responded with 502')
  answerWith(stream([chunk('x'), { error: { message: 'the recorded answer differs' } }]))
  await expect(ask()).rejects.toThrow('the recorded answer differs')
  answerWith(stream([chunk('x')]))
  await expect(ask()).rejects.toThrow('the connection was lost')
})

test('a job id that is none leads nowhere', async () => {
  answerWith(stream([{ ...end, assay: { provisional: false, job_id: '../../x' } }]))
  expect(await ask()).toEqual([{ kind: 'end', warnings: [] }])
})
