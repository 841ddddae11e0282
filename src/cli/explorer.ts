/** The explorer next to a node: started first, so that the servers that its page talks to know its origin. */
import { messageOf, UserError } from '../base/errors.ts'
import type { Log } from '../base/log.ts'
import type { NodeConfig } from '../config/node.ts'
import { builtFolder, openAssets } from '../explorer/assets.ts'
import type { Endpoints } from '../explorer/policy.ts'
import { startExplorer, type Explorer } from '../explorer/server.ts'

/** Lists of web origins in a configuration. */
const ORIGIN_KEYS = [
  'json-rpc.cors-origins',
  'json-rpc.ws-origins',
  'dispatcher.cors-origins',
] as const

type OriginLists = Readonly<Partial<Record<(typeof ORIGIN_KEYS)[number], readonly string[]>>>

export type OpenExplorer = {
  /** URL of the explorer; undefined if it is not served. */
  readonly url: string | undefined
  /** Why it is not served although it should be. */
  readonly problem: string | undefined
  /** The lists of web origins of a configuration, with the explorer's own origins. */
  allow(config: OriginLists): OriginLists
  announce(endpoints: Endpoints): void
  close(): Promise<void>
}

type Settings = Pick<NodeConfig, 'explorer.enable' | 'explorer.address' | 'json-rpc.hosts'>

async function start(config: Settings, log: Log): Promise<Explorer | undefined> {
  const address = config['explorer.address']
  if (!config['explorer.enable'] || address === undefined) return undefined
  const assets = openAssets(builtFolder)
  if (assets === undefined) throw new UserError('its page has not been built', 'Run npm run build.')
  return await startExplorer({ address, assets, hosts: config['json-rpc.hosts'], log })
}

/**
 * Serves the explorer of a configuration. A port in use or a missing page stops nothing else: it is reported in
 * `problem`.
 */
export async function openExplorer(config: Settings, log: Log): Promise<OpenExplorer> {
  let explorer: Explorer | undefined
  let problem: string | undefined
  try {
    explorer = await start(config, log)
  } catch (error) {
    if (!(error instanceof UserError)) throw error
    problem = `The explorer is not running: ${messageOf(error)}. ${error.advice}`
    log.warn(problem)
  }
  const origins = explorer?.origins ?? []
  return {
    url: explorer?.url,
    problem,
    allow(given) {
      if (origins.length === 0) return {}
      const present = ORIGIN_KEYS.filter((key) => key in given)
      return Object.fromEntries(present.map((key) => [key, [...(given[key] ?? []), ...origins]]))
    },
    announce: (endpoints) => explorer?.announce(endpoints),
    close: async () => explorer?.close(),
  }
}
