// geth --dev, go-ethereum's node. There is no binary of it on npm: it is built from its Go module, where Go is present.
import { execFileSync, spawnSync } from 'node:child_process'
import fs from 'node:fs'
import path from 'node:path'
import { freePort } from '../../dist/base/freePorts.js'
import { gethGenesis } from '../support/chain.mjs'
import { startServer, temporaryFolder } from '../support/server.mjs'

const VERSION = 'v1.16.7'
const root = path.resolve(import.meta.dirname, '..', '..')
/** Where Go is looked for: the PATH, then where its own installer puts it. */
const COMPILERS = ['go', '/usr/local/go/bin/go']

function install() {
  const folder = path.join(root, 'runtime', 'peers', `geth-${VERSION}`)
  const file = path.join(folder, process.platform === 'win32' ? 'geth.exe' : 'geth')
  if (fs.existsSync(file)) return file
  const go = COMPILERS.find((each) => spawnSync(each, ['version']).status === 0)
  if (go === undefined) throw new Error('geth is built with Go, which is not here')
  process.stderr.write(`Building geth ${VERSION} into runtime/peers ...\n`)
  fs.mkdirSync(folder, { recursive: true })
  execFileSync(go, ['install', `github.com/ethereum/go-ethereum/cmd/geth@${VERSION}`], {
    env: { ...process.env, GOBIN: folder },
    stdio: ['ignore', 'ignore', 'inherit'],
  })
  return file
}

/** Starts geth with `chain` as for anvil: without `blockTime` it makes a block whenever transactions are there. */
export async function startGeth(chain) {
  const { blockGasLimit, blockTime = 0 } = chain
  const command = install()
  const folder = temporaryFolder()
  const genesis = path.join(folder, 'genesis.json')
  const data = path.join(folder, 'data')
  fs.writeFileSync(genesis, JSON.stringify(gethGenesis(chain)))
  execFileSync(command, ['--datadir', data, 'init', genesis], { stdio: 'ignore' })
  const port = await freePort()
  const flags = {
    datadir: data,
    'dev.period': blockTime,
    'miner.gaslimit': blockGasLimit,
    'http.addr': '127.0.0.1',
    'http.port': port,
    'http.api': 'eth,net,web3,debug',
    'rpc.gascap': 0,
    'rpc.evmtimeout': '60s',
    'rpc.batch-request-limit': 0,
    'txpool.accountslots': 100_000,
    'txpool.globalslots': 200_000,
    'txpool.accountqueue': 100_000,
    'txpool.globalqueue': 200_000,
    verbosity: 1,
    ipcdisable: true,
  }
  const args = Object.entries(flags).map(([name, value]) => `--${name}=${value}`)
  return await startServer({
    name: 'geth',
    command,
    args: ['--dev', '--http', ...args],
    port,
    folder,
  })
}
