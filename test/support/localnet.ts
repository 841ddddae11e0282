/** A network of `assay localnet` in a folder of its own, as a script would run it. */
import fs from 'node:fs'
import path from 'node:path'
import { eventually, newHome, rpc, runAssay } from './assay.ts'
import { COMETBFT } from './cometbft.ts'
import { ethereumBlock, heightOf } from './networkAudit.ts'

export type LocalnetNode = {
  readonly name: string
  readonly state: string
  readonly height: number
  readonly catchingUp: boolean
  readonly peers: number
  readonly rpc: string
  readonly ws: string
  readonly comet: string
}

export type Localnet = {
  /** The folder; each node's home is in it. */
  readonly home: string
  /** Runs a command of `assay localnet`. Rejects with its output when it fails. */
  run(...args: readonly string[]): Promise<string>
  status(): Promise<readonly LocalnetNode[]>
  /** Stops the nodes and removes the folder. */
  remove(): Promise<void>
}

/** A network that is not started yet, with fast blocks. */
export function createLocalnet(): Localnet {
  const home = newHome()
  async function run(...args: readonly string[]): Promise<string> {
    const { code, output } = await runAssay(['localnet', ...args, '--home', home])
    if (code !== 0) throw new Error(output)
    return output
  }
  return {
    home,
    run,
    status: async () =>
      (JSON.parse(await run('status', '--json')) as { nodes: LocalnetNode[] }).nodes,
    async remove() {
      await run('stop').catch(() => undefined)
      fs.rmSync(path.dirname(home), { recursive: true, force: true })
    },
  }
}

/** Starts a network in the background, on free ports if it is new. The last of repeated options counts. */
export function startLocalnet({ run }: Localnet, ...args: readonly string[]): Promise<string> {
  const usual = ['--detach', '--first-port=0', '--block-interval=500ms', `--cometbft=${COMETBFT}`]
  return run('start', ...usual, ...args)
}

/** The result of a JSON-RPC request. Throws its error. */
export async function askRpc(
  url: string,
  method: string,
  params: readonly unknown[] = [],
): Promise<unknown> {
  const { result, error } = await rpc(url, method, params)
  if (error !== undefined) throw new Error(error.message)
  return result
}

/** Resolves once every node is at a height. */
export async function reachHeight(
  nodes: readonly Pick<LocalnetNode, 'rpc'>[],
  height: number,
  seconds = 60,
): Promise<void> {
  for (const node of nodes)
    await eventually(async () => {
      const at = await heightOf(node.rpc).catch(() => 0)
      return at >= height || undefined
    }, seconds)
}

/** The lowest height of all nodes. Throws for the first block up to it that is not the same on all of them. */
export async function requireAgreement(
  nodes: readonly Pick<LocalnetNode, 'rpc'>[],
): Promise<number> {
  const last = Math.min(...(await Promise.all(nodes.map((node) => heightOf(node.rpc)))))
  for (let height = 1; height <= last; height++) {
    const blocks = await Promise.all(nodes.map((node) => ethereumBlock(node.rpc, height)))
    const texts = new Set(blocks.map((block) => JSON.stringify(block)))
    if (texts.size > 1) throw new Error(`block ${height} is not the same on all nodes`)
  }
  return last
}
