/** Notices peers that have just connected, and tells a few times: they may still be catching up, and deaf to gossip (D99). */
import type { Clock } from '../../base/clock.ts'
import type { CometPeer } from './rpc.ts'

const AGAIN_MS = 15_000
/** How often a newcomer is told of, the first time included. */
const TIMES = 4

export type Newcomers = {
  /** Compares the peers with the last ones. */
  look(peers: readonly Pick<CometPeer, 'id'>[]): void
}

/** `tell` is called when a peer is new, and again at intervals of 15 seconds, until the signal ends. */
export function createNewcomers(clock: Clock, signal: AbortSignal, tell: () => void): Newcomers {
  let known: ReadonlySet<string> = new Set()
  let left = 0
  let cancel: (() => void) | undefined

  function round(): void {
    cancel = undefined
    if (signal.aborted || left === 0) return
    left--
    tell()
    if (left > 0) cancel = clock.setTimer(AGAIN_MS, round)
  }
  signal.addEventListener('abort', () => cancel?.(), { once: true })

  return {
    look(peers) {
      const ids = new Set(peers.map(({ id }) => id))
      const isNew = [...ids].some((id) => !known.has(id))
      known = ids
      if (!isNew) return
      left = TIMES
      cancel?.()
      round()
    },
  }
}
