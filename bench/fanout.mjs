// New blocks to many WebSocket clients, each subscribed to newHeads: how long until the last one has it, what it costs the
// node in processor time, and what a client costs it in memory.
// Build first (node scripts/build.mjs), then: node bench/fanout.mjs [clients] [blocks]. Each client takes two open files.
import { fork } from 'node:child_process'
import { once } from 'node:events'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { freePort } from '../dist/base/freePorts.js'
import { startAssay } from './peers/assay.mjs'
import { call } from './support/jsonRpc.mjs'

const [clients = 10_000, blocks = 10] = process.argv.slice(2).map(Number)
const PROCESSES = 4
const file = path.join(import.meta.dirname, 'support', 'headsClient.mjs')

async function longestWait(signal) {
  let longest = 0
  while (!signal.aborted) {
    const asked = performance.now()
    await call(node.port, 'eth_blockNumber')
    longest = Math.max(longest, performance.now() - asked)
    await sleep(2)
  }
  return longest
}

const wsPort = await freePort()
const node = await startAssay(
  { blockGasLimit: 30_000_000n },
  { 'json-rpc.ws-address': `127.0.0.1:${wsPort}`, 'consensus.block-interval': '3s' },
)
const emptyBytes = node.residentBytes()
const perProcess = Math.ceil(clients / PROCESSES)
const began = performance.now()
const children = Array.from({ length: PROCESSES }, () => fork(file, [wsPort, perProcess]))
try {
  await Promise.all(
    children.map(async (child) => {
      for (;;) {
        const [message] = await Promise.race([
          once(child, 'message'),
          once(child, 'exit').then(() => {
            throw new Error('clients ended early')
          }),
        ])
        if (message === 'subscribed') return
      }
    }),
  )
  console.log(
    `${PROCESSES * perProcess} clients subscribed in ${((performance.now() - began) / 1000).toFixed(1)} s`,
  )
  const heard = new Map()
  const all = new Promise((resolve) => {
    for (const child of children)
      child.on('message', (block) => {
        const reports = heard.get(block.number) ?? []
        heard.set(block.number, [...reports, block])
        const full = [...heard.values()].filter((each) => each.length === PROCESSES)
        if (full.length === blocks) resolve(full)
      })
  })
  // Somebody else meanwhile, who asks the node something again and again.
  const asking = new AbortController()
  const longest = longestWait(asking.signal)
  const cpuBefore = node.cpuSeconds()
  const startedAt = performance.now()
  const full = await all
  asking.abort()
  const elapsed = (performance.now() - startedAt) / 1000
  const cpu = node.cpuSeconds() - cpuBefore
  const times = full
    .map(
      (each) =>
        Math.max(...each.map(({ last }) => last)) - Math.min(...each.map(({ first }) => first)),
    )
    .sort((a, b) => a - b)
  console.log(
    `  first to last client: median ${times[times.length >> 1].toFixed(0)} ms, at most ${times.at(-1).toFixed(0)} ms, of ${blocks} blocks of ${full[0][0].bytes} bytes`,
  )
  console.log(
    `  node: ${((cpu * 1000) / blocks).toFixed(0)} ms of processor time per block, all that a block costs among it (${elapsed.toFixed(0)} s)`,
  )
  console.log(`  an eth_blockNumber meanwhile: at most ${(await longest).toFixed(0)} ms`)
  const grown = node.residentBytes() - emptyBytes
  console.log(
    `  memory: ${(grown / 1e6).toFixed(0)} MB more than without clients, ${(grown / clients / 1000).toFixed(1)} kB each`,
  )
} finally {
  for (const child of children) child.kill()
  await node.stop()
}
