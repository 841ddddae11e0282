/** Addresses of a home's programs: as a running `assay up` reports them, or else as configured. */
import { formatAddress, type ListenAddress } from '../../base/listen.ts'
import { dispatcherKeys } from '../../config/dispatcher.ts'
import type { Home } from '../../config/home.ts'
import { loadConfig } from '../../config/load.ts'
import { nodeKeys } from '../../config/node.ts'
import { readUpFile } from '../upFile.ts'
import type { Addresses } from './collect.ts'

/** An address that listens on all interfaces is reached via the loopback interface. */
function urlOf({ host, port }: ListenAddress): string {
  const isAny = host === '0.0.0.0' || host === '::'
  return `http://${formatAddress({ host: isAny ? '127.0.0.1' : host, port })}`
}

/** The addresses. Throws UserError for an invalid configuration. */
export function addressesOf(home: Home): Addresses {
  const up = readUpFile(home.upFile)
  if (up !== undefined) return { rpc: up.rpc, comet: up.comet, dispatcher: up.dispatcher }
  const config = loadConfig(
    { ...nodeKeys, ...dispatcherKeys },
    { file: home.configFile, environment: process.env, flags: {} },
  )
  return {
    rpc: urlOf(config['json-rpc.address']),
    comet: urlOf(config['rpc.laddr']),
    dispatcher: urlOf(config['dispatcher.address']),
  }
}
