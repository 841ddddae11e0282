/**
 * As much of CometBFT 0.38's mempool as our gossip and our client of its RPC meet: its answers to broadcast_tx_async, to one
 * transaction and to many, and how what it took comes to the other nodes' CheckTx.
 */
import { pino } from 'pino'
import { z } from 'zod'
import { fromBase64 } from '../../src/base/base64.ts'
import { toHexDigits } from '../../src/base/hex.ts'
import { keccak256 } from '../../src/base/keccak.ts'
import { createGossip, type Gossip } from '../../src/consensus/cometbft/gossip.ts'
import { CometRpcError, createCometRpcClient } from '../../src/consensus/cometbft/rpc.ts'
import { demand, Violation } from './invariants.ts'
import type { Network } from './network.ts'
import type { SimulatedNode } from './node.ts'

const KEPT = 'tx already exists in cache'

const request = z.object({
  id: z.number(),
  method: z.literal('broadcast_tx_async'),
  params: z.object({ tx: z.string() }),
})
type Request = z.infer<typeof request>

export type CometMempools = {
  /** Gives a transaction of a node's pool to its CometBFT, as the node's own gossip does. */
  send(from: SimulatedNode, hash: Uint8Array, raw: Uint8Array): void
  /** The transactions that a node's CometBFT has for a block, oldest first. */
  waiting(node: SimulatedNode): readonly Uint8Array[]
}

/** One node's CometBFT, which lives as long as the process beside it. */
type Mempool = {
  readonly ofProcess: unknown
  readonly gossip: Gossip
  readonly txs: Map<string, Uint8Array>
}

export function createCometMempools(network: Omit<Network, 'mempools'>): CometMempools {
  const { chance, decisions, phase, random, scheduler } = network
  const mempools = new Map<SimulatedNode, Mempool>()
  let faults = 0
  let warnings = 0
  const log = pino(
    { level: 'warn' },
    {
      write(line) {
        warnings++
        network.go(async () => demand(warnings <= faults, `gossip warns for no fault: ${line}`))
      },
    },
  )

  /** Whether something goes wrong between a node and its CometBFT. */
  function isFaulty(percent: number): boolean {
    const isFault = !phase.isHealed && chance(percent)
    if (isFault) faults++
    return isFault
  }

  /** Takes a transaction, asks the application about it, and passes it to whoever can be reached. */
  function take(node: SimulatedNode, tx: Uint8Array): string | undefined {
    const own = mempoolOf(node)
    const key = toHexDigits(tx)
    if (own.txs.has(key)) return KEPT
    if (isFaulty(5)) return 'mempool is full: number of txs 5000 (max: 5000)'
    own.txs.set(key, tx)
    network.go(async () => {
      const { code } = await node.use(({ application }) => application.holdTx(tx))
      if (code !== 0) own.txs.delete(key)
      else for (const peer of network.nodes) if (peer !== node) tell(node, peer, tx)
    })
    return undefined
  }

  function tell(from: SimulatedNode, to: SimulatedNode, tx: Uint8Array): void {
    network.go(async () => {
      await scheduler.sleep(1 + random(60))
      const arrives = network.areConnected(from, to) && (phase.isHealed || !chance(10))
      if (arrives && to.running() !== undefined && !knows(to, tx)) take(to, tx)
    })
  }

  const isExecuted = (tx: Uint8Array): boolean => decisions.executed.has(toHexDigits(keccak256(tx)))

  const knows = (node: SimulatedNode, tx: Uint8Array): boolean =>
    mempoolOf(node).txs.has(toHexDigits(tx)) || isExecuted(tx)

  function answerTo(node: SimulatedNode, { id, params }: Request): unknown {
    const tx = fromBase64(params.tx)
    if (tx === undefined) throw new Violation(`${node.name} broadcasts what is not base64`)
    const reason = take(node, tx)
    return reason === undefined
      ? { jsonrpc: '2.0', id, result: { code: 0, data: '', log: '', codespace: '', hash: '' } }
      : { jsonrpc: '2.0', id, error: { code: -32603, message: 'Internal error', data: reason } }
  }

  /** The RPC of a node's CometBFT; it and what it says may get lost. */
  async function post(node: SimulatedNode, body: unknown): Promise<unknown> {
    await scheduler.sleep(random(20))
    if (node.running() === undefined) faults++
    if (node.running() === undefined || isFaulty(5)) throw new CometRpcError('connection refused')
    const requests = z.array(request).max(10).parse(body)
    const answers = requests.map((each) => answerTo(node, each))
    await scheduler.sleep(random(20))
    if (isFaulty(5)) throw new CometRpcError('socket hang up')
    return answers.length === 1 ? answers[0] : answers
  }

  function mempoolOf(node: SimulatedNode): Mempool {
    const known = mempools.get(node)
    const running = node.running()
    if (known !== undefined && known.ofProcess === running) return known
    const { signal } = new AbortController()
    const client = createCometRpcClient('', signal, (body) => post(node, body))
    const gossip = createGossip({
      client,
      isWanted: (hash) => node.running() === running && running?.pool.get(hash) !== undefined,
      batchLimit: 10,
      log,
      signal,
      wait: scheduler.sleep,
    })
    const mempool = { ofProcess: running, gossip, txs: new Map<string, Uint8Array>() }
    mempools.set(node, mempool)
    return mempool
  }

  return {
    send: (from, hash, raw) => mempoolOf(from).gossip.send(hash, raw),
    waiting: (node) => [...mempoolOf(node).txs.values()].filter((tx) => !isExecuted(tx)),
  }
}
