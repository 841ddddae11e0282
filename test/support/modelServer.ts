/** A server that stands in for a package index, its file host and Hugging Face, with the faults that networks have. */
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import http from 'node:http'
import type { AddressInfo } from 'node:net'

export type Fault =
  | { readonly kind: 'cut'; readonly after: number }
  | { readonly kind: 'status'; readonly status: number }
  | { readonly kind: 'silence' }
  | { readonly kind: 'stall'; readonly after: number }
  | { readonly kind: 'wrong range' }
  | { readonly kind: 'no ranges' }

export type Asked = {
  readonly method: string
  readonly path: string
  readonly range: string | undefined
  readonly authorization: string | undefined
}

export type ModelServer = {
  readonly url: string
  /** Files by path. */
  readonly files: Map<string, Uint8Array>
  /** Other answers by path: a page, or a redirect where there is a location. */
  readonly pages: Map<
    string,
    { readonly status?: number; readonly headers: Record<string, string>; readonly body?: string }
  >
  /** One fault for each of the next answers that carry a file. */
  readonly faults: Fault[]
  readonly asked: Asked[]
  close(): Promise<void>
}

/** SHA-256 in hex digits. */
export function sha256Hex(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex')
}

function sendFile(
  content: Uint8Array,
  fault: Fault | undefined,
  range: string | undefined,
  response: http.ServerResponse,
): void {
  if (fault?.kind === 'silence') return
  if (fault?.kind === 'status') return void response.writeHead(fault.status).end()
  const [, first] = /^bytes=(\d+)-$/.exec(range ?? '') ?? []
  let from = first === undefined || fault?.kind === 'no ranges' ? 0 : Number(first)
  if (from >= content.length && from > 0) return void response.writeHead(416).end()
  const isPart = first !== undefined && fault?.kind !== 'no ranges'
  if (isPart && fault?.kind === 'wrong range') from = 0
  const body = content.subarray(from)
  response.writeHead(isPart ? 206 : 200, {
    'content-length': body.length,
    ...(isPart && { 'content-range': `bytes ${from}-${content.length - 1}/${content.length}` }),
  })
  if (fault?.kind === 'cut') response.write(body.subarray(0, fault.after), () => response.destroy())
  else if (fault?.kind === 'stall') response.write(body.subarray(0, fault.after))
  else response.end(body)
}

/** Starts it on a free port. */
export async function startModelServer(): Promise<ModelServer> {
  const files: ModelServer['files'] = new Map()
  const pages: ModelServer['pages'] = new Map()
  const faults: Fault[] = []
  const asked: Asked[] = []
  const server = http.createServer((request, response) => {
    const { pathname } = new URL(request.url ?? '/', 'http://here')
    const { range, authorization } = request.headers
    asked.push({ method: request.method ?? '', path: pathname, range, authorization })
    const page = pages.get(pathname)
    const file = files.get(pathname)
    if (page !== undefined) response.writeHead(page.status ?? 200, page.headers).end(page.body)
    else if (file !== undefined) sendFile(file, faults.shift(), range, response)
    else response.writeHead(404).end()
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    files,
    pages,
    faults,
    asked,
    async close() {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}
