// Real CometBFT validators of `assay localnet`, on the chain of the benchmarks.
import fs from 'node:fs'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { freePorts } from '../../dist/base/freePorts.js'
import { createNetwork } from '../../dist/cli/localnet/create.js'
import { localnetPaths } from '../../dist/cli/localnet/plan.js'
import { processesOf } from '../../dist/cli/localnet/processes.js'
import { completeCometbftHome } from '../../dist/consensus/cometbft/binary.js'
import { allocation } from '../support/chain.mjs'
import { call } from '../support/jsonRpc.mjs'
import { cpuSeconds } from '../support/processes.mjs'
import { scrape } from '../support/prometheus.mjs'
import { startServer, temporaryFolder } from '../support/server.mjs'

const main = path.resolve(import.meta.dirname, '..', '..', 'dist', 'main.js')
/** The program: of the PATH, or the one that ASSAY_COMETBFT names. */
export const COMETBFT = process.env['ASSAY_COMETBFT'] ?? 'cometbft'
const READY_MS = 60_000

/** Gives a genesis of `assay localnet` the accounts, contracts and block gas limit of the benchmarks. */
function changeGenesis(file, blockGasLimit) {
  const genesis = JSON.parse(fs.readFileSync(file, 'utf8'))
  const { evm } = genesis.app_state
  evm.block_gas_limit = blockGasLimit.toString()
  Object.assign(evm.alloc, allocation(0))
  fs.writeFileSync(file, JSON.stringify(genesis))
}

/** Lets a node's CometBFT serve its metrics. */
async function serveMetrics(folder, port) {
  await completeCometbftHome(COMETBFT, folder)
  const file = path.join(folder, 'config', 'config.toml')
  const text = fs
    .readFileSync(file, 'utf8')
    .replace(/^prometheus = false$/m, 'prometheus = true')
    .replace(/^prometheus_listen_addr = .*$/m, `prometheus_listen_addr = "127.0.0.1:${port}"`)
  fs.writeFileSync(file, text)
}

async function awaitHeight(port, height) {
  const deadline = performance.now() + READY_MS
  for (;;) {
    const now = await call(port, 'eth_blockNumber').then(Number, () => 0)
    if (now >= height) return
    if (performance.now() > deadline) throw new Error(`no block ${height} on port ${port}`)
    await sleep(50)
  }
}

/** Processor seconds of our programs and of CometBFT, each of all validators. */
function processorTime(homes) {
  const sum = { assay: 0, cometbft: 0 }
  for (const home of homes) {
    const [node, comet] = processesOf(home)
    if (comet === undefined) throw new Error(`a node of ${home.folder} has ended`)
    const own = cpuSeconds(comet.pid)
    sum.cometbft += own
    sum.assay += cpuSeconds(node.pid) - own
  }
  return sum
}

/**
 * Makes a network of so many validators and starts it. Resolves once all of them show the second block. Gives the ports of
 * their JSON-RPC, their processor time, and what their CometBFTs count.
 */
export async function startLocalnet({ validators, blockGasLimit, blockInterval, poolSize }) {
  const folder = temporaryFolder()
  const paths = localnetPaths(folder)
  const { nodes } = await createNetwork(paths, {
    validators,
    full: 0,
    firstPort: 0,
    blockInterval,
    snapshotInterval: 0,
  })
  const homes = nodes.map(({ name }) => paths.home(name))
  const metricPorts = await freePorts(validators)
  for (const [i, home] of homes.entries()) {
    changeGenesis(home.genesis, blockGasLimit)
    await serveMetrics(home.folder, metricPorts[i])
  }
  const ports = nodes.map((node) => node.ports.rpc)
  const server = await startServer({
    name: 'localnet',
    command: process.execPath,
    args: [main, 'localnet', 'start', '--home', folder, '--cometbft', COMETBFT],
    port: ports[0],
    folder,
    environment: { ASSAY_MEMPOOL_SIZE: String(poolSize), ASSAY_LOG_LEVEL: 'warn' },
  })
  for (const port of ports) await awaitHeight(port, 2)
  return {
    ports,
    processorTime: () => processorTime(homes),
    cometMetrics: () => Promise.all(metricPorts.map(scrape)),
    output: server.output,
    stop: server.stop,
  }
}
