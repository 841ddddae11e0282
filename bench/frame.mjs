// The numbers of the whole system on this machine: second start, idle memory of the node, transaction to receipt, job to
// result. Starts Assay on a home of its own and free ports. Prints a Markdown table.
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { createWalletClient, defineChain, http } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { runJob, startSystem, stopSystem } from './support/system.mjs'

const TRANSACTIONS = 100
const JOBS = 20
const STARTS = 5

const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'assay-bench-'))
const home = path.join(folder, 'home')

const median = (values) => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)]
const percentile = (values, part) =>
  values.toSorted((a, b) => a - b)[Math.min(values.length - 1, Math.floor(values.length * part))]

async function rpc(url, method, params) {
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
  })
  const answer = await response.json()
  if (answer.error) throw new Error(answer.error.message)
  return answer.result
}

/** Resident memory of the node process, in MiB: the child of the supervisor whose command line says "node". */
function nodeMemory(supervisor) {
  const children = fs
    .readFileSync(`/proc/${supervisor}/task/${supervisor}/children`, 'utf8')
    .trim()
    .split(' ')
  for (const pid of children) {
    const command = fs.readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0')
    // Behind the flags of Node and the main file stands the command.
    if (command[command.findIndex((part) => part.endsWith('main.js')) + 1] !== 'node') continue
    const status = fs.readFileSync(`/proc/${pid}/status`, 'utf8')
    return Number(/VmRSS:\s+(\d+)/.exec(status)[1]) / 1024
  }
  return Number.NaN
}

async function transactions(up) {
  const chain = defineChain({
    id: up.chainId,
    name: 'Assay',
    nativeCurrency: { name: 'Assay', symbol: 'ASSAY', decimals: 18 },
    rpcUrls: { default: { http: [up.rpc] } },
  })
  const wallet = createWalletClient({
    chain,
    transport: http(),
    account: privateKeyToAccount(up.accounts[0].privateKey),
  })
  const first = Number(
    await rpc(up.rpc, 'eth_getTransactionCount', [up.accounts[0].address, 'latest']),
  )
  const times = []
  for (let i = 0; i < TRANSACTIONS; i++) {
    const raw = await wallet.signTransaction({
      to: up.accounts[1].address,
      value: 1n,
      nonce: first + i,
      gas: 21_000n,
      maxFeePerGas: 10n ** 11n,
      maxPriorityFeePerGas: 1n,
      type: 'eip1559',
    })
    const hash = await rpc(up.rpc, 'eth_sendRawTransaction', [raw])
    const accepted = performance.now()
    while ((await rpc(up.rpc, 'eth_getTransactionReceipt', [hash])) === null) await sleep(1)
    times.push(performance.now() - accepted)
  }
  return times
}

async function jobs(up, tag) {
  const times = []
  for (let i = 0; i < JOBS; i++) {
    const began = performance.now()
    await runJob(up, tag, `Question ${i}?`)
    times.push(performance.now() - began)
  }
  return times
}

const rows = []
const row = (name, values, unit, target) =>
  rows.push(
    `| ${name} | ${median(values).toFixed(0)} ${unit} | ${percentile(values, 0.95).toFixed(0)} ${unit} | ${target} |`,
  )

try {
  let running = await startSystem(home)
  row('first start to ready', [running.ms], 'ms', '-')
  await stopSystem(running)
  const starts = []
  for (let i = 0; i < STARTS; i++) {
    running = await startSystem(home)
    starts.push(running.ms)
    if (i + 1 < STARTS) await stopSystem(running)
  }
  row('second start to ready', starts, 'ms', '<= 3000 ms')
  await sleep(15_000)
  row('idle memory of the node', [nodeMemory(running.child.pid)], 'MiB', '<= 200 MB')
  row('transaction accepted to receipt visible', await transactions(running.up), 'ms', '<= 60 ms')
  row('opml job of 16 tokens, submit to result', await jobs(running.up, 'opml'), 'ms', '<= 1500 ms')
  row('tee job of 16 tokens, submit to result', await jobs(running.up, 'tee'), 'ms', '<= 1500 ms')
  row('memory of the node afterwards', [nodeMemory(running.child.pid)], 'MiB', '-')
  await stopSystem(running)
  process.stdout.write(
    ['| row | median | p95 | target |', '|---|---|---|---|', ...rows, ''].join('\n'),
  )
} finally {
  fs.rmSync(folder, { recursive: true, force: true })
}
