/**
 * Four real validators and a full node under load, and what CometBFT's own end-to-end tests do to theirs: kill, pause,
 * restart, all at once. Needs CometBFT v0.38.25 in the PATH, or named by ASSAY_COMETBFT.
 */
import fs from 'node:fs'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Hex } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { z } from 'zod'
import { developmentKeys } from '../../src/accounts/development.ts'
import { toHex } from '../../src/base/hex.ts'
import { eventually, newHome, rpc, runAssay } from '../support/assay.ts'
import { COMETBFT, hasCometbft } from '../support/cometbft.ts'
import { auditViews, ethereumBlock, heightOf } from '../support/networkAudit.ts'

const isPresent = hasCometbft()
if (!isPresent) console.warn('skipped: no cometbft 0.38.25 in the PATH (set ASSAY_COMETBFT)')

/** CometBFT's own tests ask for 20 s, on machines that do nothing else. How long it took is printed; this guards against never. */
const BACK_WITHIN_SECONDS = 120

type NodeStatus = {
  readonly name: string
  readonly state: string
  readonly height: number
  readonly catchingUp: boolean
  readonly peers: number
  readonly rpc: string
  readonly comet: string
}

const home = newHome()
const accounts = developmentKeys().map((key) => privateKeyToAccount(toHex(key)))

async function localnet(...args: readonly string[]): Promise<string> {
  const { code, output } = await runAssay(['localnet', ...args, '--home', home])
  if (code !== 0) throw new Error(output)
  return output
}

const status = async () =>
  (JSON.parse(await localnet('status', '--json')) as { nodes: NodeStatus[] }).nodes

/** Resolves once every node answers, has caught up, and stands at a height above all of now. */
async function allBack(seconds: number): Promise<readonly NodeStatus[]> {
  const goal = Math.max(...(await status()).map(({ height }) => height ?? 0)) + 2
  return await eventually(async () => {
    const nodes = await status()
    const isBack = nodes.every(({ state, catchingUp, height }) => {
      return state === 'up' && !catchingUp && height >= goal
    })
    return isBack ? nodes : undefined
  }, seconds)
}

/** What clients were shown. */
const receipts = new Map<Hex, string>()

async function ask(
  url: string,
  method: string,
  params: readonly unknown[],
  headers: Readonly<Record<string, string>> = {},
): Promise<unknown> {
  const { result, error } = await rpc(url, method, params, headers)
  if (error !== undefined) throw new Error(error.message)
  return result
}

/** Sends transfers of one account, each to another node, until the signal; what a fault swallowed is sent again elsewhere. */
async function load(urls: readonly string[], sender: number, stop: AbortSignal): Promise<void> {
  const account = accounts[sender] ?? accounts[0]!
  const to = accounts[(sender + 1) % accounts.length]!.address
  let turn = sender
  const nextUrl = () => urls[turn++ % urls.length]!
  let nonce: number | undefined
  while (!stop.aborted) {
    try {
      nonce ??= Number(await ask(nextUrl(), 'eth_getTransactionCount', [account.address, 'latest']))
      const raw = await account.signTransaction({
        type: 'eip1559',
        chainId: 271828,
        nonce,
        to,
        value: 1n,
        gas: 21_000n,
        maxFeePerGas: 20_000_000_000n,
        maxPriorityFeePerGas: 1_000_000_000n,
      })
      const hash = (await ask(nextUrl(), 'eth_sendRawTransaction', [raw])) as Hex
      receipts.set(hash, JSON.stringify(await included(nextUrl(), hash, 4)))
      nonce++
    } catch {
      nonce = undefined
      await sleep(100)
    }
  }
}

function included(url: string, hash: Hex, seconds?: number): Promise<unknown> {
  return eventually(
    async () => (await ask(url, 'eth_getTransactionReceipt', [hash])) ?? undefined,
    seconds,
  )
}

let nodes: readonly NodeStatus[]

beforeAll(async () => {
  if (!isPresent) return
  await localnet(
    'start',
    '--detach',
    '--validators=4',
    '--full=1',
    '--first-port=0',
    '--block-interval=500ms',
    '--snapshot-interval=20',
    `--cometbft=${COMETBFT}`,
  )
  nodes = await status()
})

afterAll(async () => {
  if (isPresent) await localnet('stop')
  fs.rmSync(path.dirname(home), { recursive: true, force: true })
})

/** Holds all nodes against the first: the same blocks, roots and receipts. */
async function expectAgreement(): Promise<void> {
  const [first, ...others] = nodes.map((node) => node.rpc)
  if (first === undefined) throw new Error('there is no node')
  const last = Math.min(...(await Promise.all(nodes.map((node) => heightOf(node.rpc)))))
  expect(await auditViews(nodes[0]!, last)).toEqual([])
  for (let height = 1; height <= last; height++) {
    const block = await ethereumBlock(first, height)
    for (const other of others) expect(await ethereumBlock(other, height)).toEqual(block)
  }
  for (const [hash, receipt] of receipts)
    for (const url of [first, ...others])
      expect(JSON.stringify(await ask(url, 'eth_getTransactionReceipt', [hash]))).toBe(receipt)
}

