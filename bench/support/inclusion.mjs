// When transactions are in a block, on each of several nodes.
import { setTimeout as sleep } from 'node:timers/promises'
import { fromHex, toHex } from '../../dist/base/hex.js'
import { keccak256 } from '../../dist/base/keccak.js'
import { call } from './jsonRpc.mjs'

const POLL_MS = 20
/** Timeout for a transaction to get into a block. */
const STALL_MS = 30_000

/** The hash of a raw transaction, both in hex. */
export function hashOf(raw) {
  return toHex(keccak256(fromHex(raw)))
}

/** Reads a node's blocks from a height on until they hold all `hashes`. Gives when each was seen, and the blocks' sizes. */
async function follow(port, from, hashes) {
  const seenAt = new Map()
  const missing = new Set(hashes)
  const blocks = []
  let progressAt = performance.now()
  for (let height = from; missing.size > 0;) {
    const block = await call(port, 'eth_getBlockByNumber', [`0x${height.toString(16)}`, false])
    const now = performance.now()
    if (block === null) {
      if (now - progressAt > STALL_MS)
        throw new Error(`port ${port}: ${missing.size} of ${hashes.length} are in no block`)
      await sleep(POLL_MS)
      continue
    }
    height++
    const ours = block.transactions.filter((hash) => missing.delete(hash))
    for (const hash of ours) seenAt.set(hash, now)
    if (ours.length > 0) progressAt = now
    blocks.push(ours.length)
  }
  return { seenAt, blocks }
}

/**
 * Watches nodes from now on. Resolves once every transaction is in a block on each: with the time at which the last node
 * showed it, by hash (performance.now()), and how many of them each block of the first node held.
 */
export async function watchInclusion(ports, hashes) {
  const heights = await Promise.all(ports.map((port) => call(port, 'eth_blockNumber')))
  const all = Promise.all(ports.map((port, i) => follow(port, Number(heights[i]) + 1, hashes)))
  // Whoever awaits it hears of its failure; until then the load goes on.
  all.catch(() => undefined)
  return {
    async included() {
      const nodes = await all
      const latest = (hash) => Math.max(...nodes.map(({ seenAt }) => seenAt.get(hash)))
      return { at: new Map(hashes.map((hash) => [hash, latest(hash)])), blocks: nodes[0].blocks }
    },
  }
}
