/**
 * Requests to servers of models, through the proxies that HTTP_PROXY, HTTPS_PROXY and NO_PROXY name (D124). Redirects are
 * followed here: what is secret goes to the server that it is for, and never on to another.
 */
import { EnvHttpProxyAgent, request, type Dispatcher } from 'undici'
import { codeOf, messageOf, UserError } from '../base/errors.ts'

const MAX_REDIRECTS = 8
/** Time until an answer begins, and between two parts of it. */
const HEADERS_MS = 30_000
const STALL_MS = 60_000
/** Of a page that is read as a whole. */
const MAX_PAGE_BYTES = 16 * 1024 * 1024

type Environment = Readonly<Record<string, string | undefined>>

export type Answer = {
  readonly status: number
  header(name: string): string | undefined
  readonly body: Dispatcher.ResponseData['body']
  /** Where it came from, after redirects. */
  readonly url: URL
}

export type Ask = {
  readonly method?: 'GET' | 'HEAD'
  readonly headers?: Readonly<Record<string, string>>
  /** Sent to the origin of the first request alone. */
  readonly authorization?: string | undefined
  /** Ends the chain of redirects at an answer that has this header. */
  readonly until?: string
  readonly signal: AbortSignal
}

export type Web = {
  /** The answer after redirects, of any status. Rejects with UserError for bad redirects, else with the error of the network. */
  ask(url: URL, ask: Ask): Promise<Answer>
  /** The text and final address of a page. Rejects with UserError unless its status is 200. */
  page(
    url: URL,
    ask: Ask,
  ): Promise<{ readonly text: string; readonly type: string; readonly url: URL }>
  close(): Promise<void>
}

/** An address without what could be secret. */
export function shownUrl({ origin, pathname }: URL): string {
  return `${origin}${pathname}`
}

/** An error of the network in words; codes such as ENOTFOUND are its best summary. */
export function networkFault(error: unknown): string {
  const cause = error instanceof Error && error.cause !== undefined ? error.cause : error
  return codeOf(cause) ?? messageOf(cause)
}

function openAgent(environment: Environment, stallMs: number): Dispatcher {
  const of = (name: string): string => environment[name.toLowerCase()] ?? environment[name] ?? ''
  const httpProxy = of('HTTP_PROXY')
  try {
    return new EnvHttpProxyAgent({
      httpProxy,
      httpsProxy: of('HTTPS_PROXY') || httpProxy,
      noProxy: of('NO_PROXY'),
      headersTimeout: Math.min(stallMs, HEADERS_MS),
      bodyTimeout: stallMs,
      // A plain proxy of http need not allow CONNECT to other ports than that of https.
      proxyTunnel: false,
    })
  } catch {
    throw new UserError(
      'HTTP_PROXY or HTTPS_PROXY is not the address of a proxy',
      'Write it as http://host:port.',
    )
  }
}

function nextUrl(answer: Answer, location: string): URL {
  const from = answer.url
  if (!URL.canParse(location, from.href))
    throw new UserError(`${shownUrl(from)} redirects to something that is not an address`)
  const next = new URL(location, from)
  if (next.protocol !== 'https:' && !(next.protocol === 'http:' && from.protocol === 'http:'))
    throw new UserError(`${shownUrl(from)} redirects to ${next.protocol}, which is not followed`)
  return next
}

/** Opens it. `stallMs` is the maximum time without a byte. Throws UserError when the environment names no proper proxy. */
export function openWeb(environment: Environment, stallMs = STALL_MS): Web {
  const agent = openAgent(environment, stallMs)
  const once = async (url: URL, { method = 'GET', headers, signal }: Ask): Promise<Answer> => {
    const response = await request(url, {
      method,
      // The bytes as they are: a compressed transfer has no ranges.
      headers: { 'accept-encoding': 'identity', 'user-agent': 'assay', ...headers },
      dispatcher: agent,
      signal,
    })
    // An answer that is given up reports that as an error of its body.
    response.body.on('error', () => undefined)
    const header = (name: string): string | undefined => {
      const value = response.headers[name]
      return Array.isArray(value) ? value[0] : value
    }
    return { status: response.statusCode, header, body: response.body, url }
  }
  const ask = async (first: URL, options: Ask): Promise<Answer> => {
    const { authorization, until } = options
    let url = first
    for (let count = 0; count <= MAX_REDIRECTS; count++) {
      const own = authorization !== undefined && url.origin === first.origin
      const headers = { ...options.headers, ...(own && { authorization }) }
      const answer = await once(url, { ...options, headers })
      const location = answer.header('location')
      const isRedirect = answer.status >= 300 && answer.status < 400 && location !== undefined
      if (!isRedirect || (until !== undefined && answer.header(until) !== undefined)) return answer
      answer.body.destroy()
      url = nextUrl(answer, location)
    }
    throw new UserError(`${shownUrl(first)} redirects more than ${MAX_REDIRECTS} times`)
  }
  return {
    ask,
    async page(url, options) {
      const answer = await ask(url, options)
      if (answer.status !== 200) {
        answer.body.destroy()
        throw new UserError(`${shownUrl(answer.url)} answers with status ${answer.status}`)
      }
      const chunks: Buffer[] = []
      let size = 0
      for await (const chunk of answer.body as AsyncIterable<Buffer>) {
        size += chunk.length
        if (size > MAX_PAGE_BYTES)
          throw new UserError(`${shownUrl(answer.url)} is larger than ${MAX_PAGE_BYTES} bytes`)
        chunks.push(chunk)
      }
      const text = Buffer.concat(chunks).toString('utf8')
      return { text, type: answer.header('content-type') ?? '', url: answer.url }
    },
    close: () => agent.destroy(),
  }
}
