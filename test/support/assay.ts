/** Starts the built program as a user would, and reads up.json as a script would. */
import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'

const root = path.resolve(import.meta.dirname, '..', '..')
export const mainFile = path.join(root, 'dist', 'main.js')

/** Contents of up.json. */
export type UpFile = {
  rpc: string
  ws: string
  ethereum: string
  wsEthereum: string
  comet: string
  dispatcher: string
  explorer?: string
  dispatcherAddress: string
  operatorAddress: string
  database: string
  ipc: string
  metrics: Record<string, string>
  jwt: string
  rpcToken: string
  chainId: number
  accounts: { address: `0x${string}`; privateKey: `0x${string}` }[]
  passphrase: string
  project: string
  token: string
  models: string[]
  pid: number
}

/** Free ports everywhere, so that tests do not conflict with other programs. */
export const freePorts = [
  '--json-rpc.address=127.0.0.1:0',
  '--json-rpc.ws-address=127.0.0.1:0',
  '--rpc.laddr=tcp://127.0.0.1:0',
  '--dispatcher.address=127.0.0.1:0',
  '--explorer.address=127.0.0.1:0',
]

export type Running = {
  readonly home: string
  readonly process: ChildProcess
  readonly up: UpFile
  /** Everything the program printed so far. */
  output(): string
  /** SIGTERM, and the exit code. */
  stop(): Promise<number | null>
}

/** A home folder that does not exist yet, in a folder of its own. */
export function newHome(): string {
  return path.join(fs.mkdtempSync(path.join(os.tmpdir(), 'assay-e2e-')), 'home')
}

/** Runs the program with arguments until it exits. */
export async function runAssay(
  args: readonly string[],
  environment: Readonly<Record<string, string>> = {},
): Promise<{ code: number | null; output: string }> {
  const child = spawn(process.execPath, [mainFile, ...args], {
    env: { ...process.env, ...environment },
  })
  let output = ''
  child.stdout.on('data', (chunk) => (output += chunk))
  child.stderr.on('data', (chunk) => (output += chunk))
  const [code] = await once(child, 'close')
  return { code, output }
}

/** Starts `assay up`, of the build unless `main` is another one's file, and waits until it is ready. */
export async function startAssay(
  home: string,
  args: readonly string[] = [],
  {
    main = mainFile,
    environment = {},
  }: { readonly main?: string; readonly environment?: Readonly<Record<string, string>> } = {},
): Promise<Running> {
  const child = spawn(process.execPath, [main, 'up', '--home', home, ...freePorts, ...args], {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...process.env, ...environment },
  })
  let output = ''
  child.stdout.on('data', (chunk) => (output += chunk))
  child.stderr.on('data', (chunk) => (output += chunk))
  const file = path.join(home, 'up.json')
  const deadline = Date.now() + 150_000
  for (;;) {
    if (child.exitCode !== null || child.signalCode !== null)
      throw new Error(`assay up ended early:\n${output}`)
    if (Date.now() > deadline) {
      await stop(child)
      throw new Error(`assay up is not ready:\n${output}`)
    }
    const up = readUp(file)
    if (up !== undefined && up.pid === child.pid)
      return { home, process: child, up, output: () => output, stop: () => stop(child) }
    await sleep(25)
  }
}

function readUp(file: string): UpFile | undefined {
  try {
    return JSON.parse(fs.readFileSync(file, 'utf8'))
  } catch {
    return undefined
  }
}

async function stop(child: ChildProcess): Promise<number | null> {
  if (child.exitCode !== null || child.signalCode !== null) return child.exitCode
  const gone = once(child, 'exit')
  child.kill('SIGTERM')
  const [code] = await gone
  return code
}

/** Calls `read` until it returns a value, for at most `seconds`. */
export async function eventually<T>(
  read: () => Promise<T | undefined> | T | undefined,
  seconds = 60,
): Promise<T> {
  const deadline = Date.now() + seconds * 1000
  for (;;) {
    const value = await read()
    if (value !== undefined) return value
    if (Date.now() > deadline) throw new Error('the awaited condition did not come')
    await sleep(25)
  }
}

/** One JSON-RPC request over HTTP; returns the whole response object. */
export async function rpc(
  url: string,
  method: string,
  params: readonly unknown[] = [],
  headers: Readonly<Record<string, string>> = {},
): Promise<{ result?: unknown; error?: { code: number; message: string; data?: unknown } }> {
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
  })
  return response.json() as Promise<{ result?: unknown; error?: { code: number; message: string } }>
}

/** One POST of JSON to the dispatcher. */
export async function post(
  url: string,
  body: unknown,
): Promise<{
  status: number
  body: { code: number; result?: unknown; error?: string; message?: string }
}> {
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  })
  return { status: response.status, body: (await response.json()) as { code: number } }
}
