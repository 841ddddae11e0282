/**
 * The socket on which CometBFT reaches the application. It opens four connections, none of which identifies its
 * purpose.
 */
import net from 'node:net'
import { listen, listenOnPath, type ListenAddress } from '../../base/listen.ts'
import { serveConnection, type ConnectionOptions } from './connection.ts'

/** Where CometBFT connects: the path of a Unix socket, or a TCP address. */
export type AbciAddress = { readonly path: string } | ListenAddress

/** A second engine may connect while the first one's connections are closing; more than this are strangers. */
const MAX_CONNECTIONS = 16

export type AbciServer = {
  /** In the format of CometBFT's `proxy_app`, with the actual port. */
  readonly url: string
  /** Drops every connection; CometBFT then exits by itself. */
  close(): Promise<void>
}

/** Starts listening. Throws UserError. */
export async function startAbciServer(
  address: AbciAddress,
  options: ConnectionOptions & {
    /** Called when CometBFT connects and was not connected before. */
    readonly onArrival?: () => void
  },
): Promise<AbciServer> {
  const sockets = new Set<net.Socket>()
  const server = net.createServer({ noDelay: true }, (socket) => {
    if (sockets.size === 0) options.onArrival?.()
    sockets.add(socket)
    socket.once('close', () => sockets.delete(socket))
    serveConnection(socket, options)
  })
  server.maxConnections = MAX_CONNECTIONS
  let url: string
  if ('path' in address) {
    await listenOnPath(server, address.path, '--consensus.abci-address')
    url = `unix://${address.path}`
  } else {
    const port = await listen(server, address, '--consensus.abci-address tcp://host:port')
    url = `tcp://${address.host}:${port}`
  }
  return {
    url,
    async close() {
      const closed = new Promise<void>((resolve) => server.close(() => resolve()))
      for (const socket of sockets) socket.destroy()
      await closed
    },
  }
}
