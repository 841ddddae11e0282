import { readFile, stat } from 'node:fs/promises'
import { request } from 'node:http'
import { Ajv2020 } from 'ajv/dist/2020.js'
import { afterAll, beforeAll, expect, test } from 'vitest'
import {
  startTestDispatcher,
  startTestPostgres,
  type TestDispatcher,
  type TestPostgres,
} from '../../../test/support/dispatcher.ts'
import { dereferenced } from '../../../test/support/openApi.ts'
import { createProject } from './access/projects.ts'

const JOB = {
  tag: 'opml',
  prompt: 'What is AI?',
  model: 'tiny.gguf',
  params: { temperature: 0.5, top_p: 0.9, max_tokens: 16 },
}

let postgres: TestPostgres
let dispatcher: TestDispatcher

beforeAll(async () => {
  postgres = await startTestPostgres()
  dispatcher = await startTestDispatcher(postgres, 'api')
})

afterAll(async () => {
  await dispatcher.close()
  await postgres.stop()
})

const submission = (changes: object = {}): object => ({
  from: dispatcher.project,
  verify: dispatcher.token,
  user: 'u1',
  tag: '',
  job: JOB,
  ...changes,
})

const countJobs = async (): Promise<number> => {
  const rows = await dispatcher.sql.db.selectFrom('jobs').select('id').execute()
  return rows.length
}

/** Error bodies have exactly these keys (D26). */
const expectError = (
  { status, body, headers }: Awaited<ReturnType<TestDispatcher['post']>>,
  code: number,
  slug: string,
): void => {
  expect({ status, code: body.code, error: body.error }).toEqual({
    status: code,
    code,
    error: slug,
  })
  expect(typeof body.message).toBe('string')
  expect(body.request_id).toBe(headers.get('x-request-id'))
  expect(Object.keys(body)).not.toContain('result')
}

// Holds D24, D25, D28.
test('a submitted job has a 64-digit id and is read back as it was submitted', async () => {
  const { status, body } = await dispatcher.post('/api/job/submit', submission())
  expect(status).toBe(200)
  expect(Object.keys(body)).toEqual(['code', 'result', 'warnings'])
  expect(body.code).toBe(200)
  expect(body.warnings).toEqual([expect.stringContaining('no connected opml operator serves')])
  expect(body.result).toMatch(/^[0-9a-f]{64}$/)

  const detail = await dispatcher.post('/api/job/detail', { job_id: body.result })
  expect(detail.body).toEqual({
    code: 200,
    result: {
      id: body.result,
      job: JOB,
      user: 'u1',
      job_type: 'opml',
      status: 'created',
      tag: '',
      effective_tag: '',
      clock: { [dispatcher.dispatcherAddress]: expect.stringMatching(/^\d+$/) },
      created_at: expect.stringMatching(/^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d$/),
      state: 'created',
      reason: '',
      draws: [],
    },
  })
  const age = Date.now() - Date.parse(`${detail.body.result.created_at}Z`)
  expect(age).toBeLessThan(60_000)

  const result = await dispatcher.post('/api/job/result', { job_id: body.result })
  expect(result.body).toEqual({ code: 200, result: [] })
})

test('the same request twice is two jobs', async () => {
  expect(await dispatcher.submit(JOB)).not.toBe(await dispatcher.submit(JOB))
})

test('user, tag and params may be missing, and unknown fields are ignored', async () => {
  const job = { tag: 'tee', prompt: '', model: 'm', later: { a: [1] } }
  const id = await dispatcher.submit(job, { also: 1 })
  expect(await dispatcher.detail(id)).toMatchObject({ job, user: '', tag: '', job_type: 'tee' })
})

// Holds D42.
test('U+0000 and every other character in prompt and user are kept', async () => {
  const prompt = 'a\u0000b \u{1f600} \ud800 end'
  const id = await dispatcher.submit({ ...JOB, prompt }, { user: 'x\u0000y' })
  expect(await dispatcher.detail(id)).toMatchObject({ job: { prompt }, user: 'x\u0000y' })
})

test('many submissions at once are all stored', async () => {
  const before = await countJobs()
  const ids = await Promise.all(Array.from({ length: 100 }, () => dispatcher.submit(JOB)))
  expect(new Set(ids).size).toBe(100)
  expect(await countJobs()).toBe(before + 100)
})

