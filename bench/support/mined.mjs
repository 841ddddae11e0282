// Counting what a server mined, by the nonces of the senders: its cost does not depend on the number of blocks.
import { setTimeout as sleep } from 'node:timers/promises'
import { senders } from './chain.mjs'
import { callMany } from './jsonRpc.mjs'

const POLL_MS = 50

async function nonceSum(port) {
  const params = senders.map((address) => [address, 'latest'])
  const nonces = await callMany(port, 'eth_getTransactionCount', params)
  return nonces.reduce((sum, nonce) => sum + Number(nonce), 0)
}

/** Counts from now on: the function that it gives tells how many transactions of the senders were mined since. */
export async function startCount(port) {
  const before = await nonceSum(port)
  return async () => (await nonceSum(port)) - before
}

/**
 * Waits until `wanted` transactions are mined, until `isOver()`, or until none was for `stallSeconds`. Gives how many were
 * mined, and when the last of them was seen (performance.now()).
 */
export async function awaitMined(count, wanted, isOver, stallSeconds = 5) {
  let mined = await count()
  let at = performance.now()
  while (mined < wanted && !isOver() && performance.now() - at < stallSeconds * 1000) {
    await sleep(POLL_MS)
    const now = await count()
    if (now > mined) at = performance.now()
    mined = now
  }
  return { mined, at }
}
