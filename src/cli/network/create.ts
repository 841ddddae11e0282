/** Creates the homes of a network whose programs run on hosts of their own (D113). */
import fs from 'node:fs'
import path from 'node:path'
import { writeFileAtomic } from '../../base/files.ts'
import { UserError } from '../../base/errors.ts'
import { homePaths, type Home } from '../../config/home.ts'
import { nodeKeys } from '../../config/node.ts'
import { configTemplate } from '../../config/toml.ts'
import { createNodeKey, createValidatorKey, type ValidatorKey } from '../../consensus/files/keys.ts'
import { NO_SIGN_STATE, writeSignState } from '../../consensus/files/signState.ts'
import { networkGenesis } from '../networkGenesis.ts'
import { ANCHOR_KEY_BALANCE, anchorAddressOf, DEVELOPMENT_BALANCE } from '../newHome.ts'
import { createJobHomes, dispatcherHome } from './jobs.ts'

export type NewHomes = {
  readonly validators: number
  readonly full: number
  /** In the format of assay.toml ("1s"). */
  readonly blockInterval: string
  readonly snapshotInterval: number
  /** Host of each program: % is the name of its home. */
  readonly hosts: string
  /** Where each home will be on its host. */
  readonly at: string
  /** Addresses with a balance at genesis. */
  readonly fund: readonly Uint8Array[]
  /** Host of the JSON-RPC and the consensus RPC for dispatcher and operators; undefined for the first full node's. */
  readonly rpcHost: string | undefined
  /** postgres://user@host:port; undefined for a network without jobs. */
  readonly database: string | undefined
}

type NewNode = {
  readonly name: string
  readonly host: string
  readonly home: Home
  readonly id: string
  readonly key: ValidatorKey
}

/** Ports of every node: each has a host of its own. */
const PORTS = { rpc: 8545, ws: 8546, comet: 26_657, p2p: 26_656, metrics: 6060 } as const

function newNode(folder: string, name: string, hosts: string): NewNode {
  const home = homePaths(path.join(folder, name))
  for (const each of [home.config, home.data]) fs.mkdirSync(each, { recursive: true, mode: 0o700 })
  writeSignState(home.validatorState, NO_SIGN_STATE)
  const host = hosts.replaceAll('%', name)
  const key = createValidatorKey(home.validatorKey)
  return { name, host, home, key, id: createNodeKey(home.nodeKey) }
}

/** The configuration of a node: it listens on all addresses of its host. */
function configOf(node: NewNode, nodes: readonly NewNode[], wanted: NewHomes): string {
  return configTemplate([nodeKeys], {
    moniker: node.name,
    'metrics.address': `0.0.0.0:${PORTS.metrics}`,
    'json-rpc.address': `0.0.0.0:${PORTS.rpc}`,
    'json-rpc.ws-address': `0.0.0.0:${PORTS.ws}`,
    'json-rpc.hosts': [node.host],
    'explorer.enable': false,
    'rpc.laddr': `tcp://0.0.0.0:${PORTS.comet}`,
    'consensus.engine': 'cometbft',
    'consensus.block-interval': wanted.blockInterval,
    'p2p.laddr': `tcp://0.0.0.0:${PORTS.p2p}`,
    'p2p.persistent-peers': nodes
      .filter(({ id }) => id !== node.id)
      .map(({ id, host }) => `${id}@${host}:${PORTS.p2p}`),
    'state-sync.snapshot-interval': wanted.snapshotInterval,
  })
}

/**
 * Creates the homes in a new folder and returns their names. Throws UserError when the folder has something in it: keys
 * that were handed out are never replaced.
 */
export function createHomes(folder: string, wanted: NewHomes): readonly string[] {
  fs.mkdirSync(folder, { recursive: true, mode: 0o700 })
  if (fs.readdirSync(folder).length > 0)
    throw new UserError(`${folder} is not empty`, 'Choose a new folder for the homes.')
  const named = (kind: string, count: number) =>
    Array.from({ length: count }, (_, index) => newNode(folder, `${kind}${index}`, wanted.hosts))
  const validators = named('validator', wanted.validators)
  const full = named('full', wanted.full)
  const nodes = [...validators, ...full]
  const { database } = wanted
  const text = networkGenesis(validators, [
    ...wanted.fund.map((address) => ({ address, balance: DEVELOPMENT_BALANCE })),
    ...(database === undefined
      ? []
      : [{ address: anchorAddressOf(dispatcherHome(folder)), balance: ANCHOR_KEY_BALANCE }]),
  ])
  for (const node of nodes) {
    writeFileAtomic(node.home.genesis, text, 0o644)
    writeFileAtomic(node.home.configFile, configOf(node, nodes, wanted), 0o644)
  }
  const [served = validators[0]] = full
  const jobs =
    database === undefined || served === undefined
      ? []
      : createJobHomes(folder, {
          hosts: wanted.hosts,
          at: wanted.at,
          database,
          chainRpc: `http://${wanted.rpcHost ?? served.host}:${PORTS.rpc}`,
          consensusRpc: `http://${wanted.rpcHost ?? served.host}:${PORTS.comet}`,
        })
  return [...nodes.map(({ name }) => name), ...jobs]
}
