// Reads over HTTP: a trivial one, one of state, and batches.
import { senders } from './support/chain.mjs'
import { batchRequest, request } from './support/jsonRpc.mjs'
import { measureRate } from './support/rate.mjs'

const balances = senders.map((address) => ['eth_getBalance', [address, 'latest']])

/** One batch of 100 balances. */
const BATCH = 100
const batches = [balances.slice(0, BATCH), balances.slice(BATCH)].map(batchRequest)

/** Measures the rows on running peers. */
export async function measureReads({ peers, options, add }) {
  for (const connections of [1, 16, 64])
    add({
      name: `eth_blockNumber, connections: ${connections}`,
      unit: 'requests/s',
      values: await measureRate(peers, options, [request('eth_blockNumber')], { connections }),
      least: 0.8,
      aim: 1.1,
    })
  const requests = balances.map(([method, params]) => request(method, params))
  for (const connections of [1, 16, 64])
    add({
      name: `eth_getBalance, connections: ${connections}`,
      unit: 'requests/s',
      values: await measureRate(peers, options, requests, { connections }),
      least: 0.8,
      aim: 1.1,
    })
  add({
    name: `batches of ${BATCH} eth_getBalance, 4 connections`,
    unit: 'calls/s',
    values: await measureRate(peers, options, batches, { connections: 4, each: BATCH }),
    least: 0.9,
    aim: 1.1,
  })
}
