/** One chain node as a process of its own, with or without a fault in it. */
import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import path from 'node:path'
import { pathToFileURL } from 'node:url'
import { freePorts, mainFile } from '../support/assay.ts'

const FAULTS = pathToFileURL(path.join(import.meta.dirname, 'faults.mjs')).href
const READY_MS = 60_000

export type NodeUrls = {
  readonly rpc: string
  readonly ws: string
  readonly comet: string
  /** Where it serves metrics, if it does. */
  readonly metrics?: string
}

/** How a process of the node ended. */
export type Ending = {
  readonly code: number | null
  readonly signal: NodeJS.Signals | null
  readonly output: string
}

export type ChainNode = {
  readonly process: ChildProcess
  /** JSON-RPC, consensus RPC and metrics, as URLs; undefined when the process ended before it answered. */
  readonly ready: Promise<NodeUrls | undefined>
  readonly ended: Promise<Ending>
}

/** What is unusual about a node's process. */
export type Limits = {
  /** How many files the process may have open. */
  readonly descriptors?: number
  /** The program of another build. */
  readonly main?: string
}

/** Starts the node of a home. `environment` may name a fault (faults.mjs). */
export function startChainNode(
  home: string,
  environment: Readonly<Record<string, string>> = {},
  args: readonly string[] = [],
  { descriptors, main = mainFile }: Limits = {},
): ChainNode {
  const ports = freePorts.filter((flag) => !flag.startsWith('--dispatcher'))
  // What stands in for the store is of no use to its readers in other threads, which would load it too.
  const faults = Object.keys(environment).length > 0 ? ['--import', FAULTS] : []
  const command = [process.execPath, ...faults, main, 'node', '--home', home, ...ports, ...args]
  const [program = '', ...rest] =
    descriptors === undefined
      ? command
      : ['sh', '-c', `ulimit -n ${descriptors}; exec "$0" "$@"`, ...command]
  const child = spawn(program, rest, {
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
    env: { ...process.env, ASSAY_LOG_LEVEL: 'error', ...environment },
  })
  let output = ''
  child.stdout?.on('data', (chunk) => (output += chunk))
  child.stderr?.on('data', (chunk) => (output += chunk))
  const ended = once(child, 'close').then(([code, signal]): Ending => ({
    code: code as number | null,
    signal,
    output,
  }))
  const message = new Promise<NodeUrls | undefined>((resolve, reject) => {
    const timer = setTimeout(() => reject(new Error(`not ready:\n${output}`)), READY_MS)
    const settle = (details?: NodeUrls) => {
      clearTimeout(timer)
      resolve(details)
    }
    child.on('message', ({ type, details }: { type: string; details: never }) => {
      if (type === 'ready') settle(details)
    })
    void ended.then(() => settle())
  })
  return { process: child, ready: message, ended }
}

/** Ends a node in the orderly way, and gives its exit code. */
export async function stopChainNode(node: ChainNode): Promise<number | null> {
  node.process.kill('SIGTERM')
  return (await node.ended).code
}
