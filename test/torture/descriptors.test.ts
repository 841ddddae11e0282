// Holds D91.
/**
 * No descriptor left: idle connections to every port of a node that may have few files open. It goes on making blocks, tells
 * newcomers of a greedy address why they are refused, and serves everybody else.
 */
import { once } from 'node:events'
import fs from 'node:fs'
import http from 'node:http'
import net from 'node:net'
import path from 'node:path'
import { afterEach, expect, test } from 'vitest'
import { completeHome } from '../../src/cli/newHome.ts'
import { homePaths } from '../../src/config/home.ts'
import { eventually, newHome } from '../support/assay.ts'
import { auditChain } from '../support/chainAudit.ts'
import { recordCampaign } from './record.ts'
import { startChainNode, stopChainNode } from './node.ts'

const LIMIT = 300
const IDLE = Number(process.env['ASSAY_TORTURE_RUNS'] ?? 600)

const sockets: net.Socket[] = []
afterEach(() => {
  for (const socket of sockets.splice(0)) socket.destroy()
})

let refused = 0

async function idle(url: string): Promise<void> {
  const { hostname, port } = new URL(url)
  const socket = net.connect({ host: hostname, port: Number(port) })
  socket.on('error', () => undefined)
  socket.once('data', (chunk) => {
    if (String(chunk).startsWith('HTTP/1.1 503')) refused++
  })
  sockets.push(socket)
  await Promise.race([once(socket, 'connect'), once(socket, 'close')])
}

/** The height that a client of another address is told. */
async function heightFor(url: string, localAddress: string): Promise<number> {
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'eth_blockNumber', params: [] })
  const request = http.request(url, {
    method: 'POST',
    localAddress,
    agent: false,
    headers: { 'content-type': 'application/json' },
  })
  request.end(body)
  const [response] = (await once(request, 'response')) as [http.IncomingMessage]
  let text = ''
  for await (const chunk of response) text += String(chunk)
  return Number((JSON.parse(text) as { result: string }).result)
}

test.runIf(process.platform === 'linux')(
  `${IDLE} idle connections to a node with ${LIMIT} descriptors stop neither its blocks nor others`,
  async () => {
    const home = newHome()
    await completeHome(homePaths(home))
    const node = startChainNode(home, {}, [], { descriptors: LIMIT })
    const urls = await node.ready
    if (urls === undefined) throw new Error((await node.ended).output)
    const ports = [urls.rpc, urls.ws, urls.comet]
    for (let i = 0; i < IDLE; i++) await idle(ports[i % ports.length] ?? urls.rpc)
    const before = await heightFor(urls.rpc, '127.0.0.2')
    await eventually(async () =>
      (await heightFor(urls.rpc, '127.0.0.2')) >= before + 3 ? true : undefined,
    )
    expect(refused).toBeGreaterThan(0)
    const open = fs.readdirSync(`/proc/${node.process.pid}/fd`).length
    expect(open).toBeLessThan(LIMIT)
    console.info(
      `${IDLE} idle connections, ${refused} refused: ${open} of ${LIMIT} descriptors in use`,
    )
    recordCampaign('descriptors', {
      fault: `idle connections to a node that may have ${LIMIT} files open`,
      runs: IDLE,
      recovery: [],
      note: `${refused} refused with a reason, the node and other clients went on`,
    })
    expect(await stopChainNode(node)).toBe(0)
    expect((await auditChain(home)).faults).toEqual([])
    fs.rmSync(path.dirname(home), { recursive: true, force: true })
  },
)
