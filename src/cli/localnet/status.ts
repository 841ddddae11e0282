/** The nodes' own reports of their status. */
import { z } from 'zod'
import { heightText } from '../../proof/comet/json/scalars.ts'
import { columns } from '../project/columns.ts'
import { processesOf } from './processes.ts'
import type { LocalnetPaths, Plan, PlannedNode } from './plan.ts'

const ANSWER_MS = 2000

export type NodeStatus = {
  readonly name: string
  readonly kind: PlannedNode['kind']
  readonly state: 'up' | 'paused' | 'away'
  /** Of the last block in its JSON-RPC. */
  readonly height: number | undefined
  /** Round of the consensus in progress; 0 as long as all is well. */
  readonly round: number | undefined
  readonly peers: number | undefined
  readonly catchingUp: boolean | undefined
  readonly rpc: string
  readonly ws: string
  readonly comet: string
}

const height = z.object({ result: z.string().regex(/^0x[0-9a-f]+$/) })
const status = z.object({ result: z.object({ sync_info: z.object({ catching_up: z.boolean() }) }) })
const netInfo = z.object({ result: z.object({ n_peers: heightText }) })
const round = z.object({
  result: z.object({
    round_state: z.object({ 'height/round/step': z.string().regex(/^\d+\/\d+\/\d+$/) }),
  }),
})

/** A response according to its schema, or undefined if there is none. */
async function ask<T>(url: string, schema: z.ZodType<T>, body?: object): Promise<T | undefined> {
  try {
    const signal = AbortSignal.timeout(ANSWER_MS)
    const response = await fetch(
      url,
      body === undefined
        ? { signal }
        : {
            signal,
            method: 'POST',
            headers: { 'content-type': 'application/json' },
            body: JSON.stringify(body),
          },
    )
    return schema.safeParse(await response.json()).data
  } catch {
    return undefined
  }
}

async function statusOf(paths: LocalnetPaths, node: PlannedNode): Promise<NodeStatus> {
  const { name, kind, ports } = node
  const rpc = `http://127.0.0.1:${ports.rpc}`
  const comet = `http://127.0.0.1:${ports.comet}`
  const processes = processesOf(paths.home(name))
  const isPaused = processes.some(({ isStopped }) => isStopped)
  const request = { jsonrpc: '2.0', id: 1, method: 'eth_blockNumber', params: [] }
  // A stopped one would only run into the timeout.
  const [block, sync, net, consensus] = isPaused
    ? []
    : await Promise.all([
        ask(rpc, height, request),
        ask(`${comet}/status`, status),
        ask(`${comet}/net_info`, netInfo),
        ask(`${comet}/consensus_state`, round),
      ])
  const roundText = consensus?.result.round_state['height/round/step'].split('/')[1]
  return {
    name,
    kind,
    state: isPaused ? 'paused' : block === undefined || sync === undefined ? 'away' : 'up',
    height: block && Number(block.result),
    round: roundText === undefined ? undefined : Number(roundText),
    peers: net?.result.n_peers,
    catchingUp: sync?.result.sync_info.catching_up,
    rpc,
    ws: `ws://127.0.0.1:${ports.ws}`,
    comet,
  }
}

/** The status of all nodes, queried in parallel. */
export function networkStatus(paths: LocalnetPaths, plan: Plan): Promise<readonly NodeStatus[]> {
  return Promise.all(plan.nodes.map((node) => statusOf(paths, node)))
}

/** The same as a table. */
export function statusTable(nodes: readonly NodeStatus[]): string {
  const shown = (value: number | undefined) => (value === undefined ? '-' : String(value))
  return columns(
    ['node', 'kind', 'state', 'height', 'round', 'peers', 'json-rpc', 'consensus rpc'],
    nodes.map((node) => [
      node.name,
      node.kind,
      node.catchingUp === true ? 'catching up' : node.state,
      shown(node.height),
      shown(node.round),
      shown(node.peers),
      node.rpc,
      node.comet,
    ]),
  )
}
