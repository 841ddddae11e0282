import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { afterEach, expect, test } from 'vitest'
import { dispatcherKeys } from '../../config/dispatcher.ts'
import { loadConfig } from '../../config/load.ts'
import { nodeKeys } from '../../config/node.ts'
import { loadGenesis } from '../../consensus/files/genesis.ts'
import { loadNodeId, loadValidatorKey } from '../../consensus/files/keys.ts'
import { addFullNode, createNetwork } from './create.ts'
import { findPlan, localnetPaths, nodeOf, requirePlan } from './plan.ts'

const folders: string[] = []
afterEach(() => {
  for (const folder of folders.splice(0)) fs.rmSync(folder, { recursive: true })
})

function newPaths() {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'assay-localnet-'))
  folders.push(folder)
  return localnetPaths(folder)
}

const WANTED = {
  validators: 2,
  full: 1,
  firstPort: 26600,
  blockInterval: '700ms',
  snapshotInterval: 50,
}

function configOf(paths: ReturnType<typeof newPaths>, name: string) {
  return loadConfig(nodeKeys, {
    file: paths.home(name).configFile,
    environment: {},
    flags: {},
    otherTables: [dispatcherKeys],
  })
}

test('all nodes share one genesis, which names the validators alone, and know each other', async () => {
  const paths = newPaths()
  const plan = await createNetwork(paths, WANTED)
  expect(findPlan(paths)).toEqual(plan)
  const { genesis, text } = loadGenesis(paths.home('node0').genesis)
  const keys = plan.nodes.map(({ name }) => loadValidatorKey(paths.home(name).validatorKey))
  const named = genesis.validators.map(({ publicKey }) => Buffer.from(publicKey).toString('hex'))
  const expected = keys.slice(0, 2).map(({ signer }) => Buffer.from(signer.publicKey))
  expect(new Set(named)).toEqual(new Set(expected.map((key) => key.toString('hex'))))

  for (const [index, { name, id }] of plan.nodes.entries()) {
    const home = paths.home(name)
    expect(loadGenesis(home.genesis).text).toBe(text)
    expect(loadNodeId(home.nodeKey)).toBe(id)
    const config = configOf(paths, name)
    expect(config['consensus.engine']).toBe('cometbft')
    expect(config['consensus.block-interval']).toBe(700)
    expect(config['json-rpc.address'].port).toBe(26600 + 10 * index)
    expect(config['explorer.address']).toEqual(
      index === 0 ? { host: '127.0.0.1', port: 26604 } : undefined,
    )
    const peers = config['p2p.persistent-peers']
    expect(peers).toHaveLength(2)
    expect(peers.some((peer) => peer.startsWith(id))).toBe(false)
  }
})

test('a node that is added knows all others, and what it trusts where it begins with a snapshot', async () => {
  const paths = newPaths()
  expect(() => requirePlan(paths)).toThrow('does not contain a network')
  const plan = await createNetwork(paths, { ...WANTED, validators: 1, full: 0 })
  const trusted = { height: 7, hash: 'AB'.repeat(32) }
  const added = await addFullNode(paths, plan, 26600, trusted)
  expect(added).toMatchObject({ name: 'node1', kind: 'full' })
  const config = configOf(paths, 'node1')
  expect(config['p2p.persistent-peers']).toHaveLength(1)
  // CometBFT requires two; there is one.
  expect(config['state-sync.rpc-servers']).toEqual(['127.0.0.1:26602', '127.0.0.1:26602'])
  expect(config['state-sync.trust-height']).toBe(7)
  expect(config['state-sync.trust-hash']).toBe(trusted.hash)
  expect(nodeOf(requirePlan(paths), '1')).toEqual(added)
  expect(() => nodeOf(plan, '1')).toThrow('there is no node 1')
})

test('free ports are different for every node, also for one that comes while the others are stopped', async () => {
  const paths = newPaths()
  const plan = await createNetwork(paths, { ...WANTED, firstPort: 0 })
  await addFullNode(paths, plan, 0)
  const ports = requirePlan(paths).nodes.flatMap((node) => Object.values(node.ports))
  expect(ports).toHaveLength(4 * 4 + 1)
  expect(new Set(ports).size).toBe(ports.length)
})

test('a home that has a chain is never overwritten', async () => {
  const paths = newPaths()
  fs.mkdirSync(paths.home('node0').chainStore, { recursive: true })
  await expect(createNetwork(paths, WANTED)).rejects.toThrow('already contains a chain')
})
