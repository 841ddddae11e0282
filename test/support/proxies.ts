/**
 * TCP proxies between the nodes of a network: a node that is cut off can neither reach others nor be reached, while its
 * process runs.
 */
import { once } from 'node:events'
import net from 'node:net'

/** One direction between two nodes. */
type Proxy = { readonly port: number; cut(): void; close(): Promise<void> }

async function startProxy(targetPort: number, isCut: () => boolean): Promise<Proxy> {
  const sockets = new Set<net.Socket>()
  function keep(socket: net.Socket, other: net.Socket): void {
    sockets.add(socket)
    socket.on('error', () => undefined)
    socket.on('close', () => {
      sockets.delete(socket)
      other.destroy()
    })
  }
  const server = net.createServer((incoming) => {
    if (isCut()) {
      incoming.destroy()
      return
    }
    const outgoing = net.connect(targetPort, '127.0.0.1')
    keep(incoming, outgoing)
    keep(outgoing, incoming)
    incoming.pipe(outgoing).pipe(incoming)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    port: (server.address() as net.AddressInfo).port,
    cut() {
      for (const socket of sockets) socket.destroy()
    },
    async close() {
      for (const socket of sockets) socket.destroy()
      server.close()
      await once(server, 'close')
    },
  }
}

export type PeerProxies = {
  /** The port at which one node reaches another. */
  portFor(from: string, to: string): number
  /** Ends every connection of a node and lets no new one through. */
  disconnect(name: string): void
  reconnect(name: string): void
  close(): Promise<void>
}

/** A proxy for each ordered pair of nodes with these ports. */
export async function startPeerProxies(
  nodes: readonly { readonly name: string; readonly port: number }[],
): Promise<PeerProxies> {
  const cutOff = new Set<string>()
  const proxies = new Map<string, Proxy>()
  for (const from of nodes)
    for (const to of nodes)
      if (from !== to) {
        const isCut = () => cutOff.has(from.name) || cutOff.has(to.name)
        proxies.set(`${from.name} ${to.name}`, await startProxy(to.port, isCut))
      }
  return {
    portFor(from, to) {
      const proxy = proxies.get(`${from} ${to}`)
      if (proxy === undefined) throw new RangeError(`nothing leads from ${from} to ${to}`)
      return proxy.port
    },
    disconnect(name) {
      cutOff.add(name)
      for (const [pair, proxy] of proxies) if (pair.split(' ').includes(name)) proxy.cut()
    },
    reconnect: (name) => void cutOff.delete(name),
    async close() {
      await Promise.all([...proxies.values()].map((proxy) => proxy.close()))
    },
  }
}
