/** The explorer's server: the built files, and the addresses that its page talks to. Nothing else. */
import fs from 'node:fs'
import http, { type IncomingMessage, type ServerResponse } from 'node:http'
import { pipeline } from 'node:stream'
import { createBrotliDecompress } from 'node:zlib'
import { createHostGuard, isLoopback } from '../base/hosts.ts'
import { limitConnections } from '../base/fairConnections.ts'
import { httpTimeouts } from '../base/httpTimeouts.ts'
import { closeServer, formatAddress, listenAll, type ListenAddress } from '../base/listen.ts'
import type { Log } from '../base/log.ts'
import { PAGE, type Asset, type Assets } from './assets.ts'
import { securityHeaders, type Endpoints } from './policy.ts'

export type ExplorerOptions = {
  readonly address: ListenAddress
  readonly assets: Assets
  /** Allowed values of the Host header, besides IP addresses and localhost. */
  readonly hosts: readonly string[]
  readonly log: Log
}

export type Explorer = {
  readonly url: string
  /** Web origins of the page, which the servers that it talks to must allow. */
  readonly origins: readonly string[]
  /** Sets the addresses of all services. Until then, the page is told to retry. */
  announce(endpoints: Endpoints): void
  close(): Promise<void>
}

const CLOSE_GRACE_MS = 500
const LIMITS = httpTimeouts({
  headersTimeout: 10_000,
  requestTimeout: 10_000,
  keepAliveTimeout: 30_000,
})
const MAX_CONNECTIONS = 1000

/** Scripts that may run WebAssembly: the compiler's worker. */
const COMPILER = /^\/assets\/compiler-[\w-]+\.js$/

function originsOf({ host, port }: ListenAddress, hosts: readonly string[]): string[] {
  const names = isLoopback(host) ? ['127.0.0.1', 'localhost', '[::1]'] : [formatHost(host)]
  return [...new Set([...names, ...hosts])].map((name) => `http://${name}:${port}`)
}

function formatHost(host: string): string {
  return host.includes(':') ? `[${host}]` : host
}

/** The path of a request target: every path that is not a file is a page of the explorer. */
function pathOf(target: string): string {
  const path = target.split(/[?#]/, 1)[0] ?? '/'
  const name = path.slice(path.lastIndexOf('/') + 1)
  return name.includes('.') ? path : PAGE
}

/** Starts serving. Throws UserError when the address is in use. */
export async function startExplorer(options: ExplorerOptions): Promise<Explorer> {
  const { assets, log } = options
  const isHostAllowed = createHostGuard(options.hosts)
  let endpoints: Endpoints | undefined

  function refuse(response: ServerResponse, status: number, text: string): void {
    response
      .writeHead(status, {
        ...securityHeaders(undefined, { mayCompile: false }),
        'content-type': 'text/plain; charset=utf-8',
        'cache-control': 'no-store',
      })
      .end(`${text}\n`)
  }

  function sendConfig(response: ServerResponse): void {
    if (endpoints === undefined) {
      response.setHeader('retry-after', '1')
      refuse(response, 503, 'the node is starting')
      return
    }
    response
      .writeHead(200, {
        ...securityHeaders(endpoints, { mayCompile: false }),
        'content-type': 'application/json',
        'cache-control': 'no-store',
      })
      .end(JSON.stringify(endpoints))
  }

  function sendAsset(request: IncomingMessage, response: ServerResponse, asset: Asset): void {
    const { file, encoding, isPacked } = assets.choose(
      asset,
      request.headers['accept-encoding'] ?? '',
    )
    const etag = `"${asset.digest.slice(0, 32)}${encoding === undefined ? '' : `-${encoding}`}"`
    const headers = {
      ...securityHeaders(endpoints, { mayCompile: COMPILER.test(asset.path) }),
      'content-type': asset.type,
      'cache-control': asset.immutable ? 'public, max-age=31536000, immutable' : 'no-cache',
      etag,
      vary: 'Accept-Encoding',
      ...(encoding === undefined ? {} : { 'content-encoding': encoding }),
    }
    if (request.headers['if-none-match'] === etag) {
      response.writeHead(304, headers).end()
      return
    }
    const length = isPacked ? asset.size : fs.statSync(file).size
    response.writeHead(200, { ...headers, 'content-length': length })
    const ended = (error: Error | null | undefined) => {
      if (error) log.debug({ err: error }, 'an answer of the explorer ended early')
    }
    if (request.method === 'HEAD') response.end()
    else if (isPacked)
      pipeline(fs.createReadStream(file), createBrotliDecompress(), response, ended)
    else pipeline(fs.createReadStream(file), response, ended)
  }

  function handle(request: IncomingMessage, response: ServerResponse): void {
    if (!isHostAllowed(request.headers.host)) {
      refuse(response, 403, 'this host name is not served here: add it to json-rpc.hosts')
      return
    }
    if (request.method !== 'GET' && request.method !== 'HEAD') {
      response.setHeader('allow', 'GET, HEAD')
      refuse(response, 405, 'method not allowed')
      return
    }
    const path = pathOf(request.url ?? '/')
    if (path === '/config.json') {
      sendConfig(response)
      return
    }
    const asset = assets.find(path)
    if (asset === undefined) refuse(response, 404, 'not found')
    else sendAsset(request, response, asset)
  }

  function serve(request: IncomingMessage, response: ServerResponse): void {
    try {
      handle(request, response)
    } catch (error) {
      log.error({ err: error }, 'the explorer could not answer')
      if (response.headersSent) response.destroy()
      else refuse(response, 500, 'internal error')
    }
  }

  const create = (): http.Server => {
    const server = http.createServer(LIMITS, serve)
    limitConnections(server, MAX_CONNECTIONS)
    return server
  }
  const { servers, port } = await listenAll(create, options.address, '--explorer.address host:port')
  const address = { host: options.address.host, port }
  return {
    url: `http://${formatAddress(address)}`,
    origins: originsOf(address, options.hosts),
    announce(known) {
      endpoints = known
    },
    async close() {
      await Promise.all(servers.map((server) => closeServer(server, CLOSE_GRACE_MS)))
    },
  }
}
