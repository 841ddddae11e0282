/** Makes the homes of a local network: keys, one genesis, ports and peers. */
import fs from 'node:fs'
import { developmentKeys } from '../../accounts/development.ts'
import { writeFileAtomic } from '../../base/files.ts'
import { freePort } from '../../base/listen.ts'
import { addressOfPrivateKey } from '../../base/secp256k1.ts'
import { UserError } from '../../base/errors.ts'
import { defaultAppState } from '../../chain/defaultGenesis.ts'
import type { Home } from '../../config/home.ts'
import { APP_VERSION } from '../../consensus/evm/application.ts'
import { DEFAULT_PARAMS, genesisText } from '../../consensus/files/genesis.ts'
import { createNodeKey, createValidatorKey, type ValidatorKey } from '../../consensus/files/keys.ts'
import { NO_SIGN_STATE, writeSignState } from '../../consensus/files/signState.ts'
import type { Hardfork } from '../../evm/rules.ts'
import {
  CHAIN_ID,
  completeHome,
  DEVELOPMENT_BALANCE,
  REWARD_KEY_BALANCE,
  rewardAddressOf,
} from '../newHome.ts'
import { writePlan, type LocalnetPaths, type Plan, type PlannedNode } from './plan.ts'

export type NewNetwork = {
  readonly validators: number
  readonly full: number
  /** Node i listens on the ports from firstPort + 10 i; 0 takes free ones. */
  readonly firstPort: number
  /** As in assay.toml ("1s"). */
  readonly blockInterval: string
  readonly snapshotInterval: number
  readonly hardfork?: Hardfork | undefined
}

/** The header that a node with state sync begins to trust at. */
export type Trusted = { readonly height: number; readonly hash: string }

const POWER = 10n
const MAX_VALIDATORS = 100
/** CometBFT looks for snapshots for 15 s before it takes one, which must still be there then. */
const KEPT_SNAPSHOTS = 10

/** Folders and keys of one more node, in place of what an interrupted attempt left. Throws UserError where a chain is. */
function createKeys(home: Home): { readonly id: string; readonly key: ValidatorKey } {
  if (fs.existsSync(home.chainStore))
    throw new UserError(`${home.folder} holds a chain already`, 'Choose another --home.')
  fs.rmSync(home.folder, { recursive: true, force: true })
  for (const folder of [home.folder, home.config, home.data])
    fs.mkdirSync(folder, { recursive: true, mode: 0o700 })
  writeSignState(home.validatorState, NO_SIGN_STATE)
  return { key: createValidatorKey(home.validatorKey), id: createNodeKey(home.nodeKey) }
}

async function portsOf(firstPort: number, index: number): Promise<PlannedNode['ports']> {
  const next = async (offset: number) =>
    firstPort === 0 ? await freePort() : firstPort + 10 * index + offset
  const ports = { rpc: await next(0), ws: await next(1), comet: await next(2), p2p: await next(3) }
  return index === 0 ? { ...ports, explorer: await next(4) } : ports
}

/** `<id>@host:port` of all nodes but one. */
function peersOf(nodes: readonly PlannedNode[], self: PlannedNode): readonly string[] {
  return nodes
    .filter(({ id }) => id !== self.id)
    .map(({ id, ports }) => `${id}@127.0.0.1:${ports.p2p}`)
}

/** The consensus RPCs of two other nodes; twice the same where there is one. */
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

/** The genesis of a network: development accounts as in `assay up`, and all validators with the same power. */
function genesisOf(
  validators: readonly { readonly home: Home; readonly name: string; readonly key: ValidatorKey }[],
  hardfork: Hardfork | undefined,
): string {
  const accounts = developmentKeys().map(addressOfPrivateKey)
  const rewards = validators.map(({ home }) => rewardAddressOf(home))
  return genesisText({
    timeNs: BigInt(Date.now()) * 1_000_000n,
    chainId: CHAIN_ID,
    validators: validators.map(({ key, name }) => ({
      publicKey: key.signer.publicKey,
      power: POWER,
      name,
    })),
    appState: defaultAppState({
      accounts: [
        ...accounts.map((address) => ({ address, balance: DEVELOPMENT_BALANCE })),
        ...rewards.map((address) => ({ address, balance: REWARD_KEY_BALANCE })),
      ],
      validators: validators.map(({ key }, index) => ({
        publicKey: key.signer.publicKey,
        rewardAddress: rewards[index] ?? new Uint8Array(20),
      })),
      // Also where it begins with one validator: others can join a network.
      staking: { max_validators: MAX_VALIDATORS },
      ...(hardfork !== undefined && { hardfork }),
    }),
    params: { ...DEFAULT_PARAMS, version: { app: APP_VERSION } },
  })
}

/** Makes a network. The plan comes last, so a folder that has one is complete. */
export async function createNetwork(paths: LocalnetPaths, wanted: NewNetwork): Promise<Plan> {
  const made = []
  for (let index = 0; index < wanted.validators + wanted.full; index++) {
    const name = `node${index}`
    const home = paths.home(name)
    const { id, key } = createKeys(home)
    const kind = index < wanted.validators ? ('validator' as const) : ('full' as const)
    made.push({ name, home, id, key, kind, ports: await portsOf(wanted.firstPort, index) })
  }
  const text = genesisOf(
    made.filter(({ kind }) => kind === 'validator'),
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

/** Adds a full node, which executes all blocks or, where a header is trusted, begins with a snapshot. */
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
  const node: PlannedNode = { name, kind: 'full', id, ports: await portsOf(firstPort, index) }
  fs.copyFileSync(paths.home('node0').genesis, home.genesis)
  const next: Plan = { ...plan, nodes: [...plan.nodes, node] }
  await complete(paths, next, node, trusted)
  writePlan(paths, next)
  return node
}
