/** One POST to an address that a user chose. */
import { lookup as resolveName } from 'node:dns/promises'
import http from 'node:http'
import https from 'node:https'
import { isIP } from 'node:net'
import { isPublicAddress } from './address.ts'

/** Why a URL is not allowed, or why the request failed; shown to the project. */
export class WebhookError extends Error {
  override readonly name = 'WebhookError'
}

type Resolved = { readonly address: string; readonly family: number }

export type PostSettings = {
  /** Host names (with the port if it is not the scheme's default) that may be private and may use plain HTTP. */
  readonly trusted: readonly string[]
  /** Total timeout, from name resolution to the head of the response. */
  readonly timeoutMs: number
  /** Resolves a name to all its addresses; the system's resolver when absent. */
  readonly resolve?: (name: string) => Promise<readonly Resolved[]>
}

/** Validates a URL: https without credentials, or a trusted host. Throws WebhookError. */
export function checkWebhookUrl(text: string, trusted: readonly string[]): URL {
  if (!URL.canParse(text)) throw new WebhookError('this is not a URL')
  const url = new URL(text)
  if (url.username !== '' || url.password !== '')
    throw new WebhookError('a webhook URL must not contain credentials: requests are signed')
  const isTrusted = trusted.includes(url.host)
  if (url.protocol !== 'https:' && !(isTrusted && url.protocol === 'http:'))
    throw new WebhookError('a webhook URL must start with https://')
  return url
}

/**
 * Sends a body. Resolves when the response is 2xx. The name is resolved once, all its addresses must be public, and the
 * connection uses one of exactly these addresses, so that the name's resolution cannot change between check and use.
 * Redirects count as failures. Rejects with WebhookError.
 */
export async function postWebhook(
  target: string,
  body: string,
  headers: Readonly<Record<string, string>>,
  settings: PostSettings,
): Promise<void> {
  const url = checkWebhookUrl(target, settings.trusted)
  const signal = AbortSignal.timeout(settings.timeoutMs)
  const pinned = await Promise.race([addressOf(url, settings), expiry(signal)])
  const status = await send(url, pinned, body, headers, signal)
  if (status >= 300 && status < 400)
    throw new WebhookError(`answered ${status}: redirects are not followed`)
  if (status < 200 || status >= 300) throw new WebhookError(`answered ${status}`)
}

async function addressOf(
  url: URL,
  { trusted, resolve = resolveAll }: PostSettings,
): Promise<Resolved> {
  const name = url.hostname.replace(/^\[(.*)\]$/, '$1')
  const family = isIP(name)
  const addresses =
    family === 0
      ? await resolve(name).catch(() => {
          throw new WebhookError('the host name does not resolve')
        })
      : [{ address: name, family }]
  const [first] = addresses
  if (first === undefined) throw new WebhookError('the host name has no address')
  if (!trusted.includes(url.host) && !addresses.every(({ address }) => isPublicAddress(address)))
    throw new WebhookError('the host has an address that is not on the public internet')
  return first
}

function resolveAll(name: string): Promise<readonly Resolved[]> {
  return resolveName(name, { all: true })
}

function expiry(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) =>
    signal.addEventListener('abort', () => reject(new WebhookError('took too long')), {
      once: true,
    }),
  )
}

function send(
  url: URL,
  pinned: Resolved,
  body: string,
  headers: Readonly<Record<string, string>>,
  signal: AbortSignal,
): Promise<number> {
  return new Promise((resolve, reject) => {
    const { request } = url.protocol === 'https:' ? https : http
    const sent = request(url, {
      method: 'POST',
      agent: false,
      signal,
      lookup: (_name, options, done) =>
        options.all === true
          ? done(null, [{ ...pinned }])
          : done(null, pinned.address, pinned.family),
      headers: {
        ...headers,
        'content-type': 'application/json',
        'content-length': Buffer.byteLength(body),
      },
    })
    sent.once('error', () =>
      reject(new WebhookError(signal.aborted ? 'took too long' : 'the connection failed')),
    )
    sent.once('response', (response) => {
      resolve(response.statusCode ?? 0)
      // The rest of the response is ignored.
      response.destroy()
    })
    sent.end(body)
  })
}
