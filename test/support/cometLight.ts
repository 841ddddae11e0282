/** CometBFT's own light client as a process: `cometbft light`, a proxy whose answers are verified. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { freePort } from '../../src/base/freePorts.ts'
import { eventually } from './assay.ts'
import { COMETBFT } from './cometbft.ts'

export type CometAnswer = {
  readonly result?: Record<string, unknown>
  readonly error?: { readonly data: string }
}

export type CometLight = {
  readonly url: string
  /** Everything that it printed so far. */
  output(): string
  /** Its verified response to a query of the consensus RPC. */
  get(query: string): Promise<CometAnswer>
  stop(): Promise<void>
}

/** The answer of a consensus RPC to a query in a URL. */
export async function getComet(url: string, query: string): Promise<CometAnswer> {
  return (await (await fetch(`${url}/${query}`)).json()) as CometAnswer
}

/** Starts it with these arguments. Resolves once it responds; rejects with its output when it exits before. */
export async function startCometLight(args: readonly string[]): Promise<CometLight> {
  const port = await freePort()
  const child = spawn(COMETBFT, ['light', ...args, '--laddr', `tcp://127.0.0.1:${port}`], {
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let output = ''
  child.stdout.on('data', (chunk) => (output += chunk))
  child.stderr.on('data', (chunk) => (output += chunk))
  const url = `http://127.0.0.1:${port}`
  await eventually(async () => {
    if (child.exitCode !== null) throw new Error(`cometbft light ended:\n${output}`)
    return fetch(`${url}/health`).then(
      () => true,
      () => undefined,
    )
  })
  return {
    url,
    output: () => output,
    get: (query) => getComet(url, query),
    async stop() {
      if (child.exitCode !== null || child.signalCode !== null) return
      child.kill('SIGKILL')
      await once(child, 'exit')
    },
  }
}
