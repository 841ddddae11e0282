// debug_traceTransaction of a transaction of some 150,000 steps, with its struct logs. anvil writes them down while it executes
// the transaction and gives what it kept; the others run it again.
import { setTimeout as sleep } from 'node:timers/promises'
import { FILLED_SLOTS } from './support/chain.mjs'
import { call, request } from './support/jsonRpc.mjs'
import { measureRate } from './support/rate.mjs'
import { signedLoop } from './support/signed.mjs'

/** So many steps, in an ordinary loop of Solidity. */
const TURNS = 775
const GAS = 1_000_000n
const LEAST_STEPS = 150_000
const LIMIT_MS = 10_000
const POLL_MS = 50

/** Has a transaction mined, and gives its hash and the number of its steps. */
export async function mineLoop({ name, port }) {
  const hash = await call(port, 'eth_sendRawTransaction', [signedLoop('ordinary', TURNS, GAS)])
  const began = performance.now()
  while ((await call(port, 'eth_getTransactionReceipt', [hash])) === null) {
    if (performance.now() - began > LIMIT_MS) throw new Error(`${name} does not mine`)
    await sleep(POLL_MS)
  }
  const { failed, structLogs } = await call(port, 'debug_traceTransaction', [hash])
  if (failed || structLogs.length < LEAST_STEPS)
    throw new Error(`${name} took ${structLogs.length} steps; failed: ${failed}`)
  return { hash, steps: structLogs.length }
}

/** Measures the row on peers of its own: anvil is told to keep steps, which would slow its other rows. */
export async function measureSteps({ starters, options, add }) {
  const chain = { blockGasLimit: 30_000_000n, blockTime: 1, slots: FILLED_SLOTS, keepsSteps: true }
  const peers = []
  try {
    for (const start of Object.values(starters(chain))) peers.push(await start())
    const runs = []
    for (const peer of peers) runs.push(await mineLoop(peer))
    const [{ hash, steps }] = runs
    if (runs.some((run) => run.steps !== steps))
      throw new Error('the peers count steps differently')
    add({
      name: `debug_traceTransaction of ${steps} steps`,
      unit: 'answers/s',
      values: await measureRate(peers, options, [request('debug_traceTransaction', [hash])], {
        connections: 1,
      }),
      least: 3,
      aim: 5,
    })
  } finally {
    for (const peer of peers) await peer.stop()
  }
}
