/**
 * A stand-in for a store that speaks the protocol of Amazon S3: one bucket in memory, which checks every signature by itself. It
 * does put and get with a range, and no more.
 */
import { createHash, createHmac } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { buffer } from 'node:stream/consumers'

export type Bucket = {
  /** With the key. */
  readonly url: string
  readonly objects: Map<string, Buffer>
  /** Whether it answers with 503. */
  isAway: boolean
  close(): void
}

const KEY = 'ACCESS'
const SECRET = 'secret/key'
const REGION = 'eu-test-1'

/** Starts one on a free port. */
export async function startBucket(): Promise<Bucket> {
  const objects = new Map<string, Buffer>()
  const server = createServer((request, response) => {
    void buffer(request).then((body) => {
      const name = request.url ?? ''
      if (bucket.isAway) return response.writeHead(503).end()
      if (!isSigned(request, body)) return response.writeHead(403).end()
      if (request.method === 'PUT') {
        objects.set(name, body)
        return response.end()
      }
      const object = objects.get(name)
      if (object === undefined) return response.writeHead(404).end()
      const [, from, to] = /^bytes=(\d+)-(\d+)$/.exec(request.headers.range ?? '') ?? []
      return response.writeHead(206).end(object.subarray(Number(from), Number(to) + 1))
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  const bucket: Bucket = {
    url: `http://${KEY}:${encodeURIComponent(SECRET)}@127.0.0.1:${port}/jobs?region=${REGION}`,
    objects,
    isAway: false,
    close: () => void server.close(),
  }
  return bucket
}

const sha256 = (bytes: Buffer | string): string => createHash('sha256').update(bytes).digest('hex')
const hmac = (key: Buffer | string, text: string): Buffer =>
  createHmac('sha256', key).update(text).digest()

function isSigned({ method, url, headers }: IncomingMessage, body: Buffer): boolean {
  const [, scope = '', names = '', signature] =
    /Credential=ACCESS\/([^,]+),SignedHeaders=([^,]+),Signature=(\w+)$/.exec(
      headers.authorization ?? '',
    ) ?? []
  const lines = names.split(';').map((name) => `${name}:${String(headers[name])}\n`)
  const hash = sha256(body)
  if (headers['x-amz-content-sha256'] !== hash) return false
  const canonical = `${method}\n${url}\n\n${lines.join('')}\n${names}\n${hash}`
  const time = String(headers['x-amz-date'])
  const text = `AWS4-HMAC-SHA256\n${time}\n${scope}\n${sha256(canonical)}`
  const key = hmac(
    hmac(hmac(hmac(`AWS4${SECRET}`, time.slice(0, 8)), REGION), 's3'),
    'aws4_request',
  )
  return hmac(key, text).toString('hex') === signature
}
