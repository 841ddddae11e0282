/**
 * Transactions that were acknowledged and not mined when the node was killed or stopped: they are pooled again, and what
 * left the pool before is not (D64). ASSAY_TORTURE_RUNS says how often, ASSAY_TORTURE_SEED repeats a sequence.
 */
import { spawnSync } from 'node:child_process'
import fs from 'node:fs'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { developmentKeys } from '../../src/accounts/development.ts'
import { toHex } from '../../src/base/hex.ts'
import { addressOfPrivateKey } from '../../src/base/secp256k1.ts'
import { signTransaction } from '../../src/chain/signTransaction.ts'
import { completeHome } from '../../src/cli/newHome.ts'
import { homePaths } from '../../src/config/home.ts'
import { eventually, newHome, rpc } from '../support/assay.ts'
import { startChainNode, stopChainNode, type ChainNode, type NodeUrls } from './node.ts'
import { createRandom } from './random.ts'
import { recordCampaign, secondsSince } from './record.ts'

const RUNS = Math.max(2, Math.round(Number(process.env['ASSAY_TORTURE_RUNS'] ?? 50) / 12))
/** Each run has a sender of its own. */
const RUNS_PER_HOME = 8
const SEED = Number(process.env['ASSAY_TORTURE_SEED'] ?? Date.now() % 1_000_000)

const GWEI = 1_000_000_000n
const KEYS = developmentKeys()
/** Nothing that is sent is mined before the node ends. */
const SLOW = ['--consensus.gather-window=10s', '--consensus.block-interval=30s']
const UNLOCKED = '--accounts.unlock-development=true'

let home: string
beforeEach(() => {
  home = newHome()
})
afterEach(() => fs.rmSync(path.dirname(home), { recursive: true, force: true }))

function transfer(sender: number, nonce: number, gwei = 1n): { raw: string; hash: string } {
  const { raw, hash } = signTransaction(
    {
      type: 2,
      chainId: 271_828n,
      nonce: BigInt(nonce),
      maxFeePerGas: 1000n * gwei * GWEI,
      maxPriorityFeePerGas: gwei * GWEI,
      gasLimit: 21_000n,
      to: new Uint8Array(20).fill(9),
      value: 1n,
      data: new Uint8Array(0),
      accessList: [],
      authorizationList: [],
    },
    KEYS[sender] ?? new Uint8Array(0),
  )
  return { raw: toHex(raw), hash: toHex(hash) }
}

async function started(args: readonly string[]): Promise<{ node: ChainNode; urls: NodeUrls }> {
  const node = startChainNode(home, {}, args)
  const urls = await node.ready
  if (urls === undefined) throw new Error((await node.ended).output)
  return { node, urls }
}

/** The hash, once the node has acknowledged; undefined when it was gone before. */
async function sent(request: Promise<{ result?: unknown; error?: unknown }>): Promise<string[]> {
  try {
    const { result, error } = await request
    if (error !== undefined) throw new Error(JSON.stringify(error))
    return typeof result === 'string' ? [result] : []
  } catch (error) {
    if (error instanceof TypeError) return []
    throw error
  }
}

/** Sends by `broadcast_tx_sync`, which knows transactions by another hash. */
async function broadcast(url: string, { raw, hash }: { raw: string; hash: string }) {
  const response = await fetch(`${url}/broadcast_tx_sync?tx=${raw}`).catch(() => undefined)
  const answer = (await response?.json().catch(() => undefined)) as
    | { result?: { code: number; log: string } }
    | undefined
  if (answer === undefined) return []
  expect(answer.result).toMatchObject({ code: 0 })
  return [hash]
}

const isKnown = async (url: string, hash: string): Promise<boolean> =>
  (await rpc(url, 'eth_getTransactionByHash', [hash])).result !== null

async function missing(url: string, hashes: readonly string[]): Promise<readonly string[]> {
  const known = await Promise.all(hashes.map((hash) => isKnown(url, hash)))
  return hashes.filter((_hash, index) => known[index] !== true)
}

