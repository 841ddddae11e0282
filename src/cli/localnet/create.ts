/** Creates the homes of a local network: keys, one genesis, ports and peers. */
import fs from 'node:fs'
import { developmentKeys } from '../../accounts/development.ts'
import { writeFileAtomic } from '../../base/files.ts'
import { freePorts } from '../../base/freePorts.ts'
import { addressOfPrivateKey } from '../../base/secp256k1.ts'
import { UserError } from '../../base/errors.ts'
import type { Home } from '../../config/home.ts'
import { createNodeKey, createValidatorKey, type ValidatorKey } from '../../consensus/files/keys.ts'
import { NO_SIGN_STATE, writeSignState } from '../../consensus/files/signState.ts'
import type { Hardfork } from '../../evm/rules.ts'
import { networkGenesis } from '../networkGenesis.ts'
import { completeHome, DEVELOPMENT_BALANCE } from '../newHome.ts'
import { writePlan, type LocalnetPaths, type Plan, type PlannedNode } from './plan.ts'

export type NewNetwork = {
  readonly validators: number
  readonly full: number
  /** Node i listens on the ports from firstPort + 10 i; 0 picks free ones. */
  readonly firstPort: number
  /** In the format of assay.toml ("1s"). */
  readonly blockInterval: string
  readonly snapshotInterval: number
  readonly hardfork?: Hardfork | undefined
}

/** The header at which a node with state sync starts to trust. */
export type Trusted = { readonly height: number; readonly hash: string }

/** The explorer of the first node among them. */
const PORTS_OF_NODE = 5
/** CometBFT discovers snapshots for 15 s before it uses one, which must still exist then. */
const KEPT_SNAPSHOTS = 10

/**
 * Folders and keys of one more node, replacing what an interrupted attempt left. Throws UserError if a chain exists.
 */
function createKeys(home: Home): { readonly id: string; readonly key: ValidatorKey } {
  if (fs.existsSync(home.chainStore))
    throw new UserError(`${home.folder} already contains a chain`, 'Choose another --home.')
  fs.rmSync(home.folder, { recursive: true, force: true })
  for (const folder of [home.folder, home.config, home.data])
    fs.mkdirSync(folder, { recursive: true, mode: 0o700 })
  writeSignState(home.validatorState, NO_SIGN_STATE)
  return { key: createValidatorKey(home.validatorKey), id: createNodeKey(home.nodeKey) }
}

/** Ports of `count` nodes that come after `others`: a network can be restarted, so their ports are reserved. */
async function portsOf(
  firstPort: number,
  count: number,
  others: readonly PlannedNode[],
): Promise<readonly PlannedNode['ports'][]> {
  const planned = new Set(
    others.flatMap(({ ports }) => Object.values(ports).filter((port) => port !== undefined)),
  )
  const free = firstPort === 0 ? await freePorts(PORTS_OF_NODE * count, planned) : []
  return Array.from({ length: count }, (_, index) => {
    const at = (offset: number) =>
      free[PORTS_OF_NODE * index + offset] ?? firstPort + 10 * (others.length + index) + offset
    const ports = { rpc: at(0), ws: at(1), comet: at(2), p2p: at(3) }
    return others.length + index === 0 ? { ...ports, explorer: at(4) } : ports
  })
}

/** `<id>@host:port` of all nodes except one. */
function peersOf(nodes: readonly PlannedNode[], self: PlannedNode): readonly string[] {
  return nodes
    .filter(({ id }) => id !== self.id)
    .map(({ id, ports }) => `${id}@127.0.0.1:${ports.p2p}`)
}

/** The consensus RPCs of two other nodes; the same one twice if there is only one. */
function serversFor(nodes: readonly PlannedNode[], self: PlannedNode): readonly string[] {
  const others = nodes.filter(({ id }) => id !== self.id)
  return [others[0], others[1] ?? others[0]].map((other) => `127.0.0.1:${other?.ports.comet}`)
}

/** Completes the home of a node that has its keys and genesis. */
async function complete(
  paths: LocalnetPaths,
  plan: Plan,
  node: PlannedNode,
  trusted?: Trusted,
): Promise<void> {
  const { ports, name } = node
  await completeHome(paths.home(name), {
    moniker: name,
    'accounts.unlock-development': true,
    'json-rpc.address': `127.0.0.1:${ports.rpc}`,
    'json-rpc.ws-address': `127.0.0.1:${ports.ws}`,
    'explorer.address': ports.explorer === undefined ? 'off' : `127.0.0.1:${ports.explorer}`,
    'rpc.laddr': `tcp://127.0.0.1:${ports.comet}`,
    'consensus.engine': 'cometbft',
    'consensus.block-interval': plan.blockInterval,
    'state-sync.snapshot-interval': plan.snapshotInterval,
    'state-sync.keep': KEPT_SNAPSHOTS,
    ...(trusted && {
      'state-sync.rpc-servers': serversFor(plan.nodes, node),
      'state-sync.trust-height': trusted.height,
      'state-sync.trust-hash': trusted.hash,
    }),
    'p2p.laddr': `tcp://127.0.0.1:${ports.p2p}`,
    'p2p.persistent-peers': peersOf(plan.nodes, node),
  })
}

/** Creates a network. The plan is written last, so a folder that has one is complete. */
export async function createNetwork(paths: LocalnetPaths, wanted: NewNetwork): Promise<Plan> {
  const made = []
  const allPorts = await portsOf(wanted.firstPort, wanted.validators + wanted.full, [])
  for (const [index, ports] of allPorts.entries()) {
    const name = `node${index}`
    const home = paths.home(name)
    const { id, key } = createKeys(home)
    const kind = index < wanted.validators ? ('validator' as const) : ('full' as const)
    made.push({ name, home, id, key, kind, ports })
  }
  const text = networkGenesis(
    made.filter(({ kind }) => kind === 'validator'),
    developmentKeys().map((key) => ({
      address: addressOfPrivateKey(key),
      balance: DEVELOPMENT_BALANCE,
    })),
    wanted.hardfork,
  )
  const plan: Plan = {
    blockInterval: wanted.blockInterval,
    snapshotInterval: wanted.snapshotInterval,
    nodes: made.map(({ name, kind, id, ports }) => ({ name, kind, id, ports })),
  }
  for (const { home } of made) writeFileAtomic(home.genesis, text, 0o644)
  for (const node of plan.nodes) await complete(paths, plan, node)
  writePlan(paths, plan)
  return plan
}

/** Adds a full node, which executes all blocks or, given a trusted header, starts from a snapshot. */
export async function addFullNode(
  paths: LocalnetPaths,
  plan: Plan,
  firstPort: number,
  trusted?: Trusted,
): Promise<PlannedNode> {
  const index = plan.nodes.length
  const name = `node${index}`
  const home = paths.home(name)
  const { id } = createKeys(home)
  const [ports] = await portsOf(firstPort, 1, plan.nodes)
  if (ports === undefined) throw new RangeError('a node has no ports')
  const node: PlannedNode = { name, kind: 'full', id, ports }
  fs.copyFileSync(paths.home('node0').genesis, home.genesis)
  const next: Plan = { ...plan, nodes: [...plan.nodes, node] }
  await complete(paths, next, node, trusted)
  writePlan(paths, next)
  return node
}