test.runIf(isPresent)(
  'a transaction given to any node is mined, and is the same on all of them',
  async () => {
    const account = accounts[9]!
    for (const [nonce, node] of nodes.entries()) {
      const raw = await account.signTransaction({
        type: 'eip1559',
        chainId: 271828,
        nonce,
        to: account.address,
        gas: 21_000n,
        maxFeePerGas: 20_000_000_000n,
        maxPriorityFeePerGas: 1n,
      })
      const hash = (await ask(node.rpc, 'eth_sendRawTransaction', [raw])) as Hex
      for (const { rpc: url } of nodes)
        receipts.set(hash, JSON.stringify(await included(url, hash)))
    }
    await expectAgreement()
  },
)

/** Names and number of a node's peers; for the names it asks with a token of the node's home. */
async function peersOf({ name, rpc: url }: NodeStatus): Promise<string> {
  const folder = path.join(home, name)
  const token = await runAssay(['token', 'create', '--home', folder, '--name', 'test'])
  const peers = z
    .array(z.object({ name: z.string() }))
    .parse(await ask(url, 'admin_peers', [], { authorization: `Bearer ${token.output.trim()}` }))
  const names = peers.map((peer) => peer.name).toSorted((a, b) => a.localeCompare(b))
  return `${names.join(' ')}: ${String(await ask(url, 'net_peerCount', []))}`
}

test.runIf(isPresent)('every node names all others as its peers', async () => {
  for (const node of nodes) {
    const others = nodes.map(({ name }) => name).filter((name) => name !== node.name)
    const expected = `${others.join(' ')}: ${others.length}`
    await eventually(async () => ((await peersOf(node)) === expected ? true : undefined))
  }
})

test.runIf(isPresent)(
  'a transaction behind a nonce gap waits on every node, and all see it become pending',
  async () => {
    const account = accounts[8]!
    const transfer = (nonce: number) =>
      account.signTransaction({
        type: 'eip1559',
        chainId: 271828,
        nonce,
        to: account.address,
        gas: 21_000n,
        maxFeePerGas: 20_000_000_000n,
        maxPriorityFeePerGas: 1n,
      })
    const filters = await Promise.all(
      nodes.map(({ rpc: url }) => ask(url, 'eth_newPendingTransactionFilter', [])),
    )
    const later = (await ask(nodes[0]!.rpc, 'eth_sendRawTransaction', [await transfer(1)])) as Hex
    for (const { rpc: url } of nodes)
      await eventually(async () => {
        const { queued } = (await ask(url, 'txpool_contentFrom', [account.address])) as {
          queued: Record<string, unknown>
        }
        return queued['1']
      })
    const first = (await ask(nodes[4]!.rpc, 'eth_sendRawTransaction', [await transfer(0)])) as Hex
    for (const hash of [first, later]) await included(nodes[2]!.rpc, hash)
    for (const [index, { rpc: url }] of nodes.entries())
      expect(await ask(url, 'eth_getFilterChanges', [filters[index]])).toEqual([first, later])
  },
)

test.runIf(isPresent)(
  'the network survives kills, pauses and restarts under load, and nothing that was shown is lost',
  async () => {
    const stop = new AbortController()
    const urls = nodes.map((node) => node.rpc)
    const loads = [0, 1, 2, 3].map((sender) => load(urls, sender, stop.signal))
    try {
      for (const perturbation of [
        ['kill', '0'],
        ['pause', '1', '--for=10s'],
        ['restart', '2'],
        ['kill', '4'],
        ['kill', '0', '1', '2', '3'],
        ['restart', '0', '1', '2', '3'],
      ]) {
        const before = receipts.size
        await localnet(...perturbation)
        const began = performance.now()
        nodes = await allBack(BACK_WITHIN_SECONDS)
        console.info(
          perturbation.join(' '),
          `back after ${Math.round(performance.now() - began)} ms`,
        )
        await eventually(() => receipts.size > before + 8 || undefined, BACK_WITHIN_SECONDS)
        await sleep(3000)
      }
    } finally {
      stop.abort()
      await Promise.all(loads)
    }
    await expectAgreement()
  },
  1_200_000,
)

test.runIf(isPresent)('a node that is added later catches up by block sync', async () => {
  await localnet('add', '--first-port=0')
  const last = await heightOf(nodes[0]!.rpc)
  nodes = await eventually(async () => {
    const all = await status()
    const added = all[5]
    return added?.state === 'up' && added.height > last ? all : undefined
  }, 180)
  await expectAgreement()
})

test.runIf(isPresent)(
  'a node begins with a snapshot of the others, proves that state, and goes on',
  async () => {
    await localnet('add', '--first-port=0', '--state-sync')
    const added = await eventually(
      async () => (await status()).find(({ name, state }) => name === 'node6' && state === 'up'),
      180,
    )
    const answer = (await (await fetch(`${added.comet}/status`)).json()) as {
      result: { sync_info: { earliest_block_height: string } }
    }
    const earliest = Number(answer.result.sync_info.earliest_block_height)
    expect(earliest).toBeGreaterThan(1)
    await eventually(async () => (await heightOf(added.rpc)) > earliest + 3 || undefined)
    const last = await heightOf(added.rpc)
    await eventually(async () => (await heightOf(nodes[0]!.rpc)) >= last || undefined)
    for (let height = earliest; height <= last; height++)
      expect(await ethereumBlock(added.rpc, height)).toEqual(
        await ethereumBlock(nodes[0]!.rpc, height),
      )
    const proof = [accounts[0]!.address, [], `0x${earliest.toString(16)}`]
    expect(await ask(added.rpc, 'eth_getProof', proof)).toEqual(
      await ask(nodes[0]!.rpc, 'eth_getProof', proof),
    )
  },
  600_000,
)
