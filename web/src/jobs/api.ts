/** The job API. Tokens travel in the Authorization header, never in a URL, and are kept in memory alone. */
import { currentLogin } from './login.ts'
import type {
  Detail,
  JobFilter,
  JobPage,
  ListedJob,
  Model,
  Operator,
  Result,
  Submission,
} from './types.ts'

/** An error response, with the API's own message. */
export class JobApiError extends Error {
  override readonly name = 'JobApiError'
  readonly status: number

  constructor(status: number, message: string) {
    super(message)
    this.status = status
  }
}

export type JobApi = {
  /** Where it is. */
  readonly url: string
  readonly submit: (submission: Submission) => Promise<Submitted>
  readonly detail: (id: string) => Promise<Detail>
  readonly results: (id: string) => Promise<readonly Result[]>
  readonly operators: () => Promise<readonly Operator[]>
  readonly models: () => Promise<readonly Model[]>
  readonly cancel: (id: string) => Promise<void>
  /** A stream of events (text/event-stream), starting after the event with that id. */
  readonly events: (id: string, after: string, signal: AbortSignal) => Promise<Response>
  /** Jobs of the project, the latest first. */
  readonly list: (filter: JobFilter) => Promise<JobPage>
  /** The receipt bundle of a finished job. */
  readonly receipt: (id: string) => Promise<unknown>
}

/** A job that was accepted, and what is said about it all the same. */
export type Submitted = { readonly id: string; readonly warnings: readonly string[] }

type Envelope = {
  readonly code?: number
  readonly result?: unknown
  readonly message?: string
  readonly warnings?: unknown
  readonly next?: string
}

const MAX_WARNINGS = 32
/** Jobs of one page of a list. */
const PAGE = 25

function headers(): Record<string, string> {
  const login = currentLogin()
  return login === undefined ? {} : { authorization: `Bearer ${login.token}` }
}

async function readEnvelope(response: Response): Promise<Envelope> {
  const body = (await response.json().catch(() => ({}))) as Envelope
  if (!response.ok)
    throw new JobApiError(
      response.status,
      body.message ?? `the job API responded with ${response.status}`,
    )
  return body
}

async function read(response: Response): Promise<unknown> {
  return (await readEnvelope(response)).result
}

function submittedOf({ result, warnings }: Envelope): Submitted {
  const texts = Array.isArray(warnings) ? warnings : []
  return { id: String(result), warnings: texts.slice(0, MAX_WARNINGS).map(String) }
}

/** The API at a URL. */
export function jobApi(url: string): JobApi {
  const get = async (path: string) =>
    read(await fetch(url + path, { headers: headers(), credentials: 'omit' }))
  const send = (path: string, body: unknown) =>
    fetch(url + path, {
      method: 'POST',
      headers: { ...headers(), 'content-type': 'application/json' },
      body: JSON.stringify(body),
      credentials: 'omit',
    })
  const post = async (path: string, body: unknown) => read(await send(path, body))
  const named = (id: string) => ({ job_id: id })
  return {
    url,
    submit: async (submission) =>
      submittedOf(await readEnvelope(await send('/api/job/submit', submission))),
    detail: async (id) => (await post('/api/job/detail', named(id))) as Detail,
    results: async (id) => (await post('/api/job/result', named(id))) as readonly Result[],
    operators: async () => (await get('/api/operators')) as readonly Operator[],
    models: async () => (await get('/api/models')) as readonly Model[],
    cancel: async (id) => {
      await post('/api/job/cancel', named(id))
    },
    events: (id, after, signal) =>
      fetch(`${url}/api/job/events/${encodeURIComponent(id)}`, {
        headers: { ...headers(), ...(after === '' ? {} : { 'last-event-id': after }) },
        credentials: 'omit',
        signal,
      }),
    list: async (filter) => {
      const query = new URLSearchParams({ limit: String(PAGE) })
      for (const [name, value] of Object.entries(filter))
        if (value !== undefined && value !== '') query.set(name, value)
      const { result, next } = await readEnvelope(
        await fetch(`${url}/api/jobs?${query.toString()}`, {
          headers: headers(),
          credentials: 'omit',
        }),
      )
      return { jobs: result as readonly ListedJob[], next }
    },
    receipt: (id) => get(`/api/job/receipt/${encodeURIComponent(id)}`),
  }
}
