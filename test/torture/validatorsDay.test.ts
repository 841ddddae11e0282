/**
 * The day of a validator as docs/validators.md tells it, on a network of four: planned downtime, an absence and unjailing,
 * another consensus key, another machine, and an upgrade with a program that is late. Nobody signs twice in all of it.
 * Needs CometBFT v0.38.25 in the PATH, or named by ASSAY_COMETBFT.
 */
import fs from 'node:fs'
import path from 'node:path'
import { createPublicClient, createWalletClient, defineChain, http, type Hex } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { toHex } from '../../src/base/hex.ts'
import { createNetwork } from '../../src/cli/localnet/create.ts'
import { localnetPaths, type Plan } from '../../src/cli/localnet/plan.ts'
import { loadValidatorKey } from '../../src/consensus/files/keys.ts'
import { loadSignState } from '../../src/consensus/files/signState.ts'
import { Staking } from '../../src/generated/contracts.ts'
import { eventually, mainFile, newHome, runAssay } from '../support/assay.ts'
import { COMETBFT, hasCometbft } from '../support/cometbft.ts'
import { requireAgreement } from '../support/localnet.ts'
import { heightOf } from '../support/networkAudit.ts'
import { startChainNode, stopChainNode, type ChainNode, type NodeUrls } from './node.ts'

const isPresent = hasCometbft()
if (!isPresent) console.warn('skipped: no cometbft 0.38.25 in the PATH (set ASSAY_COMETBFT)')

const STAKING = { address: '0x0000000000000000000000000000000000001001', abi: Staking.abi } as const
const NOBODY: Hex = `0x${'00'.repeat(20)}`
const OSAKA = 3n
const WAIT_SECONDS = 240
/** On a busy machine blocks take many times as long. */
const HANG_MS = 600_000
const FLAGS = [`--cometbft=${COMETBFT}`, '--accounts.unlock-development=false']

const folder = newHome()
const paths = localnetPaths(folder)
let plan: Plan

type Running = { readonly node: ChainNode; readonly urls: NodeUrls }
const running = new Map<string, Running>()

const homeOf = (name: string) => paths.home(name)
function urlsOf(name: string): NodeUrls {
  const urls = running.get(name)?.urls
  if (urls === undefined) throw new Error(`${name} does not run`)
  return urls
}

async function start(name: string, main = mainFile): Promise<void> {
  const node = startChainNode(homeOf(name).folder, {}, FLAGS, { main })
  const urls = await node.ready
  if (urls === undefined) throw new Error(`${name}: ${(await node.ended).output}`)
  running.set(name, { node, urls })
}

async function stop(name: string): Promise<void> {
  const found = running.get(name)
  running.delete(name)
  if (found !== undefined) expect(await stopChainNode(found.node)).toBe(0)
}

/** The key that the operator of a validator of this network has: that of its rewards. */
const operatorOf = (name: string) =>
  privateKeyToAccount(`0x${fs.readFileSync(homeOf(name).rewardKey, 'utf8').trim()}`)

/** As an operator, at its node or another one. */
function clientsOf(name: string, at = name) {
  const chain = defineChain({
    id: 271_828,
    name: 'Assay',
    nativeCurrency: { name: 'Assay', symbol: 'ASSAY', decimals: 18 },
    rpcUrls: { default: { http: [urlsOf(at).rpc] } },
  })
  const account = operatorOf(name)
  const reader = createPublicClient({ chain, transport: http(), pollingInterval: 100 })
  const wallet = createWalletClient({ chain, account, transport: http() })
  return {
    wallet,
    async included(hash: Promise<Hex>): Promise<void> {
      const receipt = await reader.waitForTransactionReceipt({ hash: await hash })
      expect(receipt.status).toBe('success')
    },
    blockTime: async () => (await reader.getBlock()).timestamp,
    validator: () =>
      reader.readContract({ ...STAKING, functionName: 'validatorOf', args: [account.address] }),
  }
}

/** Waits for a block of now that the key of an address signed, by what a node says. */
async function signs(address: Uint8Array, at = 'node0'): Promise<void> {
  const name = toHex(address).slice(2).toUpperCase()
  const since = await heightOf(urlsOf(at).rpc)
  await eventually(async () => {
    const answer = await fetch(`${urlsOf(at).comet}/commit`)
    const { result } = (await answer.json()) as {
      result: {
        signed_header: {
          header: { height: string }
          commit: { signatures: readonly { validator_address: string }[] }
        }
      }
    }
    const { header, commit } = result.signed_header
    const isSigned = commit.signatures.some((each) => each.validator_address === name)
    return (Number(header.height) > since && isSigned) || undefined
  }, WAIT_SECONDS)
}

