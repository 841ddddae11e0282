/**
 * Who may hold connections to the operators' port (D74): so many per address and in all, fewer of those that have not
 * logged in yet, and these only for a moment.
 */
import type { Socket } from 'node:net'
import { addressGroup } from '../../../base/addressGroup.ts'

export type GateLimits = {
  /** Connections of one address (addressGroup). */
  readonly perAddress: number
  /** Connections of one address that are not logged in. */
  readonly strangersPerAddress: number
  /** Connections that are not logged in. The oldest makes room for the next. */
  readonly strangers: number
  /** Time from the connection to the login, in milliseconds. */
  readonly loginMs: number
  /** Logins of one address: so many at once, and so many more per second. */
  readonly logins: number
  readonly loginsPerSecond: number
}

export const GATE_LIMITS: GateLimits = {
  perAddress: 1024,
  strangersPerAddress: 32,
  strangers: 1024,
  loginMs: 10_000,
  logins: 200,
  loginsPerSecond: 20,
}

export type Gate = {
  /** Counts a new connection, or ends it where it is one too many. */
  enter(socket: Socket): void
  /** Whether an address may log in once more now. */
  mayLogIn(remote: string | undefined): boolean
  /** From now on the connection may stay. */
  loggedIn(socket: Socket): void
}

type Caller = { connections: number; strangers: number; logins: number; loginsAt: number }

/** Addresses without connections are forgotten beyond this number. */
const MAX_CALLERS = 10_000
const BUSY = 'HTTP/1.1 503 Service Unavailable\r\nConnection: close\r\nContent-Length: 0\r\n\r\n'

/** A gate that nobody has passed yet. */
export function createGate(limits: GateLimits = GATE_LIMITS): Gate {
  const callers = new Map<string, Caller>()
  /** Connections that are not logged in, oldest first, with what ends their time. */
  const strangers = new Map<Socket, NodeJS.Timeout>()

  function callerOf(remote: string | undefined): Caller {
    const group = addressGroup(remote)
    const known = callers.get(group)
    if (known !== undefined) return known
    if (callers.size >= MAX_CALLERS)
      for (const [other, { connections }] of callers) if (connections === 0) callers.delete(other)
    const fresh = {
      connections: 0,
      strangers: 0,
      logins: limits.logins,
      loginsAt: performance.now(),
    }
    callers.set(group, fresh)
    return fresh
  }

  function settle(socket: Socket, caller: Caller): void {
    const timer = strangers.get(socket)
    if (timer === undefined) return
    clearTimeout(timer)
    strangers.delete(socket)
    caller.strangers--
  }

  return {
    enter(socket) {
      const caller = callerOf(socket.remoteAddress)
      if (
        caller.connections >= limits.perAddress ||
        caller.strangers >= limits.strangersPerAddress
      ) {
        socket.on('error', () => undefined)
        socket.end(BUSY, () => socket.destroy())
        return
      }
      const [oldest] = strangers.keys()
      if (strangers.size >= limits.strangers) oldest?.destroy()
      caller.connections++
      caller.strangers++
      strangers.set(
        socket,
        setTimeout(() => socket.destroy(), limits.loginMs),
      )
      socket.once('close', () => {
        settle(socket, caller)
        caller.connections--
      })
    },
    mayLogIn(remote) {
      const caller = callerOf(remote)
      const now = performance.now()
      const earned = ((now - caller.loginsAt) / 1000) * limits.loginsPerSecond
      caller.logins = Math.min(limits.logins, caller.logins + earned)
      caller.loginsAt = now
      if (caller.logins < 1) return false
      caller.logins--
      return true
    },
    loggedIn(socket) {
      settle(socket, callerOf(socket.remoteAddress))
    },
  }
}