test(
  `${RUNS} kills right after, or amid, acknowledgements lose none of them`,
  { timeout: 60_000 + RUNS * 30_000 },
  async () => {
    const random = createRandom(SEED)
    let acknowledged: string[] = []
    const recovery: number[] = []
    let count = 0
    for (let run = 0; run < RUNS; run++) {
      const turn = run % RUNS_PER_HOME
      if (turn === 0) {
        fs.rmSync(home, { recursive: true, force: true })
        await completeHome(homePaths(home))
        acknowledged = []
      }
      const from = performance.now()
      const { node, urls } = await started([...SLOW, UNLOCKED])
      if (turn > 0) recovery.push(secondsSince(from))
      // What earlier runs sent is still there.
      expect(await missing(urls.rpc, acknowledged), `seed ${SEED}, run ${run}`).toEqual([])
      const own = toHex(addressOfPrivateKey(KEYS[9] ?? new Uint8Array(0)))
      const requests = [
        ...Array.from({ length: 20 }, (_, nonce) =>
          sent(rpc(urls.rpc, 'eth_sendRawTransaction', [transfer(turn, nonce).raw])),
        ),
        // These are behind a gap.
        ...Array.from({ length: 5 }, (_, i) =>
          broadcast(urls.comet, transfer(8, 1 + turn * 5 + i)),
        ),
        sent(rpc(urls.rpc, 'eth_sendTransaction', [{ from: own, to: own }])),
      ].map(async (request) => {
        const hashes = await request
        acknowledged.push(...hashes)
        count += hashes.length
        return hashes.length
      })
      const isAmid = run % 2 === 1
      if (isAmid) await sleep(Math.floor(random() * 30))
      else expect(await Promise.all(requests)).toEqual(requests.map(() => 1))
      node.process.kill('SIGKILL')
      await node.ended
      await Promise.all(requests)
    }
    const { node, urls } = await started(SLOW)
    const lost = await missing(urls.rpc, acknowledged)
    recordCampaign('acknowledged', {
      fault: 'SIGKILL right after, or amid, acknowledgements of transactions that wait',
      runs: RUNS,
      lost: lost.length,
      recovery,
      note: `seed ${SEED}; ${count} acknowledged, all of them looked for at every start that followed`,
    })
    expect(lost, `seed ${SEED}`).toEqual([])
    expect(await stopChainNode(node)).toBe(0)
  },
)

test('after an orderly stop, what was queued is queued again, and what was replaced stays gone', async () => {
  await completeHome(homePaths(home))
  const first = await started(SLOW)
  const queued = Array.from({ length: 5 }, (_, i) => transfer(0, 3 + i))
  const [replaced, replacing] = [transfer(1, 0, 1n), transfer(1, 0, 2n)]
  for (const { raw } of [...queued, replaced, replacing])
    expect(await rpc(first.urls.rpc, 'eth_sendRawTransaction', [raw])).not.toHaveProperty('error')
  expect(await stopChainNode(first.node)).toBe(0)

  const second = await started(SLOW)
  const kept = [...queued, replacing].map(({ hash }) => hash)
  expect(await missing(second.urls.rpc, kept)).toEqual([])
  expect(await isKnown(second.urls.rpc, replaced.hash)).toBe(false)
  expect((await rpc(second.urls.rpc, 'txpool_status', [])).result).toEqual({
    pending: '0x1',
    queued: '0x5',
  })
  expect(await stopChainNode(second.node)).toBe(0)

  // Whoever wants no journal leaves none behind.
  const third = await started([...SLOW, '--mempool.durable=false'])
  expect(await missing(third.urls.rpc, kept)).toEqual([])
  third.node.process.kill('SIGKILL')
  await third.node.ended
  const fourth = await started(SLOW)
  expect(await missing(fourth.urls.rpc, kept)).toEqual(kept)
  expect(await stopChainNode(fourth.node)).toBe(0)
})

