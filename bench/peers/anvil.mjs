// anvil, the Rust node of Foundry.
import fs from 'node:fs'
import path from 'node:path'
import { freePort } from '../../dist/base/freePorts.js'
import { CHAIN_ID, gethGenesis } from '../support/chain.mjs'
import { installPeer } from '../support/install.mjs'
import { startServer, temporaryFolder } from '../support/server.mjs'

const VERSION = '1.7.1'
const PLATFORMS = {
  'linux-x64': 'anvil-linux-amd64',
  'linux-arm64': 'anvil-linux-arm64',
  'darwin-x64': 'anvil-darwin-amd64',
  'darwin-arm64': 'anvil-darwin-arm64',
  'win32-x64': 'anvil-win32-amd64',
}

function install() {
  const platform = PLATFORMS[`${process.platform}-${process.arch}`]
  if (platform === undefined)
    throw new Error(`anvil has no binary for ${process.platform}-${process.arch}`)
  const binary = `@foundry-rs/${platform}`
  const folder = installPeer('anvil', { '@foundry-rs/anvil': VERSION, [binary]: VERSION })
  const file = process.platform === 'win32' ? 'anvil.exe' : 'anvil'
  return path.join(folder, 'node_modules', ...binary.split('/'), 'bin', file)
}

/**
 * Starts anvil. It makes a block every `chain.blockTime` seconds, or, without one, for each transaction as it comes (automine).
 * Only with `chain.keepsSteps` it has struct logs to give: it writes them down while it executes.
 */
export async function startAnvil(chain) {
  const { blockGasLimit, blockTime, keepsSteps = false } = chain
  const command = install()
  const folder = temporaryFolder()
  const genesis = path.join(folder, 'genesis.json')
  fs.writeFileSync(genesis, JSON.stringify(gethGenesis(chain)))
  const port = await freePort()
  const flags = {
    host: '127.0.0.1',
    port,
    'chain-id': CHAIN_ID,
    'gas-limit': blockGasLimit,
    'block-base-fee-per-gas': 10n ** 9n,
    accounts: 1,
    init: genesis,
    ...(blockTime !== undefined && { 'block-time': blockTime }),
  }
  const args = Object.entries(flags).flatMap(([name, value]) => [`--${name}`, String(value)])
  if (keepsSteps) args.push('--steps-tracing')
  return await startServer({ name: 'anvil', command, args: [...args, '--quiet'], port, folder })
}
