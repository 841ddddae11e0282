/**
 * Requests made from the dispatcher's own OpenAPI document, fitting and nearly so, on every route: no answer is an internal
 * error, each success has the promised shape, each error the one form. 4,000 requests, or ASSAY_FUZZ_REQUESTS of them; the
 * seed is printed, and ASSAY_FUZZ_SEED gives it.
 */
import { Ajv2020 } from 'ajv/dist/2020.js'
import fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import {
  startTestDispatcher,
  startTestPostgres,
  type TestDispatcher,
  type TestPostgres,
} from '../support/dispatcher.ts'
import { dereferenced, operationsOf, type Media, type OpenApi } from '../support/openApi.ts'
import { connectOperator } from '../support/scriptedOperator.ts'
import { anything, fitting, nearly, type JsonSchema } from '../support/schemaArbitrary.ts'

const REQUESTS = Number(process.env['ASSAY_FUZZ_REQUESTS'] ?? 4000)
const BATCH = 50
const SEED = Number(process.env['ASSAY_FUZZ_SEED'] ?? Date.now() % 2 ** 31)
/** What a job may not survive. */
const USES_UP = new Set(['POST /api/job/delete 200', 'POST /api/job/retry 200'])
/** No operator serves a model here: these are refused before they would wait for one. */
const NEEDS_OPERATORS = new Set([
  'GET /v1/models/{model}',
  'POST /v1/chat/completions',
  'POST /v1/completions',
  'POST /v1/embeddings',
])
const INSIDE = /node_modules|\bat \S+ \(|\.(?:ts|js):\d|TypeError|RangeError|select .* from/

type Operation = {
  readonly method: string
  readonly path: string
  readonly body: JsonSchema | undefined
  readonly parameters: readonly { readonly name: string; readonly in: string }[]
  readonly responses: Readonly<Record<string, unknown>>
}

let postgres: TestPostgres
let dispatcher: TestDispatcher
let operations: readonly Operation[]
const jobs: string[] = []
const ajv = new Ajv2020({ strict: false })

beforeAll(async () => {
  postgres = await startTestPostgres()
  dispatcher = await startTestDispatcher(postgres, 'fuzzed', { jobDeadlineMs: 86_400_000 })
  jobs.push(await finishedJob(), await finishedJob(), await endedJob())
  const response = await fetch(`http://${dispatcher.httpAddress}/openapi.json`)
  operations = readOperations(dereferenced(await response.json()))
  expect(operations.length).toBeGreaterThan(12)
})

afterAll(async () => {
  await dispatcher.close()
  await postgres.stop()
})

/** A job with a result, until a request removes it or has it done again. */
async function finishedJob(): Promise<string> {
  const model = `${crypto.randomUUID()}.gguf`
  const operator = await connectOperator(dispatcher, { models: [model] })
  const id = await dispatcher.submit({ tag: 'opml', prompt: 'done', model })
  operator.send(await operator.answer(await operator.next('dispatch')))
  await operator.next('recorded')
  operator.socket.close()
  return id
}

/** A job that may be handed out again, or removed: the requests use such ones up. */
async function endedJob(): Promise<string> {
  const id = await dispatcher.submit({ tag: 'opml', prompt: 'waits', model: 'nobody.gguf' })
  const { project, token } = dispatcher
  await dispatcher.post('/api/job/cancel', { job_id: id, from: project, verify: token })
  return id
}

/** The routes whose requests and answers are JSON by schema. */
function readOperations(document: OpenApi): Operation[] {
  return operationsOf(document).map(({ path, method, operation }) => ({
    method: method.toUpperCase(),
    path,
    body: operation.requestBody?.content?.['application/json']?.schema,
    parameters: operation.parameters ?? [],
    responses: operation.responses,
  }))
}

/** One of the jobs that there are when it is drawn. */
const existing = fc.noBias(fc.nat()).map((at) => jobs[at % jobs.length] as string)
const jobIds = fc.oneof(
  existing,
  fc.stringMatching(/^[0-9a-f]{64}$/),
  fc.string({ unit: 'binary' }),
)

/** What leads past the first checks: most of the time what exists. */
function hint(name: string): fc.Arbitrary<unknown> | undefined {
  if (name === 'job_id' || name === 'after') return jobIds
  if (name === 'verify') return fc.constantFrom(dispatcher.token, dispatcher.token, 'wrong')
  if (name === 'from') return fc.constantFrom(dispatcher.project, dispatcher.project, 'nobody')
  // A job has a prompt or messages, never both, which a schema does not say.
  if (name === 'prompt') return fc.constantFrom('What is AI?', 'x')
  if (name === 'messages')
    return fc.constantFrom(undefined, undefined, undefined, [{ role: 'user', content: 'x' }])
  return undefined
}

type Request = {
  readonly operation: Operation
  readonly path: string
  readonly init: { method: string; headers: Record<string, string>; body?: string }
}

const headerText = fc.stringMatching(/^[\x21-\x7e]{1,40}$/)

function requestOf(operation: Operation): fc.Arbitrary<Request> {
  const schema = operation.body
  const bodies =
    schema === undefined
      ? fc.constant(undefined)
      : fc.oneof(
          { weight: 6, arbitrary: fitting(schema, hint).map((value) => JSON.stringify(value)) },
          { weight: 4, arbitrary: nearly(schema, hint).map((value) => JSON.stringify(value)) },
          { weight: 1, arbitrary: anything.map((value) => JSON.stringify(value)) },
          { weight: 1, arbitrary: fc.string() },
        )
  return fc
    .record({
      body: bodies,
      id: fc.oneof({ weight: 5, arbitrary: existing }, fc.string({ unit: 'binary' })),
      header: headerText,
      type: fc.constantFrom(
        'application/json',
        'application/json',
        'application/json',
        'text/plain',
      ),
      authorization: fc.option(
        // A wrong token in the header ends a request, whatever its body says.
        fc.oneof(
          { weight: 4, arbitrary: fc.constant(`Bearer ${dispatcher.token}`) },
          fc.constantFrom('Bearer x', 'Basic eA=='),
        ),
      ),
      method: fc.oneof(
        { weight: 19, arbitrary: fc.constant(operation.method) },
        fc.constantFrom('PUT', 'DELETE', 'OPTIONS'),
      ),
    })
    .map(({ body, id, header, type, authorization, method }) => {
      const headers: Record<string, string> = body === undefined ? {} : { 'content-type': type }
      if (authorization !== null) headers['authorization'] = authorization
      for (const parameter of operation.parameters)
        if (parameter.in === 'header') headers[parameter.name] = header
      // Without a segment it would be another route.
      const segment = encodeURIComponent(Buffer.from(id).toString()) || 'x'
      return {
        operation,
        path: operation.path.replace(/\{\w+\}/, segment),
        init: { method, headers, ...(body !== undefined && { body }) },
      }
    })
}

/** Whether an error has the form of its API: ours, or below /v1 OpenAI's (D63). */
function hasErrorForm(path: string, status: number, body: Record<string, unknown>): boolean {
  if (path.startsWith('/v1/')) {
    const error = body['error'] as Record<string, unknown> | undefined
    return typeof error?.['message'] === 'string' && typeof error['type'] === 'string'
  }
  return (
    body['code'] === status &&
    typeof body['message'] === 'string' &&
    typeof body['error'] === 'string' &&
    typeof body['request_id'] === 'string' &&
    !('result' in body)
  )
}

function checkBody({ operation, init }: Request, status: number, text: string): string | undefined {
  if (status >= 500) return 'an internal error'
  if (INSIDE.test(text)) return 'the inside shows'
  const body = JSON.parse(text) as Record<string, unknown>
  if (status !== 200)
    return hasErrorForm(operation.path, status, body) ? undefined : 'an error of another form'
  if (init.method !== operation.method) return 'another method is served'
  const media = operation.responses['200'] as Media | undefined
  const schema = media?.content?.['application/json']?.schema
  return schema === undefined || ajv.validate(schema, body)
    ? undefined
    : `not as promised: ${ajv.errorsText()}`
}

async function send(request: Request): Promise<{ status: number; problem: string | undefined }> {
  const { path, init } = request
  const response = await fetch(`http://${dispatcher.httpAddress}${path}`, init)
  const type = response.headers.get('content-type') ?? ''
  if (type.startsWith('text/event-stream')) {
    await response.body?.cancel()
    return { status: response.status, problem: undefined }
  }
  const text = await response.text()
  if (!type.startsWith('application/json'))
    return { status: response.status, problem: response.status >= 500 ? text : undefined }
  return { status: response.status, problem: checkBody(request, response.status, text) }
}

test(
  'every request of the document gets an answer of the documented form',
  async () => {
    const statuses = new Map<string, number>()
    // Made once: to prepare what fits a pattern takes longer than to answer.
    const requestsOfAll = fc.array(fc.oneof(...operations.map(requestOf)), {
      minLength: BATCH,
      maxLength: BATCH,
    })
    await fc.assert(
      fc.asyncProperty(requestsOfAll, async (requests) => {
        jobs.splice(2, 1, await endedJob())
        let areUsedUp = false
        const answers = await Promise.all(requests.map(send))
        for (const [at, { status, problem }] of answers.entries()) {
          const request = requests[at] as Request
          const key = `${request.operation.method} ${request.operation.path} ${status}`
          statuses.set(key, (statuses.get(key) ?? 0) + 1)
          if (problem !== undefined)
            expect.fail(`${problem}: ${request.path} ${JSON.stringify(request.init)}`)
          areUsedUp ||= USES_UP.has(key)
        }
        if (areUsedUp) jobs.splice(0, 2, await finishedJob(), await finishedJob())
      }),
      { numRuns: Math.ceil(REQUESTS / BATCH), endOnFailure: true, seed: SEED },
    )
    // Every route was reached beyond its checks of form.
    const succeeded = new Set(
      [...statuses.keys()].filter((key) => key.endsWith(' 200')).map((key) => key.slice(0, -4)),
    )
    const total = [...statuses.values()].reduce((sum, count) => sum + count, 0)
    console.warn(`${total} requests, seed ${SEED}: ${JSON.stringify(Object.fromEntries(statuses))}`)
    expect(total).toBeGreaterThanOrEqual(REQUESTS)
    expect([...succeeded].sort()).toEqual(
      operations
        .map(({ method, path }) => `${method} ${path}`)
        .filter((route) => !NEEDS_OPERATORS.has(route))
        .sort(),
    )
  },
  Math.max(1_800_000, REQUESTS * 100),
)
