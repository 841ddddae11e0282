/** Objects in a bucket that speaks the protocol of Amazon S3 (D107): put, and get a part. Requests are signed by its version 4. */
import { createHash, createHmac } from 'node:crypto'
import { UserError } from '../../../base/errors.ts'

const REQUEST_MS = 30_000
const SERVICE = 's3'

export type ObjectStore = {
  /** Stores an object under a name of letters, digits, "-", "/" and "."; resolves when the store has it. */
  put(name: string, bytes: Uint8Array): Promise<void>
  /** `length` bytes of an object, from `offset` on; undefined if there is no such object. */
  get(
    name: string,
    part: { readonly offset: number; readonly length: number },
  ): Promise<Buffer | undefined>
}

/** Who signs: an access key and its secret, for a region. */
export type Credentials = {
  readonly accessKey: string
  readonly secretKey: string
  readonly region: string
}

/** The store did not do what was asked; the message names no secret. */
export class ObjectStoreError extends Error {
  override readonly name = 'ObjectStoreError'
}

/**
 * A bucket by its URL, "https://ACCESS_KEY:SECRET_KEY@host:port/bucket/prefix?region=us-east-1". Throws UserError when a part is
 * missing.
 */
export function openObjectStore(text: string): ObjectStore {
  const url = URL.canParse(text) ? new URL(text) : undefined
  const isWeb = url?.protocol === 'https:' || url?.protocol === 'http:'
  if (url === undefined || !isWeb || url.pathname === '/' || url.password === '')
    throw new UserError(
      'dispatcher.archive is not the URL of a bucket',
      'Write it as https://ACCESS_KEY:SECRET_KEY@host/bucket?region=us-east-1.',
    )
  const credentials = {
    accessKey: decodeURIComponent(url.username),
    secretKey: decodeURIComponent(url.password),
    region: url.searchParams.get('region') ?? 'us-east-1',
  }
  const base = `${url.origin}${url.pathname.replace(/\/$/, '')}`
  const ask = async (
    method: 'GET' | 'PUT',
    name: string,
    body: Uint8Array,
    more: Readonly<Record<string, string>> = {},
  ): Promise<Response> => {
    const at = new URL(`${base}/${name}`)
    const headers = signed({ method, url: at, body, headers: more }, credentials, new Date())
    const response = await fetch(at, {
      method,
      headers,
      redirect: 'error',
      signal: AbortSignal.timeout(REQUEST_MS),
      ...(method === 'PUT' && { body: Buffer.from(body) }),
    }).catch((error: unknown) => {
      throw new ObjectStoreError(`the archive at ${at.host} does not respond`, { cause: error })
    })
    if (response.ok || response.status === 404) return response
    await response.body?.cancel()
    throw new ObjectStoreError(`the archive at ${at.host} answers with status ${response.status}`)
  }
  return {
    async put(name, bytes) {
      const response = await ask('PUT', name, bytes)
      await response.body?.cancel()
      if (!response.ok) throw new ObjectStoreError('the archive has no such bucket')
    },
    async get(name, { offset, length }) {
      const range = `bytes=${offset}-${offset + length - 1}`
      const response = await ask('GET', name, new Uint8Array(), { range })
      if (response.ok) return readExactly(response, length)
      await response.body?.cancel()
      return undefined
    },
  }
}

/** Never more than was asked for, whatever the store sends. */
async function readExactly(response: Response, length: number): Promise<Buffer> {
  const chunks: Uint8Array[] = []
  let size = 0
  for await (const chunk of response.body ?? []) {
    chunks.push(chunk)
    size += chunk.length
    if (size > length) break
  }
  if (size !== length)
    throw new ObjectStoreError(`the archive sent another part than ${length} bytes`)
  return Buffer.concat(chunks)
}

/** The headers of a request, with its signature (AWS Signature Version 4, one chunk). */
export function signed(
  request: {
    readonly method: string
    readonly url: URL
    readonly body: Uint8Array
    readonly headers: Readonly<Record<string, string>>
  },
  { accessKey, secretKey, region }: Credentials,
  now: Date,
): Record<string, string> {
  const time = now.toISOString().replaceAll(/[-:]|\.\d{3}/g, '')
  const date = time.slice(0, 8)
  const headers: Record<string, string> = {
    ...request.headers,
    host: request.url.host,
    'x-amz-content-sha256': digest(request.body),
    'x-amz-date': time,
  }
  const names = Object.keys(headers).sort()
  const canonical = [
    request.method,
    request.url.pathname,
    '',
    ...names.map((name) => `${name}:${headers[name]}`),
    '',
    names.join(';'),
    headers['x-amz-content-sha256'],
  ].join('\n')
  const scope = `${date}/${region}/${SERVICE}/aws4_request`
  const text = ['AWS4-HMAC-SHA256', time, scope, digest(canonical)].join('\n')
  const key = [date, region, SERVICE, 'aws4_request'].reduce<Buffer | string>(
    (secret, part) => createHmac('sha256', secret).update(part).digest(),
    `AWS4${secretKey}`,
  )
  const signature = createHmac('sha256', key).update(text).digest('hex')
  const { host: _, ...sent } = headers
  return {
    ...sent,
    authorization: `AWS4-HMAC-SHA256 Credential=${accessKey}/${scope},SignedHeaders=${names.join(';')},Signature=${signature}`,
  }
}

function digest(bytes: Uint8Array | string): string {
  return createHash('sha256').update(bytes).digest('hex')
}
