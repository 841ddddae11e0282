/** GET /metrics on an address of its own, for programs that serve nothing else over plain HTTP. */
import http, { type IncomingMessage, type ServerResponse } from 'node:http'
import { limitConnections } from './fairConnections.ts'
import { createHostGuard } from './hosts.ts'
import { httpTimeouts } from './httpTimeouts.ts'
import { closeServer, listenAll, type ListenAddress } from './listen.ts'
import type { Log } from './log.ts'
import type { Scrape } from './metricTable.ts'

const CLOSE_GRACE_MS = 500
const HEADERS_TIMEOUT_MS = 5_000
const MAX_CONNECTIONS = 64

export type MetricsServerOptions = {
  readonly address: ListenAddress
  /** The option that changes the address, for errors: "--metrics.address host:port". */
  readonly flag: string
  readonly scrape: (accept?: string) => Promise<Scrape>
  readonly log: Log
}

export type MetricsServer = { readonly address: ListenAddress; close(): Promise<void> }

/** Starts the server. Throws UserError when the address is taken. */
export async function startMetricsServer(options: MetricsServerOptions): Promise<MetricsServer> {
  const { address, flag, scrape, log } = options
  const isHostAllowed = createHostGuard([])

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    if (!isHostAllowed(request.headers.host)) response.writeHead(403).end()
    else if (request.url !== '/metrics') response.writeHead(404).end()
    else if (request.method !== 'GET') response.writeHead(405, { allow: 'GET' }).end()
    else {
      const { type, text } = await scrape(request.headers.accept)
      response.writeHead(200, { 'content-type': type }).end(text)
    }
  }

  function create(): http.Server {
    const server = http.createServer(
      httpTimeouts({ headersTimeout: HEADERS_TIMEOUT_MS }),
      (request, response) => {
        answer(request, response).catch((error: unknown) => {
          log.error({ err: error }, 'metrics could not be read')
          response.destroy()
        })
      },
    )
    limitConnections(server, MAX_CONNECTIONS)
    return server
  }

  const { servers, port } = await listenAll(create, address, flag)
  return {
    address: { host: address.host, port },
    async close() {
      await Promise.all(servers.map((server) => closeServer(server, CLOSE_GRACE_MS)))
    },
  }
}
