/** Requests to a server that speaks OpenAI's API (D142). What it sends is bounded, and never repeated in an error. */
import { request as httpRequest, type IncomingMessage } from 'node:http'
import { request as httpsRequest } from 'node:https'
import { codeOf } from '../../../base/errors.ts'
import { parseBounded } from '../../../base/jsonBudget.ts'
import { InferenceError } from '../../../inference/errors.ts'

/** What a response may take, and one event of a stream. */
const MAX_RESPONSE = 64 * 1024 * 1024
const LIMITS = { bytes: 16 * 1024 * 1024, depth: 16, values: 100_000 }

export type BackendClient = {
  /** GET. Rejects with InferenceError, or the signal's reason. */
  get(path: string, signal: AbortSignal): Promise<unknown>
  /** POST; yields the data of each server-sent event up to [DONE]. Rejects as `get` does. */
  stream(path: string, body: object, signal: AbortSignal): AsyncGenerator<unknown>
}

/** A client of the server whose paths begin at `url`. */
export function backendClient(url: string, key: string | undefined): BackendClient {
  const base = new URL(url.endsWith('/') ? url : `${url}/`)
  const open = async (
    path: string,
    body: string | undefined,
    signal: AbortSignal,
  ): Promise<IncomingMessage> => {
    const response = await send(new URL(path, base), key, body, signal)
    if (response.statusCode === 200) return response
    const reason = await reasonOf(response)
    throw refusalOf(response.statusCode ?? 0, base.origin, reason)
  }
  const explained = (error: unknown, signal: AbortSignal): unknown => {
    if (signal.aborted) return signal.reason
    if (error instanceof InferenceError) return error
    const text = `the server at ${base.origin} failed (${codeOf(error) ?? 'a malformed response'})`
    return new InferenceError('engine-unavailable', text)
  }
  return {
    async get(path, signal) {
      try {
        const response = await open(path, undefined, signal)
        return parseBounded(await readAll(response), LIMITS)
      } catch (error) {
        throw explained(error, signal)
      }
    },
    async *stream(path, body, signal) {
      try {
        const response = await open(path, JSON.stringify(body), signal)
        for await (const data of events(bounded(response))) {
          if (data === '[DONE]') return
          yield parseBounded(data, LIMITS)
        }
        throw new Error('the stream ended before [DONE]')
      } catch (error) {
        throw explained(error, signal)
      }
    },
  }
}

async function readAll(response: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = []
  for await (const chunk of bounded(response)) chunks.push(chunk)
  return Buffer.concat(chunks)
}

async function* bounded(response: IncomingMessage): AsyncGenerator<Buffer> {
  let size = 0
  for await (const chunk of response as AsyncIterable<Buffer>) {
    size += chunk.length
    if (size > MAX_RESPONSE) throw new Error('the response is too large')
    yield chunk
  }
}

/** The data of server-sent events (HTML standard); other fields are not used by this API. */
async function* events(chunks: AsyncIterable<Buffer>): AsyncGenerator<string> {
  const decoder = new TextDecoder()
  let rest = ''
  let data: string[] = []
  for await (const chunk of chunks) {
    const lines = (rest + decoder.decode(chunk, { stream: true })).split(/\r\n|\n|\r/)
    rest = lines.pop() ?? ''
    for (const line of lines) {
      if (line.startsWith('data:')) data.push(line.slice(5).replace(/^ /, ''))
      if (line !== '' || data.length === 0) continue
      yield data.join('\n')
      data = []
    }
  }
  if (rest.startsWith('data:')) data.push(rest.slice(5).trim())
  if (data.length > 0) yield data.join('\n')
}

/** The name of an error, which is all of the response that is repeated: its text may have the prompt in it. */
async function reasonOf(response: IncomingMessage): Promise<string> {
  try {
    const body = parseBounded(await readAll(response), LIMITS)
    const { error } = body as { readonly error?: { readonly code?: unknown } }
    return typeof error?.code === 'string' && /^\w{1,64}$/.test(error.code) ? `, ${error.code}` : ''
  } catch {
    return ''
  }
}

function refusalOf(status: number, origin: string, reason: string): InferenceError {
  const text = `the server at ${origin} answered with status ${status}${reason}`
  if (status === 404) return new InferenceError('unknown-model', text)
  const isOwnFault = status === 400 || status === 413 || status === 422
  return new InferenceError(isOwnFault ? 'bad-parameters' : 'engine-unavailable', text)
}

/** No timeout besides the signal: generation may take long. */
function send(
  url: URL,
  key: string | undefined,
  body: string | undefined,
  signal: AbortSignal,
): Promise<IncomingMessage> {
  const open = url.protocol === 'https:' ? httpsRequest : httpRequest
  return new Promise((resolve, reject) => {
    const request = open(url, {
      method: body === undefined ? 'GET' : 'POST',
      headers: {
        ...(body !== undefined && { 'content-type': 'application/json' }),
        ...(key !== undefined && { authorization: `Bearer ${key}` }),
      },
      signal,
    })
    request.on('response', resolve)
    request.on('error', reject)
    request.end(body)
  })
}
