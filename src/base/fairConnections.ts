/** A maximum number of connections that one address cannot take from all others (D82). */
import { Server as HttpServer } from 'node:http'
import type { Server, Socket } from 'node:net'
import { addressGroup } from './addressGroup.ts'
import { connectionLimit } from './descriptors.ts'

/** What node may accept beyond the limit, so that there is something to decide. */
const RESERVE = 64

const REFUSAL =
  'HTTP/1.1 503 Service Unavailable\r\nConnection: close\r\nRetry-After: 1\r\n' +
  'Content-Type: text/plain\r\nContent-Length: 21\r\n\r\ntoo many connections\n'

/** The connections of each address group, the oldest first. */
type Connections = {
  add(group: string, socket: Socket): void
  delete(group: string, socket: Socket): void
  count(): number
  /** Whom a newcomer of a group replaces: the newcomer itself, unless others have more connections than its group. */
  victimOf(group: string, newcomer: Socket): Socket
}

function createConnections(): Connections {
  const groups = new Map<string, Set<Socket>>()
  let count = 0
  return {
    add(group, socket) {
      groups.set(group, (groups.get(group) ?? new Set()).add(socket))
      count++
    },
    delete(group, socket) {
      const sockets = groups.get(group)
      if (sockets?.delete(socket) !== true) return
      count--
      if (sockets.size === 0) groups.delete(group)
    },
    count: () => count,
    victimOf(group, newcomer) {
      let victims = new Set([newcomer])
      let most = groups.get(group)?.size ?? 0
      for (const sockets of groups.values())
        if (sockets.size > most) [victims, most] = [sockets, sockets.size]
      const [victim = newcomer] = victims
      return victim
    },
  }
}

/** The connections of all servers of this process: together they stay below the limit of open files (D91). */
const everywhere = createConnections()

/** How to stop counting a connection. */
const forgets = new WeakMap<Socket, () => void>()

/** Ends a newcomer, on a server of HTTP with a status. It is closed before any request of it is read. */
function refuse(server: Server, newcomer: Socket): void {
  newcomer.on('error', () => newcomer.destroy())
  if (server instanceof HttpServer) newcomer.end(REFUSAL)
  newcomer.destroySoon()
}

/**
 * Limits the connections of a server, and of all servers of the process. Beyond the limit, the address with the largest
 * number of them loses its oldest one, where the newcomer's address has fewer; otherwise the newcomer is refused.
 */
export function limitConnections(server: Server, limit: number): void {
  const own = createConnections()

  server.maxConnections = Math.min(limit, connectionLimit()) + RESERVE
  server.prependListener('connection', (socket: Socket) => {
    const group = addressGroup(socket.remoteAddress)
    const lists = [own, everywhere]
    const forget = (): void => {
      for (const list of lists) list.delete(group, socket)
    }
    for (const list of lists) list.add(group, socket)
    forgets.set(socket, forget)
    socket.once('close', forget)
    const full =
      own.count() > limit ? own : everywhere.count() > connectionLimit() ? everywhere : undefined
    if (full === undefined) return
    const victim = full.victimOf(group, socket)
    forgets.get(victim)?.()
    if (victim === socket) refuse(server, socket)
    else victim.destroy()
  })
}