test('what a development chain took back or dropped stays gone after a kill', async () => {
  await completeHome(homePaths(home), {}, { isDevelopment: true })
  const first = await started(['--dev.enable=true'])
  const ask = async (method: string, params: readonly unknown[] = []) => {
    const answer = await rpc(first.urls.rpc, method, params)
    expect(answer).not.toHaveProperty('error')
    return answer.result
  }
  const send = async (each: { raw: string }) => await ask('eth_sendRawTransaction', [each.raw])
  await ask('evm_setAutomine', [false])
  const [mined, pooled, dropped, kept] = [0, 1, 2, 3].map((sender) => transfer(sender, 0)) as [
    ReturnType<typeof transfer>,
    ReturnType<typeof transfer>,
    ReturnType<typeof transfer>,
    ReturnType<typeof transfer>,
  ]
  const snapshot = await ask('evm_snapshot')
  await send(mined)
  await ask('evm_mine')
  await send(pooled)
  expect(await ask('evm_revert', [snapshot])).toBe(true)
  await send(dropped)
  await send(kept)
  expect(await ask('hardhat_dropTransaction', [dropped.hash])).toBe(true)
  first.node.process.kill('SIGKILL')
  await first.node.ended

  const second = await started(['--dev.enable=true'])
  const all = [mined, pooled, dropped, kept].map(({ hash }) => hash)
  expect(await missing(second.urls.rpc, all)).toEqual(all.slice(0, 3))
  expect(await stopChainNode(second.node)).toBe(0)
})

test('a damaged journal keeps no node from starting, and what can be read of it is kept', async () => {
  await completeHome(homePaths(home))
  const first = await started(SLOW)
  const all = Array.from({ length: 6 }, (_, i) => transfer(0, 3 + i))
  for (const { raw } of all) await rpc(first.urls.rpc, 'eth_sendRawTransaction', [raw])
  first.node.process.kill('SIGKILL')
  await first.node.ended
  const file = homePaths(home).poolJournal
  const bytes = fs.readFileSync(file)
  const marker = bytes.subarray(16, 24)
  const third = [0, 1, 2].reduce((at) => bytes.indexOf(marker, at + 1), 64 - 1)
  bytes[third + 40] = (bytes[third + 40] ?? 0) ^ 4
  fs.writeFileSync(file, bytes)

  const second = await started(SLOW)
  const hashes = all.map(({ hash }) => hash)
  expect(await missing(second.urls.rpc, hashes)).toEqual([hashes[2]])
  expect(fs.existsSync(`${file}.damaged`)).toBe(true)
  expect(fs.statSync(file).mode & 0o777).toBe(0o600)
  expect(await stopChainNode(second.node)).toBe(0)
})

const canMount = process.platform === 'linux' && process.getuid?.() === 0

test.runIf(canMount)(
  'a full disk refuses sends and says so, blocks and reads go on, and space brings sends back',
  async () => {
    await completeHome(homePaths(home))
    const { data, chainStore, validatorState } = homePaths(home)
    const signState = fs.readFileSync(validatorState)
    const mount = (folder: string, size: string) => {
      fs.mkdirSync(folder, { recursive: true })
      const options = ['-t', 'tmpfs', '-o', `size=${size},mode=700`, 'tmpfs', folder]
      expect(spawnSync('mount', options, { encoding: 'utf8' }).stderr).toBe('')
    }
    mount(data, '4m')
    try {
      // The chain has a disk of its own: only the journal shares one with what fills it.
      mount(chainStore, '64m')
      try {
        fs.writeFileSync(validatorState, signState, { mode: 0o600 })
        const filler = path.join(data, 'filler')
        fs.writeFileSync(filler, new Uint8Array(3_600_000))
        const { node, urls } = await started([])
        const height = async () =>
          BigInt((await rpc(urls.rpc, 'eth_blockNumber', [])).result as string)
        const { raw, hash } = transfer(0, 0)
        const { error } = await rpc(urls.rpc, 'eth_sendRawTransaction', [raw])
        expect(error).toEqual({
          code: -32_000,
          message: "the transaction was not accepted: the disk of the pool's journal is full",
        })
        expect(await isKnown(urls.rpc, hash)).toBe(false)
        const before = await height()
        await eventually(async () => (await height()) > before + 1n || undefined)
        fs.rmSync(filler)
        await eventually(async () => {
          const answer = await rpc(urls.rpc, 'eth_sendRawTransaction', [raw])
          return answer.result === hash || undefined
        })
        expect(await stopChainNode(node)).toBe(0)
      } finally {
        spawnSync('umount', [chainStore])
      }
    } finally {
      spawnSync('umount', [data])
    }
  },
)
