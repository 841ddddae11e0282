// The rate of one kind of request on running peers.
import { load, repeatedFor } from './load.mjs'
import { inTurns, withCpu } from './measure.mjs'

/** A server that was just started has yet to compile what runs often. */
const NEW_SERVER_SECONDS = 2
const knownPeers = new WeakSet()

function checked({ answers, failures, firstFailures, seconds }) {
  if (failures > 0) throw new Error(`${failures} of ${answers} failed: ${firstFailures[0]}`)
  return { answers, seconds }
}

/**
 * Sends the requests over and over, after a warm-up. Gives by peer name the rate and the processor microseconds per
 * request; with `each`, a request counts as so many.
 */
export async function measureRate(peers, { rounds, seconds }, requests, { connections, each = 1 }) {
  const send = async (peer, duration) =>
    checked(await load(peer.port, connections, repeatedFor(duration, requests, connections)))
  const isWarm = new Set()
  return await inTurns(peers, rounds, async (peer) => {
    if (!knownPeers.has(peer)) await send(peer, NEW_SERVER_SECONDS)
    await send(peer, isWarm.has(peer) ? seconds / 4 : seconds)
    knownPeers.add(peer)
    isWarm.add(peer)
    const measured = await withCpu(peer, async () => {
      const result = await send(peer, seconds)
      return { ...result, count: result.answers * each }
    })
    return { value: measured.count / measured.seconds, cpuMicros: measured.cpuMicros }
  })
}
