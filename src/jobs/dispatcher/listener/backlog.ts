/**
 * What unfinished and unhandled messages of operators may take, in memory and in time (D74): of each connection before and
 * after its login, and of all together.
 */
import type { Socket } from 'node:net'
import type { WebSocket } from 'ws'
import { FrameMeter } from '../../../base/frameMeter.ts'

export type BacklogLimits = {
  /** Size of a message before the login, in bytes. */
  readonly loginBytes: number
  /** What all unfinished and unhandled messages may take together, in bytes. */
  readonly bytes: number
  /** Time for a message to arrive, in milliseconds. */
  readonly messageMs: number
}

export const BACKLOG_LIMITS: BacklogLimits = {
  // A hello may name 1,024 models of 128 characters.
  loginBytes: 160 * 1024,
  bytes: 128 * 1024 * 1024,
  messageMs: 30_000,
}

/** The messages of one connection. */
export type Backlog = {
  /** From now on messages may be as large as the WebSocket server permits. */
  loggedIn(): void
  /** Counts a message that arrived, until it is handled. */
  arrived(bytes: number): void
  handled(bytes: number): void
}

export type Backlogs = {
  /** Follows a connection from its upgrade on. */
  follow(socket: WebSocket, network: Socket): Backlog
  stop(): void
}

const TOO_BIG = 1009
const TRY_AGAIN_LATER = 1013
const SWEEP_MS = 1000

type Followed = {
  /** Bytes of the unfinished message, and of those that are not handled yet. */
  unfinished: number
  unhandled: number
  /** When the unfinished message began. */
  since: number
  drop(code: number, reason: string): void
}

/** Nothing is followed yet. */
export function createBacklogs(limits: BacklogLimits = BACKLOG_LIMITS): Backlogs {
  const all = new Set<Followed>()
  let held = 0

  function makeRoom(newest: Followed): void {
    let oldest = newest
    for (const each of all) if (each.unfinished > 0 && each.since < oldest.since) oldest = each
    oldest.drop(TRY_AGAIN_LATER, 'too much is unfinished; try again')
  }

  const sweep = setInterval(() => {
    const end = performance.now() - limits.messageMs
    for (const each of all)
      if (each.unfinished > 0 && each.since < end)
        each.drop(TRY_AGAIN_LATER, `a message took longer than ${limits.messageMs / 1000} seconds`)
  }, SWEEP_MS)
  sweep.unref()

  return {
    stop: () => clearInterval(sweep),
    follow(socket, network) {
      const meter = new FrameMeter()
      let isLoggedIn = false
      const followed: Followed = {
        unfinished: 0,
        unhandled: 0,
        since: 0,
        drop(code, reason) {
          leave()
          socket.close(code, reason)
          // Whatever else comes is discarded, until the server's closeTimeout ends the connection.
          network.removeAllListeners('data')
          network.resume()
        },
      }
      all.add(followed)

      function leave(): void {
        if (!all.delete(followed)) return
        held -= followed.unfinished + followed.unhandled
        network.off('data', take)
      }

      function take(chunk: Uint8Array): void {
        meter.take(chunk)
        if (followed.unfinished === 0) followed.since = performance.now()
        held += meter.held - followed.unfinished
        followed.unfinished = meter.held
        if (!isLoggedIn && meter.declared > limits.loginBytes)
          followed.drop(
            TOO_BIG,
            `a message before the login has at most ${limits.loginBytes} bytes`,
          )
        else if (held > limits.bytes) makeRoom(followed)
      }

      function count(bytes: number): void {
        if (!all.has(followed)) return
        followed.unhandled += bytes
        held += bytes
      }

      network.on('data', take)
      network.once('close', leave)
      return {
        loggedIn: () => (isLoggedIn = true),
        arrived: (bytes) => count(bytes),
        handled: (bytes) => count(-bytes),
      }
    },
  }
}