// Holds D26.
test('bad submissions are 400 with the field that was wrong, and nothing is stored', async () => {
  const before = await countJobs()
  const cases: [object, string][] = [
    [{ from: undefined }, 'from'],
    [{ from: 7 }, 'from'],
    [{ verify: 7 }, 'verify'],
    [{ user: null }, 'user'],
    [{ tag: 'bad' }, 'tag'],
    [{ job: undefined }, 'job'],
    [{ job: { ...JOB, tag: 'zkml' } }, 'job.tag'],
    [{ job: { ...JOB, prompt: undefined } }, 'job.prompt'],
    [{ job: { ...JOB, model: '' } }, 'job.model'],
    [{ job: { ...JOB, model: 'a\u0000b' } }, 'job.model'],
    [{ job: { ...JOB, model: 'a\u0085b' } }, 'job.model'],
    [{ job: { ...JOB, model: 'a\ud800b' } }, 'job.model'],
    [{ job: { ...JOB, model: 'x'.repeat(257) } }, 'job.model'],
    [{ job: { ...JOB, model: 'tiny.gguf@sha256:ab' } }, 'job.model'],
    [{ job: { ...JOB, params: { temperature: '0' } } }, 'job.params.temperature'],
    [{ job: { ...JOB, params: { top_p: 2 } } }, 'job.params.top_p'],
    [{ job: { ...JOB, params: { max_tokens: 1.5 } } }, 'job.params.max_tokens'],
  ]
  for (const [changes, path] of cases) {
    const reply = await dispatcher.post('/api/job/submit', submission(changes))
    expectError(reply, 400, 'invalid_request')
    expect(reply.body.details[0].path).toBe(path)
    expect(reply.body.message).toContain(path)
  }
  for (const body of ['', '{', '[]', 'null', '"x"', '{"__proto__":{}}'])
    expectError(await dispatcher.post('/api/job/submit', body), 400, 'invalid_request')
  // Unknown keys are kept, so their nesting could break the code that stores the job.
  const nested = `${'['.repeat(5000)}${']'.repeat(5000)}`
  const deep = JSON.stringify(submission({ job: { ...JOB, extra: 0 } })).replace(
    '"extra":0',
    `"extra":${nested}`,
  )
  expectError(await dispatcher.post('/api/job/submit', deep), 400, 'invalid_request')
  expect(await countJobs()).toBe(before)
})

test('a wrong, missing or foreign token is 401, told apart by nothing', async () => {
  const other = await createProject(dispatcher.sql, { name: 'other' })
  const bodies = [
    submission({ verify: 'wrong' }),
    submission({ verify: '' }),
    submission({ verify: undefined }),
    submission({ from: 'nobody' }),
    submission({ from: 'a\u0000b' }),
    submission({ from: '' }),
    submission({ verify: other.token }),
  ]
  const before = await countJobs()
  const messages = new Set<string>()
  for (const body of bodies) {
    const reply = await dispatcher.post('/api/job/submit', body)
    expectError(reply, 401, 'unauthenticated')
    messages.add(reply.body.message)
  }
  expect(messages.size).toBe(1)
  expect(await countJobs()).toBe(before)
})

test('a token may also come as a bearer token', async () => {
  const { body } = await dispatcher.post('/api/job/submit', submission({ verify: undefined }), {
    authorization: `Bearer ${dispatcher.token}`,
  })
  expect(body.code).toBe(200)
})

test('unknown jobs are 404, malformed ids too', async () => {
  for (const path of ['/api/job/result', '/api/job/detail']) {
    for (const id of ['0'.repeat(64), 'x', '', '\u0000', 'A'.repeat(64)])
      expectError(await dispatcher.post(path, { job_id: id }), 404, 'not_found')
    expectError(await dispatcher.post(path, {}), 400, 'invalid_request')
    expectError(await dispatcher.post(path, { job_id: 1 }), 400, 'invalid_request')
  }
})

test('other content types are 415, large bodies 413, other paths 404', async () => {
  const text = { 'content-type': 'text/plain' }
  const form = { 'content-type': 'application/x-www-form-urlencoded' }
  for (const headers of [text, form])
    expectError(
      await dispatcher.post('/api/job/submit', submission(), headers),
      415,
      'unsupported_media_type',
    )
  const large = submission({ job: { ...JOB, prompt: 'x'.repeat(1024 * 1024) } })
  expectError(await dispatcher.post('/api/job/submit', large), 413, 'too_large')
  expectError(await dispatcher.post('/api/job/unknown', {}), 404, 'not_found')
  expectError(await dispatcher.post('/api/%zz', {}), 400, 'invalid_request')
  expect((await dispatcher.post('/api/job/submit/', submission())).status).toBe(200)
})