/** Waits until the set of the next block has the key of an address. */
async function joins(address: Uint8Array, at = 'node0'): Promise<void> {
  const name = toHex(address).slice(2).toUpperCase()
  await eventually(async () => {
    const answer = await fetch(`${urlsOf(at).comet}/validators`)
    const { result } = (await answer.json()) as {
      result: { validators: readonly { address: string }[] }
    }
    return result.validators.some((each) => each.address === name) || undefined
  }, WAIT_SECONDS)
}

const addressOf = (name: string) => loadValidatorKey(homeOf(name).validatorKey).address

async function catchesUp(name: string): Promise<void> {
  await eventually(async () => {
    const [own, others] = await Promise.all([
      heightOf(urlsOf(name).rpc),
      heightOf(urlsOf('node0').rpc),
    ])
    return own + 2 >= others || undefined
  }, WAIT_SECONDS)
}

/** A build of this program from before Osaka. */
function lateProgram(): string {
  const root = path.dirname(path.dirname(mainFile))
  const copy = path.join(path.dirname(folder), 'late')
  fs.cpSync(path.join(root, 'dist'), path.join(copy, 'dist'), { recursive: true })
  fs.copyFileSync(path.join(root, 'package.json'), path.join(copy, 'package.json'))
  fs.symlinkSync(path.join(root, 'node_modules'), path.join(copy, 'node_modules'))
  const rules = path.join(copy, 'dist', 'evm', 'rules.js')
  const text = fs.readFileSync(rules, 'utf8')
  const late = text.replace("['cancun', 'prague', 'osaka']", "['cancun', 'prague']")
  expect(late).not.toBe(text)
  fs.writeFileSync(rules, late)
  return path.join(copy, 'dist', 'main.js')
}

beforeAll(async () => {
  if (!isPresent) return
  plan = await createNetwork(paths, {
    validators: 4,
    full: 1,
    firstPort: 0,
    blockInterval: '500ms',
    snapshotInterval: 0,
    hardfork: 'prague',
  })
  for (const { name } of plan.nodes) {
    const { genesis } = homeOf(name)
    const value = JSON.parse(fs.readFileSync(genesis, 'utf8'))
    Object.assign(value.app_state.evm.staking, { signed_window: 80, max_missed: 40, jail_time: 2 })
    fs.writeFileSync(genesis, JSON.stringify(value))
  }
  await Promise.all(['node0', 'node1', 'node2', 'node3'].map((name) => start(name)))
})
afterAll(async () => {
  for (const { node } of running.values()) node.process.kill('SIGKILL')
  await Promise.all([...running.values()].map(({ node }) => node.ended))
  fs.rmSync(path.dirname(folder), { recursive: true, force: true })
}, HANG_MS)

test.runIf(isPresent)(
  'planned downtime costs nothing',
  async () => {
    const before = await clientsOf('node3').validator()
    await stop('node3')
    const height = await heightOf(urlsOf('node0').rpc)
    await eventually(async () => (await heightOf(urlsOf('node0').rpc)) > height + 3 || undefined)
    await start('node3')
    await signs(addressOf('node3'))
    const after = await clientsOf('node3').validator()
    expect(after.isJailed).toBe(false)
    expect(after.tokens).toBe(before.tokens)
  },
  HANG_MS,
)

test.runIf(isPresent)(
  'a validator that was away too long is jailed, and comes back by unjail',
  async () => {
    await stop('node3')
    const away = clientsOf('node3', 'node0')
    await eventually(async () => (await away.validator()).isJailed || undefined, WAIT_SECONDS)
    await start('node3')
    await catchesUp('node3')
    const { wallet, included, validator, blockTime } = clientsOf('node3')
    // Its own state may still be that of a block before the one that jailed it.
    const { jailedUntil } = await eventually(async () => {
      const found = await validator()
      return found.isJailed ? found : undefined
    }, WAIT_SECONDS)
    // The time of blocks, which the contract sees, is behind the clock of a busy machine.
    await eventually(async () => (await blockTime()) > jailedUntil || undefined, WAIT_SECONDS)
    await included(wallet.writeContract({ ...STAKING, functionName: 'unjail' }))
    // It may still sign the blocks of before: who is out of the set leaves it two blocks later, too.
    await joins(addressOf('node3'))
    await signs(addressOf('node3'))
    expect((await validator()).isJailed).toBe(false)
  },
  HANG_MS,
)

