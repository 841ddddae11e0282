/**
 * The event loop stays free while workers are saturated by hostile calls (D17): endless loops under eth_call and
 * eth_estimateGas, traces of every step, tracers in JavaScript that never end. Its delay is the node's own metric; what a
 * process that does nothing sees at the same time is the machine's. Where that one waits too, nothing is measured, and a
 * notice says so. ASSAY_TORTURE_SECONDS says how long.
 */
import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import fs from 'node:fs'
import path from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { completeHome } from '../../src/cli/newHome.ts'
import { homePaths } from '../../src/config/home.ts'
import { newHome, rpc } from '../support/assay.ts'
import { startChainNode, stopChainNode, type ChainNode, type NodeUrls } from './node.ts'

const SECONDS = Number(process.env['ASSAY_TORTURE_SECONDS'] ?? 10)
/** Requests of each kind at the same time: more than there are workers. */
const AT_ONCE = 8
const MOST_DELAY_MS = 50
/** A machine that keeps a process waiting that does nothing measures itself. */
const QUIET_MS = 10

/** Prints the delays of a loop that has nothing to do, like the node's metric: seconds at 0.5, 0.99 and 1. */
const IDLE = `
  const { monitorEventLoopDelay } = require('node:perf_hooks')
  const delay = monitorEventLoopDelay({ resolution: 20 })
  delay.enable()
  process.once('SIGTERM', () => {
    console.log(JSON.stringify([50, 99, 100].map((each) => delay.percentile(each) / 1e6 - 20)))
    process.exit()
  })
  console.log('ready')
  setInterval(() => undefined, 1000)
`

let home: string
let node: ChainNode
let urls: NodeUrls & { readonly metrics?: string }
beforeAll(async () => {
  home = newHome()
  await completeHome(homePaths(home))
  node = startChainNode(home, {}, ['--metrics.address=127.0.0.1:0', '--json-rpc.evm-timeout=2s'])
  const ready = await node.ready
  if (ready === undefined) throw new Error((await node.ended).output)
  urls = ready
})
afterAll(async () => {
  await stopChainNode(node)
  fs.rmSync(path.dirname(home), { recursive: true, force: true })
})

async function delaysMs(): Promise<readonly number[]> {
  const text = await (await fetch(`${urls.metrics}/metrics`)).text()
  return ['0.5', '0.99', '1'].map((quantile) => {
    const [, value] =
      new RegExp(`event_loop_delay_seconds\\{quantile="${quantile}"\\} (\\S+)`).exec(text) ?? []
    return Number(value) * 1000
  })
}

/** Seconds that the main thread has run, and has waited for a processor; Linux only. */
function mainThread(): readonly [ran: number, waited: number] {
  const file = `/proc/${node.process.pid}/task/${node.process.pid}/schedstat`
  const [ran = 0, waited = 0] = fs.readFileSync(file, 'utf8').split(' ').map(Number)
  return [ran / 1e9, waited / 1e9]
}

/** JUMPDEST, PUSH0, JUMP; and one that grows its memory and hashes it. */
const LOOP = { data: '0x5b5f56', gas: '0x17d7840' }
const HASHES = { data: '0x5b620fffff5f2050600056', gas: '0x17d7840' }
const ENDLESS = '{fault: function() {}, step: function() { for (;;); }, result: function() {}}'

const HOSTILE: readonly (readonly [string, ...unknown[]])[] = [
  ['eth_call', LOOP, 'latest'],
  ['eth_call', HASHES, 'latest'],
  ['eth_call', LOOP, 'latest', { [`0x${'12'.repeat(20)}`]: { balance: '0x1' } }],
  ['eth_estimateGas', HASHES],
  ['debug_traceCall', { ...LOOP, gas: '0x7a120' }, 'latest', {}],
  ['trace_call', { ...LOOP, gas: '0x7a120' }, ['trace', 'stateDiff', 'vmTrace'], 'latest'],
  ['debug_traceCall', LOOP, 'latest', { tracer: ENDLESS, timeout: '1s' }],
]

async function stopped(idle: ChildProcess): Promise<readonly number[]> {
  let text = ''
  idle.stdout?.on('data', (chunk) => (text += chunk))
  const closed = once(idle, 'close')
  idle.kill('SIGTERM')
  await closed
  return JSON.parse(text.replace('ready\n', '')) as number[]
}

test(
  `hostile calls for ${SECONDS} s delay the event loop by less than ${MOST_DELAY_MS} ms in 99 of 100 looks`,
  async () => {
    // Workers load with the first of them.
    await Promise.all(HOSTILE.map(([method, ...params]) => rpc(urls.rpc, method, params)))
    const idle = spawn(process.execPath, ['-e', IDLE], { stdio: ['ignore', 'pipe', 'inherit'] })
    if (idle.stdout) await once(idle.stdout, 'data')
    await delaysMs()
    const before = mainThread()
    const end = performance.now() + SECONDS * 1000
    let answers = 0
    const lanes = HOSTILE.flatMap(([method, ...params]) =>
      Array.from({ length: AT_ONCE }, async () => {
        while (performance.now() < end) {
          await rpc(urls.rpc, method, params)
          answers++
        }
      }),
    )
    const waits: number[] = []
    const polite = async (): Promise<void> => {
      while (performance.now() < end) {
        const started = performance.now()
        expect(await rpc(urls.rpc, 'eth_blockNumber')).toHaveProperty('result')
        waits.push(performance.now() - started)
      }
    }
    const [own] = await Promise.all([
      new Promise((resolve) => setTimeout(resolve, SECONDS * 1000)).then(delaysMs),
      polite(),
      ...lanes,
    ])
    const [ran, waited] = mainThread().map((each, at) => each - (before[at] ?? 0))
    const machine = await stopped(idle)
    waits.sort((a, b) => a - b)
    const round = (list: readonly number[]) => list.map((each) => Math.round(each * 10) / 10)
    // The numbers are the result of this test: a run without them says nothing.
    console.info(
      `${answers} hostile answers; delay in ms at 0.5, 0.99, 1: ${round(own).join(', ')}; of an idle process ` +
        `${round(machine).join(', ')}; eth_blockNumber at 0.5 and 0.99: ` +
        `${round([0.5, 0.99].map((at) => waits[Math.floor(waits.length * at)] ?? 0)).join(', ')}; ` +
        `the main thread ran ${ran?.toFixed(2)} s and waited ${waited?.toFixed(2)} s for a processor`,
    )
    expect(answers).toBeGreaterThan(AT_ONCE)
    // One hostile call on it would keep it running all the time.
    expect(ran).toBeLessThan(SECONDS / 2)
    if ((machine[1] ?? 0) > QUIET_MS) console.warn('the machine is too busy to measure delays')
    else expect(own[1]).toBeLessThan(MOST_DELAY_MS)
  },
  120_000 + SECONDS * 2000,
)
