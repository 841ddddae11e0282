/** A node of a new home in this process, with its servers on free ports. */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pino } from 'pino'
import { completeHome } from '../../src/cli/newHome.ts'
import { homePaths, type Home } from '../../src/config/home.ts'
import { loadConfig } from '../../src/config/load.ts'
import { nodeKeys } from '../../src/config/node.ts'
import { startNode } from '../../src/node/node.ts'

export type TestChain = {
  readonly home: Home
  /** URLs of the Ethereum JSON-RPC and of the consensus RPC. */
  readonly rpc: string
  readonly comet: string
  stop(): Promise<void>
}

/** Makes a home and starts its node, with a block at least every 100 ms. */
export async function startTestChain(): Promise<TestChain> {
  const folder = await mkdtemp(join(tmpdir(), 'assay-chain-'))
  const home = homePaths(folder)
  await completeHome(home)
  const config = loadConfig(nodeKeys, {
    file: join(folder, 'none.toml'),
    environment: {},
    flags: {
      'json-rpc.address': '127.0.0.1:0',
      'json-rpc.ws-address': '127.0.0.1:0',
      'rpc.laddr': 'tcp://127.0.0.1:0',
      'consensus.block-interval': '100ms',
    },
  })
  const node = await startNode({
    home,
    config,
    log: pino({ level: 'silent' }),
    signal: new AbortController().signal,
    fatal(error) {
      throw error
    },
  })
  return {
    home,
    rpc: node.addresses.rpc,
    comet: node.addresses.comet,
    async stop() {
      await node.close()
      await rm(folder, { recursive: true, force: true })
    },
  }
}