test.runIf(isPresent)(
  'the consensus key is rotated by a proof, a transaction and a restart',
  async () => {
    const home = homeOf('node1')
    const file = path.join(folder, 'new_key.json')
    const made = await runAssay(['node', 'new-key', file])
    expect(made.code).toBe(0)
    const [publicKey] = made.output.trim().split(' ') as [Hex]
    const { address: operator } = operatorOf('node1')
    const where = ['--home', home.folder, '--key', file]
    const proven = await runAssay(['node', 'prove-key', ...where, operator])
    expect(proven.code).toBe(0)
    const { wallet, included } = clientsOf('node1')
    const proof = proven.output.trim().split(' ') as [Hex, Hex, Hex]
    expect(proof[0]).toBe(publicKey)
    await included(wallet.writeContract({ ...STAKING, functionName: 'proveKey', args: proof }))
    const old = addressOf('node1')
    const setKey = { ...STAKING, functionName: 'setConsensusKey', args: [publicKey] } as const
    await included(wallet.writeContract(setKey))
    // Until the set has the new key, the old one signs: with a second validator away nothing else would go on.
    await joins(loadValidatorKey(file).address)
    await stop('node1')
    fs.renameSync(home.validatorKey, path.join(folder, 'old_key.json'))
    fs.renameSync(file, home.validatorKey)
    await start('node1')
    expect(addressOf('node1')).not.toEqual(old)
    await signs(addressOf('node1'))
  },
)

test.runIf(isPresent)(
  'a validator moves to another machine, and never signs from two',
  async () => {
    const [from, to] = [homeOf('node2'), homeOf('node4')]
    const address = addressOf('node2')
    // A full node with a key of its own, which no set knows.
    await start('node4')
    await catchesUp('node4')
    const refused = await runAssay(['node', 'check', '--home', from.folder])
    expect(refused.output).toContain('is in use by')
    await stop('node2')
    const { height } = loadSignState(from.validatorState)
    await stop('node4')
    fs.copyFileSync(from.validatorState, to.validatorState)
    fs.renameSync(from.validatorKey, to.validatorKey)
    await start('node4')
    await signs(address)
    expect(loadSignState(to.validatorState).height).toBeGreaterThan(height)
    // If somebody starts the old one all the same, it is a full node: nobody signs twice.
    await start('node2')
    await catchesUp('node2')
    expect(addressOf('node2')).not.toEqual(address)
    await stop('node2')
  },
)

test.runIf(isPresent)(
  'at an upgrade, a program that is late stops before the block, and its successor goes on from there',
  async () => {
    await stop('node3')
    await start('node3', lateProgram())
    const height = (await heightOf(urlsOf('node0').rpc)) + 40
    const approval = {
      ...STAKING,
      functionName: 'approveUpgrade',
      args: [BigInt(height), OSAKA, NOBODY, NOBODY],
      // What an estimate says holds only until the last one decides.
      gas: 1_000_000n,
    } as const
    await Promise.all(
      ['node0', 'node1', 'node2'].map((name) => {
        const { wallet, included } = clientsOf(name, 'node0')
        return included(wallet.writeContract(approval))
      }),
    )
    const late = running.get('node3')
    running.delete('node3')
    const { code, output } = (await late?.node.ended) ?? { code: 0, output: '' }
    expect(code).toBe(1)
    const last = output.trim().split('\n').at(-1) ?? ''
    expect(last).toContain(`to activate version 3 of the EVM rules at block ${height}`)
    expect(last).toContain('install a newer one and start it on this home folder')
    await eventually(async () => (await heightOf(urlsOf('node0').rpc)) > height + 2 || undefined)
    await start('node3')
    await catchesUp('node3')
    await signs(addressOf('node3'))
  },
  HANG_MS,
)

test.runIf(isPresent)(
  'all nodes have the same blocks, and nobody was punished for signing twice',
  async () => {
    await requireAgreement([...running.values()].map(({ urls }) => urls))
    for (const name of ['node0', 'node1', 'node2', 'node3'])
      expect(await clientsOf(name, 'node0').validator()).toMatchObject({ isTombstoned: false })
  },
)