test('requests for foreign host names are refused, those for addresses are served', async () => {
  const port = Number(dispatcher.httpAddress.split(':')[1])
  const statusFor = (host: string): Promise<number | undefined> =>
    new Promise((resolve, reject) => {
      request({ host: '127.0.0.1', port, path: '/healthz', headers: { host } }, (response) => {
        response.resume()
        resolve(response.statusCode)
      })
        .on('error', reject)
        .end()
    })
  expect(await statusFor('evil.example:8549')).toBe(403)
  for (const host of ['localhost', 'LOCALHOST:1', '10.0.0.1:8549', '[::1]:8549'])
    expect(await statusFor(host)).toBe(200)
})

test('health, readiness and a complete OpenAPI 3.1 document are served', async () => {
  const get = async (path: string): Promise<unknown> =>
    (await fetch(`http://${dispatcher.httpAddress}${path}`)).json()
  expect(await get('/healthz')).toEqual({ code: 200, result: 'ok' })
  expect(await get('/readyz')).toEqual({ code: 200, result: 'ok' })
  const document = dereferenced(await get('/openapi.json'))
  expect(document.openapi).toBe('3.1.0')
  const { post } = document.paths['/api/job/submit'] ?? {}
  const { schema = {} } = post?.requestBody?.content?.['application/json'] ?? {}
  const validate = new Ajv2020({ strict: false }).compile(schema)
  expect(validate(submission())).toBe(true)
  expect(validate(submission({ tag: 'bad' }))).toBe(false)
})

// Holds D27.
test('where reads are closed, only a token of the job’s project opens them', async () => {
  const closed = await startTestDispatcher(postgres, 'api', { openReads: false })
  try {
    const id = await closed.submit(JOB)
    const stranger = await createProject(closed.sql, { name: 'stranger' })
    for (const path of ['/api/job/result', '/api/job/detail']) {
      expectError(await closed.post(path, { job_id: id }), 401, 'unauthenticated')
      expectError(await closed.post(path, { job_id: id, verify: 'x' }), 401, 'unauthenticated')
      expectError(await closed.post(path, { job_id: id, verify: stranger.token }), 404, 'not_found')
      expect((await closed.post(path, { job_id: id, verify: closed.token })).status).toBe(200)
      const bearer = { authorization: `Bearer ${closed.token}` }
      expect((await closed.post(path, { job_id: id }, bearer)).status).toBe(200)
    }
  } finally {
    await closed.close()
  }
})

test('with unknown-model = refuse, a model that nobody serves is 404', async () => {
  const strict = await startTestDispatcher(postgres, 'api', { unknownModel: 'refuse' })
  try {
    const reply = await strict.post('/api/job/submit', submission({ verify: strict.token }))
    expectError(reply, 404, 'not_found')
    expect(reply.body.message).toContain('tiny.gguf')
  } finally {
    await strict.close()
  }
})

test('a taken port is an error that names it', async () => {
  const port = Number(dispatcher.httpAddress.split(':')[1])
  await expect(
    startTestDispatcher(postgres, 'api', { httpAddress: { host: '127.0.0.1', port } }),
  ).rejects.toThrow(`127.0.0.1:${port} is in use`)
})

test('the key file is private and keeps the address over restarts', async () => {
  const file = dispatcher.options.keyFile
  expect((await stat(file)).mode & 0o777).toBe(0o600)
  expect(await readFile(file, 'utf8')).toMatch(/^[0-9a-f]{64}\n$/)
  const again = await startTestDispatcher(postgres, 'api')
  expect(again.dispatcherAddress).toBe(dispatcher.dispatcherAddress)
  await again.close()
})

// Last, because it stops the database.
test('a database that is away is 503 with a time to wait', async () => {
  const id = await dispatcher.submit(JOB)
  await postgres.stop()
  const read = await dispatcher.post('/api/job/detail', { job_id: id })
  expectError(read, 503, 'unavailable')
  expect(Number(read.headers.get('retry-after'))).toBeGreaterThan(0)
  const written = await dispatcher.post('/api/job/submit', submission())
  expectError(written, 503, 'unavailable')
  const ready = await fetch(`http://${dispatcher.httpAddress}/readyz`)
  expect(ready.status).toBe(503)
})
