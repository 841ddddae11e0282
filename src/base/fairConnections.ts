/** A maximum number of connections that one address cannot take from all others (D82). */
import type { Server, Socket } from 'node:net'
import { addressGroup } from './addressGroup.ts'

/** What node may accept beyond the limit, so that there is something to decide. */
const RESERVE = 64

/**
 * Limits the connections of a server. Beyond the limit, the address with the largest number of them loses its oldest one, where
 * the newcomer's address has fewer; otherwise the newcomer is closed.
 */
export function limitConnections(server: Server, limit: number): void {
  /** The connections of each address group, the oldest first. */
  const groups = new Map<string, Set<Socket>>()
  let count = 0

  function forget(group: string, socket: Socket): void {
    const sockets = groups.get(group)
    if (sockets?.delete(socket) !== true) return
    count--
    if (sockets.size === 0) groups.delete(group)
  }

  function makeRoom(group: string, newcomer: Socket): void {
    const own = groups.get(group)?.size ?? 0
    let [victims, from] = [new Set([newcomer]), group]
    let most = own
    for (const [name, sockets] of groups)
      if (sockets.size > most) [victims, from, most] = [sockets, name, sockets.size]
    const [victim = newcomer] = victims
    forget(from, victim)
    victim.destroy()
  }

  server.maxConnections = limit + RESERVE
  server.prependListener('connection', (socket: Socket) => {
    const group = addressGroup(socket.remoteAddress)
    const sockets = groups.get(group) ?? new Set()
    groups.set(group, sockets.add(socket))
    count++
    socket.once('close', () => forget(group, socket))
    if (count > limit) makeRoom(group, socket)
  })
}
