/**
 * A validator loses its peers while its process runs: CometBFT's `disconnect`. The nodes reach one another through proxies of
 * this test. Needs CometBFT v0.38.25 in the PATH, or named by ASSAY_COMETBFT.
 */
import fs from 'node:fs'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { decodeFunctionResult, encodeFunctionData, type Hex } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { developmentKeys } from '../../src/accounts/development.ts'
import { toHex } from '../../src/base/hex.ts'
import { localnetPaths, requirePlan } from '../../src/cli/localnet/plan.ts'
import { homePaths } from '../../src/config/home.ts'
import { Staking } from '../../src/generated/contracts.ts'
import { eventually } from '../support/assay.ts'
import { hasCometbft } from '../support/cometbft.ts'
import {
  askRpc,
  createLocalnet,
  reachHeight,
  requireAgreement,
  startLocalnet,
  type LocalnetNode,
} from '../support/localnet.ts'
import { heightOf } from '../support/networkAudit.ts'
import { startPeerProxies, type PeerProxies } from '../support/proxies.ts'

const isPresent = hasCometbft()
if (!isPresent) console.warn('skipped: no cometbft 0.38.25 in the PATH (set ASSAY_COMETBFT)')

/** CometBFT's own tests ask for 20 s, on machines that do nothing else. How long it took is printed; this guards against never. */
const BACK_WITHIN_SECONDS = 120
const AWAY_MS = 10_000

const network = createLocalnet()
let nodes: readonly LocalnetNode[] = []
let proxies: PeerProxies | undefined

/** Has every node know the others by their proxies alone. */
function leadThroughProxies(through: PeerProxies): void {
  const plan = requirePlan(localnetPaths(network.home))
  for (const { name } of plan.nodes) {
    const { configFile, config } = homePaths(path.join(network.home, name))
    const peers = plan.nodes
      .filter((other) => other.name !== name)
      .map((other) => `"${other.id}@127.0.0.1:${through.portFor(name, other.name)}"`)
    const settings = fs.readFileSync(configFile, 'utf8')
    fs.writeFileSync(
      configFile,
      settings.replace(/^persistent-peers = .*$/m, `persistent-peers = [${peers.join(', ')}]`),
    )
    // Nobody may tell of the true addresses, and nobody may know them from before.
    const cometConfig = path.join(config, 'config.toml')
    const own = fs.readFileSync(cometConfig, 'utf8')
    fs.writeFileSync(cometConfig, own.replace(/^pex = true$/m, 'pex = false'))
    fs.rmSync(path.join(config, 'addrbook.json'), { force: true })
  }
}

beforeAll(async () => {
  if (!isPresent) return
  await startLocalnet(network)
  await network.run('stop')
  const { nodes: planned } = requirePlan(localnetPaths(network.home))
  proxies = await startPeerProxies(planned.map(({ name, ports }) => ({ name, port: ports.p2p })))
  leadThroughProxies(proxies)
  await startLocalnet(network)
  nodes = await network.status()
})

afterAll(async () => {
  await network.remove()
  await proxies?.close()
})

/** Receipts that clients were shown, by hash. */
const receipts = new Map<string, string>()

/** Sends transfers, each to another node, until the signal; what was lost on its way is sent again. */
async function load(sender: number, stop: AbortSignal): Promise<void> {
  const account = privateKeyToAccount(toHex(developmentKeys()[sender] ?? new Uint8Array(32)))
  let turn = sender
  const nextUrl = () => nodes[turn++ % nodes.length]?.rpc ?? ''
  while (!stop.aborted) {
    try {
      const count = await askRpc(nextUrl(), 'eth_getTransactionCount', [account.address, 'latest'])
      const raw = await account.signTransaction({
        type: 'eip1559',
        chainId: 271828,
        nonce: Number(count),
        to: account.address,
        gas: 21_000n,
        maxFeePerGas: 20_000_000_000n,
        maxPriorityFeePerGas: 1_000_000_000n,
      })
      const hash = (await askRpc(nextUrl(), 'eth_sendRawTransaction', [raw])) as string
      const url = nextUrl()
      const receipt = await eventually(
        async () => (await askRpc(url, 'eth_getTransactionReceipt', [hash])) ?? undefined,
        4,
      )
      receipts.set(hash, JSON.stringify(receipt))
    } catch {
      await sleep(100)
    }
  }
}

test.runIf(isPresent)(
  'a validator that loses its peers falls behind alone, and is back soon; two of four stop every block',
  async () => {
    const through = proxies
    if (through === undefined) throw new Error('there are no proxies')
    const stop = new AbortController()
    const loads = [0, 1, 2].map((sender) => load(sender, stop.signal))
    const heights = () => Promise.all(nodes.map((node) => heightOf(node.rpc)))
    try {
      for (const away of [['node1'], ['node2', 'node3']]) {
        const before = receipts.size
        await eventually(() => receipts.size > before + 3 || undefined, 30)
        for (const name of away) through.disconnect(name)
        // The last blocks were on their way.
        await sleep(1000)
        const atCut = await heights()
        await sleep(AWAY_MS)
        const alone = await heights()
        for (const [index, { name }] of nodes.entries()) {
          const goesOn = away.length === 1 && !away.includes(name)
          const grown = (alone[index] ?? 0) - (atCut[index] ?? 0)
          if (goesOn) expect(grown).toBeGreaterThan(1)
          else expect(grown).toBeLessThanOrEqual(1)
        }
        for (const name of away) through.reconnect(name)
        const began = performance.now()
        await reachHeight(nodes, Math.max(...alone) + 2, BACK_WITHIN_SECONDS)
        const seconds = ((performance.now() - began) / 1000).toFixed(1)
        console.info(`${away.join(' ')} disconnected: back after ${seconds} s`)
      }
      const before = receipts.size
      await eventually(() => receipts.size > before + 3 || undefined, BACK_WITHIN_SECONDS)
    } finally {
      stop.abort()
      await Promise.all(loads)
    }
    await requireAgreement(nodes)
    for (const [hash, receipt] of receipts)
      for (const { rpc: url } of nodes)
        expect(JSON.stringify(await askRpc(url, 'eth_getTransactionReceipt', [hash]))).toBe(receipt)
  },
  900_000,
)

/** How many blocks a validator missed in its window, as the staking contract counts them. */
async function missedBy(name: string): Promise<bigint> {
  const key = fs.readFileSync(homePaths(path.join(network.home, name)).rewardKey, 'utf8')
  const { address } = privateKeyToAccount(`0x${key.trim()}`)
  const call = { abi: Staking.abi, functionName: 'validatorOf', args: [address] } as const
  const params = [
    { to: '0x0000000000000000000000000000000000001001', data: encodeFunctionData(call) },
    'latest',
  ]
  const data = (await askRpc(nodes[0]?.rpc ?? '', 'eth_call', params)) as Hex
  return BigInt(decodeFunctionResult({ ...call, data }).missed)
}

test.runIf(isPresent)(
  'a node whose application lost its store gets every block again from its own CometBFT, absences included',
  async () => {
    expect(await missedBy('node1')).toBeGreaterThan(3n)
    const last = await heightOf(nodes[0]?.rpc ?? '')
    await network.run('stop')
    const { chainStore } = homePaths(path.join(network.home, 'node0'))
    fs.rmSync(chainStore, { recursive: true })
    await startLocalnet(network)
    nodes = await network.status()
    await reachHeight(nodes, last + 2)
    expect(await requireAgreement(nodes)).toBeGreaterThan(last)
    expect(await missedBy('node1')).toBeGreaterThan(3n)
  },
  600_000,
)
