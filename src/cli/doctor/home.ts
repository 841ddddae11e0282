/** The home: its configuration, who may read its secrets, and the ports that it needs. */
import fs from 'node:fs'
import net from 'node:net'
import { messageOf } from '../../base/errors.ts'
import { formatAddress, type ListenAddress } from '../../base/listen.ts'
import { ownerOf } from '../../base/lock.ts'
import { dispatcherKeys, type DispatcherConfig } from '../../config/dispatcher.ts'
import type { Home } from '../../config/home.ts'
import { loadConfig } from '../../config/load.ts'
import { nodeKeys, type NodeConfig } from '../../config/node.ts'
import { fine, finding, type Finding } from './check.ts'

export type Config = NodeConfig & DispatcherConfig

/** The configuration, or what is wrong with it. */
export function readConfig(home: Home): { readonly config?: Config; readonly finding: Finding } {
  const what = 'Settings'
  try {
    const config = loadConfig(
      { ...nodeKeys, ...dispatcherKeys },
      { file: home.configFile, environment: process.env, flags: {} },
    )
    const where = fs.existsSync(home.configFile) ? home.configFile : 'defaults'
    return { config, finding: fine(what, where) }
  } catch (error) {
    return {
      finding: finding(what, 'wrong', messageOf(error), 'docs/config.md describes every key.'),
    }
  }
}

/** The home folder, and whether only its owner can read its secrets. */
export function checkHome(home: Home): readonly Finding[] {
  const what = 'Home'
  if (!fs.existsSync(home.genesis))
    return [
      finding(what, 'note', `${home.folder} is not a home folder yet`, 'assay up creates it.'),
    ]
  const secrets = [
    home.validatorKey,
    home.nodeKey,
    home.jwtSecret,
    home.dispatcherKey,
    home.promptKey,
  ]
  const open = secrets.filter(
    (file) => fs.existsSync(file) && (fs.statSync(file).mode & 0o077) !== 0,
  )
  const isRunning = isUp(home)
  const run = fine(
    what,
    `${home.folder}, ${isRunning ? 'its system is running' : 'its system is not running'}`,
  )
  if (open.length === 0) return [run]
  return [
    run,
    finding(
      'Secrets',
      'wrong',
      `other users can read ${open.join(', ')}`,
      `Run: chmod 600 ${open.join(' ')}`,
    ),
  ]
}

/** Whether `assay up` is running. */
function isUp(home: Home): boolean {
  return ownerOf(home.upLock) !== undefined
}

function canListen({ host, port }: ListenAddress): Promise<string | undefined> {
  return new Promise((resolve) => {
    const server = net.createServer()
    server.once('error', (error) => resolve(messageOf(error)))
    server.listen({ host, port }, () => server.close(() => resolve(undefined)))
  })
}

/** The ports that the programs of this home listen on. If the system is running, it is what uses them. */
export async function checkPorts(home: Home, config: Config): Promise<readonly Finding[]> {
  if (isUp(home)) return [fine('Ports', 'in use by the running system')]
  const wanted = {
    'json-rpc.address': config['json-rpc.address'],
    'json-rpc.ws-address': config['json-rpc.ws-address'],
    'rpc.laddr': config['rpc.laddr'],
    'dispatcher.address': config['dispatcher.address'],
    'explorer.address': config['explorer.address'],
    'metrics.address': config['metrics.address'],
  }
  const faults: Finding[] = []
  for (const [key, address] of Object.entries(wanted)) {
    const problem = address && address.port !== 0 ? await canListen(address) : undefined
    if (address === undefined || problem === undefined) continue
    faults.push(
      finding(
        'Ports',
        'wrong',
        `${key} is ${formatAddress(address)}: ${problem}`,
        `Stop the program that listens there (ss -ltnp), or choose another --${key}.`,
      ),
    )
  }
  return faults.length > 0 ? faults : [fine('Ports', 'all free')]
}
