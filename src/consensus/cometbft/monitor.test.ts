import http from 'node:http'
import type net from 'node:net'
import { once } from 'node:events'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { systemClock } from '../../base/clock.ts'
import { createMonitor } from './monitor.ts'
import { createCometRpcClient } from './rpc.ts'

/** Answers of CometBFT 0.38 to a node with two peers, limited to the fields that are read. */
let isCatchingUp = true
const peer = (id: string) => ({
  node_info: { id, moniker: id },
  is_outbound: true,
  remote_ip: '127.0.0.1',
})
const roundState = (height: string) => ({ peer_state: { round_state: { height } } })
const answers: Readonly<Record<string, () => object>> = {
  status: () => ({
    node_info: { id: 'aa', network: 'assay_271828-1', version: '0.38.25' },
    sync_info: { latest_block_height: '40', catching_up: isCatchingUp },
    validator_info: { address: '00'.repeat(20) },
  }),
  net_info: () => ({ peers: [peer('bb'), peer('cc')] }),
  dump_consensus_state: () => ({ peers: [roundState('0'), roundState('91')] }),
}
const asked: string[] = []
const server = http.createServer((request, response) => {
  const chunks: Buffer[] = []
  request.on('data', (chunk: Buffer) => chunks.push(chunk))
  request.on('end', () => {
    const { method } = JSON.parse(Buffer.concat(chunks).toString()) as { method: string }
    asked.push(method)
    response.end(JSON.stringify({ jsonrpc: '2.0', id: 0, result: answers[method]?.() }))
  })
})
beforeAll(async () => {
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
})
afterAll(() => {
  server.close()
  server.closeAllConnections()
})

async function look() {
  const stop = new AbortController()
  const { port } = server.address() as net.AddressInfo
  const client = createCometRpcClient(`http://127.0.0.1:${port}`, stop.signal)
  const monitor = createMonitor(client, 'assay_271828-1', systemClock, stop.signal)
  await monitor.first
  stop.abort()
  return monitor
}

test('while it catches up, the highest block is that of its peers', async () => {
  const monitor = await look()
  expect(monitor.highestBlock()).toBe(90)
  expect(monitor.peers().map(({ name }) => name)).toEqual(['bb', 'cc'])
})

test('afterwards it is its own, and peers are not asked for theirs', async () => {
  isCatchingUp = false
  asked.length = 0
  expect((await look()).highestBlock()).toBe(40)
  expect(asked).not.toContain('dump_consensus_state')
})
