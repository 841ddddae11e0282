/** A load balancer for TCP: each connection goes to the next of the targets that are there. It knows nothing of what is said. */
import { once } from 'node:events'
import { connect, createServer, type AddressInfo, type Socket } from 'node:net'

export type Balancer = {
  /** host:port to connect to. */
  readonly address: string
  /** Breaks every connection that goes through it, in both directions. */
  cut(): void
  /** Loses what targets answer, and breaks the connections that are there now so many milliseconds later. */
  mute(milliseconds: number): void
  close(): Promise<void>
}

/** Starts one on a free port; `targets` says where connections can go now, as host:port. */
export async function startBalancer(targets: () => readonly string[]): Promise<Balancer> {
  const sockets = new Set<Socket>()
  const upstreams = new Set<Socket>()
  let turn = 0
  const server = createServer((client) => {
    const present = targets()
    const [host = '', port] = present[turn++ % present.length]?.split(':') ?? []
    if (port === undefined) return client.destroy()
    return join(client, connect(Number(port), host))
  })

  function join(client: Socket, upstream: Socket): void {
    upstreams.add(upstream)
    upstream.on('close', () => upstreams.delete(upstream))
    for (const [one, other] of [
      [client, upstream],
      [upstream, client],
    ] as const) {
      sockets.add(one)
      // Whoever breaks, the other side learns of it by the end of its own connection.
      one.on('error', () => undefined)
      one.on('close', () => {
        sockets.delete(one)
        other.destroy()
      })
      one.pipe(other)
    }
  }

  const cut = (): void => {
    for (const socket of sockets) socket.destroy()
  }
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    address: `127.0.0.1:${(server.address() as AddressInfo).port}`,
    cut,
    mute(milliseconds) {
      const present = [...upstreams]
      for (const upstream of present) upstream.unpipe().resume()
      setTimeout(() => {
        for (const upstream of present) upstream.destroy()
      }, milliseconds)
    },
    async close() {
      const closed = once(server, 'close')
      server.close()
      cut()
      await closed
    },
  }
}
