// Our node alone, as `assay up` runs it, on a home made for the occasion.
import { randomBytes } from 'node:crypto'
import fs from 'node:fs'
import path from 'node:path'
import { freePort } from '../../dist/base/freePorts.js'
import { defaultAppState } from '../../dist/chain/defaultGenesis.js'
import { CHAIN_NODE_OPTIONS } from '../../dist/cli/nodeOptions.js'
import { homePaths } from '../../dist/config/home.js'
import { APP_VERSION } from '../../dist/consensus/evm/application.js'
import { createConsensusFiles } from '../../dist/consensus/files/create.js'
import { allocation, CHAIN_ID } from '../support/chain.mjs'
import { startServer, temporaryFolder } from '../support/server.mjs'

const main = path.resolve(import.meta.dirname, '..', '..', 'dist', 'main.js')

/** Makes the home of a chain with the accounts and contracts of the benchmarks. */
export function makeHome(folder, { blockGasLimit, slots = 0 }) {
  const home = homePaths(folder)
  for (const each of [home.config, home.data, home.keystore])
    fs.mkdirSync(each, { recursive: true, mode: 0o700 })
  createConsensusFiles(home, {
    chainId: `assay_${CHAIN_ID}-1`,
    moniker: 'bench',
    genesisTimeNs: BigInt(Date.now()) * 1_000_000n,
    appVersion: APP_VERSION,
    appState(publicKey) {
      const validators = [{ publicKey, rewardAddress: randomBytes(20) }]
      const { evm } = defaultAppState({ accounts: [], validators, blockGasLimit })
      return { evm: { ...evm, alloc: { ...evm.alloc, ...allocation(slots) } } }
    },
  })
}

/**
 * Starts a node with default block production. The chain has a block gas limit, filled slots for the loops, and the most
 * transactions that the pool holds. `more` are keys of its configuration; `nodeOptions` flags for Node itself, for profiles.
 */
export async function startAssay(chain, { nodeOptions = [], ...more } = {}) {
  const folder = temporaryFolder()
  makeHome(folder, chain)
  const port = await freePort()
  const flags = {
    home: folder,
    'log.level': 'warn',
    'json-rpc.address': `127.0.0.1:${port}`,
    'json-rpc.ws-address': '127.0.0.1:0',
    'rpc.laddr': 'tcp://127.0.0.1:0',
    // A slow engine shall be measured, not cut off.
    'json-rpc.evm-timeout': '60s',
    'mempool.size': String(chain.poolSize ?? 20_000),
    ...more,
  }
  const args = Object.entries(flags).map(([name, value]) => `--${name}=${value}`)
  return await startServer({
    name: 'assay',
    command: process.execPath,
    args: [...CHAIN_NODE_OPTIONS, ...nodeOptions, main, 'node', ...args],
    port,
    folder,
  })
}
