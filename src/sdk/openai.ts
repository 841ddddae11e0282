/**
 * A `fetch` for clients of OpenAI's API (`openai`, `ai`, …) against a dispatcher, which verifies the bundle of each answer
 * (`assay/openai`, D151). By default nothing of an answer is seen before it is verified.
 */
import { askedOf, type Asked } from './asked.ts'
import { readText } from './boundedBody.ts'
import { textOfAnswer } from './completion.ts'
import { confirm, type Confirmation, type Requirement } from './confirm.ts'
import { callRoute, createSend } from './request.ts'
import type { Fact, Trust } from './proof.ts'
import { reasonOf, refusal } from './unverified.ts'
import { heldStream, shownStream } from './verifiedStream.ts'

export type { Confirmation, Fact, Trust }

export type VerifyingOptions = {
  /** What you know from other sources; at least `dispatcher`. */
  readonly trust: Trust
  /** Facts that every answer needs; by default one of signed, re-executed and hardware. */
  readonly require?: readonly Fact[]
  /**
   * `wait` (default): an answer is seen once it is verified. `show`: it is seen at once, and a stream ends with an error, without its
   * last chunk, where it does not verify; for whole answers `onConfirmation` alone says so.
   */
  readonly policy?: 'wait' | 'show'
  /** How long facts such as `anchored` may take, in milliseconds. Default 60,000. */
  readonly waitMs?: number
  /** Called with every outcome, good or bad. */
  readonly onConfirmation?: (confirmation: Confirmation) => void
  /** The `fetch` to use; by default that of the platform. */
  readonly fetch?: typeof fetch
}

const DEFAULT_WAIT_MS = 60_000
const COMPLETIONS = /^(.*)\/v1\/(chat\/completions|completions)\/?$/
const JOB_ID = /^[0-9a-f]{64}$/

/** The response with another body, without headers that describe the old one, and what was found. */
function answered(
  response: Response,
  body: string | ReadableStream<Uint8Array>,
  facts?: Confirmation['facts'],
): Response {
  const headers = new Headers(response.headers)
  for (const name of ['content-length', 'content-encoding', 'transfer-encoding'])
    headers.delete(name)
  if (facts !== undefined) headers.set('x-assay-facts', [...new Set(facts.flat())].join(','))
  return new Response(body, { status: response.status, statusText: response.statusText, headers })
}

type Sent = {
  readonly base: string
  readonly isChat: boolean
  readonly asked: Asked
  readonly request: Request
}

/** The request, if it is one whose answer can be verified; undefined for any other. Throws TypeError as `askedOf` does. */
async function sentOf(request: Request): Promise<Sent | undefined> {
  const url = new URL(request.url)
  const [, prefix, kind] = COMPLETIONS.exec(url.pathname) ?? []
  if (kind === undefined || request.method !== 'POST') return undefined
  const body = (await request.clone().json()) as Readonly<Record<string, unknown>>
  const isChat = kind !== 'completions'
  return { base: `${url.origin}${prefix ?? ''}`, isChat, asked: askedOf(body, isChat), request }
}

/** A `fetch` that gives answers of completions once they are verified; other requests pass. */
export function createVerifyingFetch(options: VerifyingOptions): typeof fetch {
  const { trust, require = [], policy = 'wait', waitMs = DEFAULT_WAIT_MS, fetch: own } = options
  const requirement: Requirement = { trust, require, waitMs }

  /** Confirms the text of a job's answer. Never rejects, but with the reason of an aborted signal. */
  async function confirmed(sent: Sent, jobId: string, text: string): Promise<Confirmation> {
    const { signal, headers } = sent.request
    const token = /^Bearer (\S+)$/i.exec(headers.get('authorization') ?? '')?.[1]
    const send = createSend({
      url: sent.base,
      ...(token !== undefined && { token }),
      ...(own !== undefined && { fetch: own }),
    })
    const fetchBundle = async () =>
      (await callRoute(send, 'jobReceipt', { job_id: jobId }, { signal })).result
    const found = await confirm(jobId, fetchBundle, sent.asked, text, requirement, signal).catch(
      (error: unknown): Confirmation => {
        signal.throwIfAborted()
        const reason = error instanceof Error ? error.message : String(error)
        const line = {
          about: 'this answer',
          status: 'fails',
          text: `its bundle: ${reason}`,
        } as const
        return { jobId, bundle: undefined, verdict: 'fails', facts: [], lines: [line] }
      },
    )
    options.onConfirmation?.(found)
    return found
  }

  async function whole(sent: Sent, jobId: string, response: Response): Promise<Response> {
    const body = await readText(response)
    const text = textOfAnswer(JSON.parse(body))
    if (policy === 'show') {
      // A request that is aborted has no answer to confirm.
      void confirmed(sent, jobId, text).catch(() => undefined)
      return answered(response, body)
    }
    const found = await confirmed(sent, jobId, text)
    const reason = reasonOf(found)
    return reason === undefined ? answered(response, body, found.facts) : refusal(reason, jobId)
  }

  async function streamed(sent: Sent, jobId: string, response: Response): Promise<Response> {
    if (response.body === null) return refusal('the stream has no body', jobId)
    const check = async (text: string): Promise<string | undefined> =>
      reasonOf(await confirmed(sent, jobId, text))
    if (policy === 'show') return answered(response, shownStream(response.body, check))
    const held = await heldStream(response.body, check)
    return 'reason' in held ? refusal(held.reason, jobId) : answered(response, held.body)
  }

  return async (input, init) => {
    const request = new Request(input, init)
    let sent: Sent | undefined
    try {
      sent = await sentOf(request)
    } catch (error) {
      return refusal(error instanceof Error ? error.message : String(error))
    }
    const response = await (own ?? fetch)(request)
    if (sent === undefined || !response.ok) return response
    const jobId = response.headers.get('x-assay-job') ?? ''
    if (!JOB_ID.test(jobId)) return refusal('the server names no job, so nothing proves its answer')
    try {
      return await (sent.asked.streams ? streamed : whole)(sent, jobId, response)
    } catch (error) {
      request.signal.throwIfAborted()
      return refusal(error instanceof Error ? error.message : String(error), jobId)
    }
  }
}
