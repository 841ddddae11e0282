/**
 * The engine `cometbft`: one real validator that the node runs itself. Needs CometBFT v0.38.25 in the PATH, or named by
 * ASSAY_COMETBFT. Long, because all tests share one such node, which takes seconds to start.
 */
import { execFileSync, spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import fs from 'node:fs'
import path from 'node:path'
import {
  createPublicClient,
  createWalletClient,
  defineChain,
  http,
  keccak256,
  parseEther,
  parseGwei,
  type Hex,
} from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { developmentKeys } from '../../src/accounts/development.ts'
import { toHex } from '../../src/base/hex.ts'
import { freePort } from '../../src/base/freePorts.ts'
import { completeHome } from '../../src/cli/newHome.ts'
import { homePaths } from '../../src/config/home.ts'
import { eventually, newHome, rpc, runAssay } from '../support/assay.ts'
import { COMETBFT, hasCometbft } from '../support/cometbft.ts'
import { auditViews, heightOf } from '../support/networkAudit.ts'
import { childrenOf, isAlive } from '../support/processes.ts'
import { startChainNode, stopChainNode, type ChainNode } from '../torture/node.ts'

const isPresent = hasCometbft()
if (!isPresent) console.warn('skipped: no cometbft 0.38.25 in the PATH (set ASSAY_COMETBFT)')

const FLAGS = [
  '--consensus.engine=cometbft',
  `--cometbft=${COMETBFT}`,
  '--p2p.laddr=tcp://127.0.0.1:0',
  '--consensus.block-interval=300ms',
]
const [key, otherKey] = developmentKeys().map(toHex) as [Hex, Hex]
const account = privateKeyToAccount(key)
const STRANGER = '0x00000000000000000000000000000000000a11ce'
const other = privateKeyToAccount(otherKey)

let home: string
let node: ChainNode
let addresses: { rpc: string; comet: string }

async function start(): Promise<void> {
  node = startChainNode(home, {}, FLAGS)
  const ready = await node.ready
  if (ready === undefined) throw new Error((await node.ended).output)
  addresses = ready
}

function cometbftProcess(): number {
  const [pid] =
    [...childrenOf(node.process.pid ?? 0)].find(([, line]) => line.includes('start')) ?? []
  if (pid === undefined) throw new Error('the node runs no CometBFT')
  return pid
}

function clients() {
  const chain = defineChain({
    id: 271828,
    name: 'Assay',
    nativeCurrency: { name: 'Assay', symbol: 'ASSAY', decimals: 18 },
    rpcUrls: { default: { http: [addresses.rpc] } },
  })
  const transport = http()
  return {
    wallet: createWalletClient({ chain, account, transport }),
    reader: createPublicClient({ chain, transport, pollingInterval: 50 }),
  }
}

/** A signed transfer with a nonce of its own. */
const transfer = (nonce: number, gwei = 5) =>
  account.signTransaction({
    type: 'eip1559',
    chainId: 271828,
    nonce,
    to: other.address,
    value: 1n,
    gas: 21_000n,
    maxFeePerGas: parseGwei(String(gwei)),
    maxPriorityFeePerGas: parseGwei(String(gwei / 5)),
  })

async function send(raw: Hex): Promise<Hex> {
  const { result, error } = await rpc(addresses.rpc, 'eth_sendRawTransaction', [raw])
  if (error !== undefined) throw new Error(error.message)
  return result as Hex
}

const nextNonce = async () =>
  Number((await rpc(addresses.rpc, 'eth_getTransactionCount', [account.address, 'latest'])).result)

async function receiptOf(hash: Hex, seconds = 20) {
  return eventually(async () => {
    const { result } = await rpc(addresses.rpc, 'eth_getTransactionReceipt', [hash])
    return (result as { blockNumber: Hex; blockHash: Hex; status: Hex } | null) ?? undefined
  }, seconds)
}

beforeAll(async () => {
  if (!isPresent) return
  home = newHome()
  await completeHome(homePaths(home))
  await start()
})

afterAll(async () => {
  if (!isPresent) return
  await stopChainNode(node)
  fs.rmSync(path.dirname(home), { recursive: true, force: true })
})

// Holds D20.
test.runIf(isPresent)(
  'transactions of viem are mined, and both views tell the same blocks',
  async () => {
    const { wallet, reader } = clients()
    const hash = await wallet.sendTransaction({ to: other.address, value: parseEther('1') })
    const receipt = await reader.waitForTransactionReceipt({ hash })
    expect(receipt.status).toBe('success')
    // Stores and returns one byte of code (STOP).
    const creation = await wallet.deployContract({
      abi: [],
      bytecode: '0x600160005360016000f3',
    })
    const created = await reader.waitForTransactionReceipt({ hash: creation })
    expect(await reader.getCode({ address: created.contractAddress ?? '0x' })).toBe('0x01')
    expect(await auditViews(addresses, Number(created.blockNumber))).toEqual([])

    // D21: the consensus side names a transaction by the SHA-256 of its bytes.
    const raw = (await rpc(addresses.rpc, 'eth_getRawTransactionByHash', [hash])).result as Hex
    const name = createHash('sha256')
      .update(Buffer.from(raw.slice(2), 'hex'))
      .digest('hex')
    const answer = (await (await fetch(`${addresses.comet}/tx?hash=0x${name}`)).json()) as {
      result: { height: string; tx_result: { code: number; events: { type: string }[] } }
    }
    expect(Number(answer.result.height)).toBe(Number(receipt.blockNumber))
    expect(answer.result.tx_result.code).toBe(0)
    expect(answer.result.tx_result.events.map(({ type }) => type)).toEqual([
      'assay',
      'ethereum_tx',
      'message',
    ])
  },
)

test.runIf(isPresent)(
  'what is proven from the genesis of the home is proven against such a node',
  async () => {
    const hash = await send(await transfer(await nextNonce()))
    await receiptOf(hash)
    const servers = ['--rpc', addresses.comet, '--json-rpc', addresses.rpc, '--home', home]
    for (const args of [
      ['receipt', hash],
      ['tx', hash],
      ['account', account.address],
      ['header', '2'],
    ] as const) {
      const { code, output } = await runAssay(['verify', args[0], ...servers, args[1]])
      expect({ code, output }).toMatchObject({ code: 0 })
      expect(output).toContain('Proven.')
    }
  },
)

test.runIf(isPresent)(
  'transactions behind a nonce gap wait, and a better paying one takes the place of another',
  async () => {
    const nonce = await nextNonce()
    const later = [await send(await transfer(nonce + 2)), await send(await transfer(nonce + 1))]
    const { result } = await rpc(addresses.rpc, 'txpool_status')
    expect(result).toEqual({ pending: '0x0', queued: '0x2' })
    const replaced = await transfer(nonce + 2, 10)
    const better = await send(replaced)
    const first = await send(await transfer(nonce))
    const [a, b, c] = await Promise.all([
      receiptOf(first),
      receiptOf(later[1] ?? '0x'),
      receiptOf(better),
    ])
    expect([a.status, b.status, c.status]).toEqual(['0x1', '0x1', '0x1'])
    expect((await rpc(addresses.rpc, 'eth_getTransactionReceipt', [later[0]])).result).toBeNull()
    // CometBFT drops what was replaced when it asks again.
    await eventually(async () => {
      const answer = (await (await fetch(`${addresses.comet}/num_unconfirmed_txs`)).json()) as {
        result: { total: string }
      }
      return answer.result.total === '0' || undefined
    })
  },
)

// Holds D61.
test.runIf(isPresent)('the pending block is the one that this node would propose', async () => {
  const before = (await rpc(addresses.rpc, 'eth_getBalance', [STRANGER, 'latest'])).result
  expect(before).toBe('0x0')
  await send(
    await account.signTransaction({
      type: 'eip1559',
      chainId: 271828,
      nonce: await nextNonce(),
      to: STRANGER,
      value: 7n,
      gas: 21_000n,
      maxFeePerGas: parseGwei('5'),
      maxPriorityFeePerGas: parseGwei('1'),
    }),
  )
  // In a block meanwhile, or not: the pending state has it either way.
  expect((await rpc(addresses.rpc, 'eth_getBalance', [STRANGER, 'pending'])).result).toBe('0x7')
  const { result } = await rpc(addresses.rpc, 'eth_getBlockByNumber', ['pending', false])
  expect(result).toMatchObject({ hash: null, nonce: null, miner: null })
})

test.runIf(isPresent)(
  'a transaction given to the consensus RPC is mined too, and what is no transaction is refused',
  async () => {
    const raw = await transfer(await nextNonce())
    const broadcast = async (hex: string) =>
      (
        (await (await fetch(`${addresses.comet}/broadcast_tx_sync?tx=${hex}`)).json()) as {
          result: { code: number; log: string }
        }
      ).result
    expect((await broadcast(raw)).code).toBe(0)
    const nonce = await nextNonce()
    await eventually(async () => (await nextNonce()) > nonce || undefined)
    expect(await broadcast('0x1234')).toMatchObject({ code: 2, codespace: 'evm' })
  },
)

// Holds D21a.
test.runIf(isPresent)(
  "a dry run of CometBFT's is neither proposed nor given to CometBFT; the same transaction is when it is sent",
  async () => {
    const raw = await transfer(await nextNonce())
    const hash = keccak256(raw)
    const ask = async (path: string) =>
      (
        (await (await fetch(`${addresses.comet}/${path}`)).json()) as {
          result: { code: number; total: string }
        }
      ).result
    const blocks = async (count: number) => {
      const start = await heightOf(addresses.rpc)
      await eventually(async () => (await heightOf(addresses.rpc)) >= start + count || undefined)
    }
    expect((await ask(`check_tx?tx=${raw}`)).code).toBe(0)
    await blocks(3)
    // A CometBFT that starts again is given what the pool has.
    const pid = cometbftProcess()
    process.kill(pid, 'SIGKILL')
    await eventually(() => !isAlive(pid) || undefined)
    await blocks(3)
    expect((await ask('num_unconfirmed_txs')).total).toBe('0')
    expect((await rpc(addresses.rpc, 'eth_getTransactionReceipt', [hash])).result).toBeNull()
    expect(await send(raw)).toBe(hash)
    expect((await receiptOf(hash)).status).toBe('0x1')

    // What CometBFT has in its pool is proposed, whether it was dry-run before or not.
    const [tried, untried] = [
      await transfer(await nextNonce()),
      await transfer((await nextNonce()) + 1),
    ]
    expect((await ask(`check_tx?tx=${tried}`)).code).toBe(0)
    for (const each of [tried, untried])
      expect((await ask(`broadcast_tx_sync?tx=${each}`)).code).toBe(0)
    for (const each of [tried, untried])
      expect((await receiptOf(keccak256(each))).status).toBe('0x1')
  },
)

test.runIf(isPresent)('after a stop the chain goes on, and what was queued still is', async () => {
  const before = await heightOf(addresses.rpc)
  const nonce = await nextNonce()
  const queued = await send(await transfer(nonce + 1))
  expect(await stopChainNode(node)).toBe(0)
  await start()
  await receiptOf(await send(await transfer(nonce)))
  await receiptOf(queued)
  const after = await heightOf(addresses.rpc)
  expect(after).toBeGreaterThan(before)
  expect(await auditViews(addresses, after)).toEqual([])
})

test.runIf(isPresent)(
  'a CometBFT that is killed comes back, and finds the transactions of before',
  async () => {
    const nonce = await nextNonce()
    const waiting = await send(await transfer(nonce + 1))
    const pid = cometbftProcess()
    process.kill(pid, 'SIGKILL')
    await eventually(() => !isAlive(pid) || undefined)
    const first = await send(await transfer(nonce))
    expect((await receiptOf(first)).status).toBe('0x1')
    expect((await receiptOf(waiting)).status).toBe('0x1')
    expect(await auditViews(addresses, await heightOf(addresses.rpc))).toEqual([])
  },
)

// Holds D20a.
test.runIf(isPresent)(
  'nothing that was shown or acknowledged is lost when the node is killed under load',
  async () => {
    for (let round = 0; round < 3; round++) {
      const shown = new Map<Hex, string>()
      const acknowledged: Hex[] = []
      const nonce = await nextNonce()
      for (let i = 0; i < 10; i++) {
        const hash = await send(await transfer(nonce + i))
        acknowledged.push(hash)
        if (i % 3 === round % 3) shown.set(hash, JSON.stringify(await receiptOf(hash)))
      }
      const pid = cometbftProcess()
      const height = await heightOf(addresses.rpc)
      node.process.kill('SIGKILL')
      await node.ended
      // It ends by itself when its application is gone.
      await eventually(() => !isAlive(pid) || undefined)
      await start()
      for (const [hash, receipt] of shown)
        expect(JSON.stringify(await receiptOf(hash))).toBe(receipt)
      expect(await heightOf(addresses.rpc)).toBeGreaterThanOrEqual(height)
      // What was not mined is pooled again, and sent to CometBFT again (D64).
      for (const hash of acknowledged) await receiptOf(hash)
      await receiptOf(await send(await transfer(await nextNonce(), 9)))
    }
    expect(await auditViews(addresses, await heightOf(addresses.rpc))).toEqual([])
  },
)

test.runIf(isPresent)('an application that lost its store is given all blocks again', async () => {
  const height = await heightOf(addresses.rpc)
  const roots = await rpc(addresses.rpc, 'eth_getBlockByNumber', [`0x${height.toString(16)}`, true])
  await stopChainNode(node)
  fs.rmSync(homePaths(home).chainStore, { recursive: true })
  await start()
  await eventually(async () => (await heightOf(addresses.rpc)) > height || undefined)
  expect(
    await rpc(addresses.rpc, 'eth_getBlockByNumber', [`0x${height.toString(16)}`, true]),
  ).toEqual(roots)
})

test.runIf(isPresent)(
  'a stopped home is checked, goes one block back, and has that block again',
  async () => {
    await receiptOf(await send(await transfer(await nextNonce())))
    await stopChainNode(node)
    const sound = await runAssay(['node', 'check', '--home', home])
    expect(sound.output).toMatch(/Blocks 1 to \d+ are valid/)
    const back = await runAssay(['node', 'rollback', '--home', home])
    expect(back.output).toMatch(/The state is now that of block \d+/)
    expect(JSON.parse((await runAssay(['node', 'export', '--home', home])).output)).toMatchObject({
      chain_id: 'assay_271828-2',
    })
    await start()
    const height = await heightOf(addresses.rpc)
    await eventually(async () => (await heightOf(addresses.rpc)) > height || undefined)
    expect(await auditViews(addresses, height)).toEqual([])
  },
)

test.runIf(isPresent)('a home of one engine is refused by the other, with what to do', async () => {
  await stopChainNode(node)
  const wrong = startChainNode(home)
  onTestFinished(async () => start())
  expect(await wrong.ready).toBeUndefined()
  const { output } = await wrong.ended
  expect(output).toContain('the block store is empty')
})

// Holds D20a.
test.runIf(isPresent)(
  'a node is attached over TCP to a CometBFT that runs elsewhere, whichever comes first',
  async () => {
    const folder = newHome()
    const paths = homePaths(folder)
    await completeHome(paths)
    const elsewhere = `${folder}-elsewhere`
    execFileSync(COMETBFT, ['init', '--home', elsewhere], { stdio: 'pipe' })
    for (const file of [paths.genesis, paths.validatorKey])
      fs.copyFileSync(file, path.join(elsewhere, 'config', path.basename(file)))
    const [abci, cometRpc] = [await freePort(), await freePort()]
    const comet = spawn(
      COMETBFT,
      [
        'start',
        `--home=${elsewhere}`,
        `--proxy_app=tcp://127.0.0.1:${abci}`,
        `--rpc.laddr=tcp://127.0.0.1:${cometRpc}`,
        '--p2p.laddr=tcp://127.0.0.1:0',
        '--log_level=error',
      ],
      { stdio: 'ignore' },
    )
    const gone = once(comet, 'exit')
    const attached = startChainNode(folder, {}, [
      '--consensus.engine=cometbft',
      `--consensus.comet-rpc=tcp://127.0.0.1:${cometRpc}`,
      `--consensus.abci-address=tcp://127.0.0.1:${abci}`,
    ])
    onTestFinished(async () => {
      comet.kill('SIGTERM')
      await gone
      fs.rmSync(path.dirname(folder), { recursive: true, force: true })
    })
    const urls = await attached.ready
    if (urls === undefined) throw new Error((await attached.ended).output)
    expect(urls.comet).toBe(`http://127.0.0.1:${cometRpc}`)
    const { result } = await rpc(urls.rpc, 'eth_sendRawTransaction', [await transfer(0)])
    const receipt = await eventually(
      async () => (await rpc(urls.rpc, 'eth_getTransactionReceipt', [result])).result ?? undefined,
    )
    expect(receipt).toMatchObject({ status: '0x1' })
    expect(await auditViews(urls, await heightOf(urls.rpc))).toEqual([])
    expect(await stopChainNode(attached)).toBe(0)
  },
)

test('a missing CometBFT is named, with how to get it', async () => {
  const folder = newHome()
  onTestFinished(() => fs.rmSync(path.dirname(folder), { recursive: true, force: true }))
  await completeHome(homePaths(folder))
  const { code, output } = await runAssay([
    'node',
    `--home=${folder}`,
    '--consensus.engine=cometbft',
    '--cometbft=/nowhere/cometbft',
  ])
  expect(code).toBe(1)
  expect(output).toContain('/nowhere/cometbft not found')
  expect(output).toContain('go install github.com/cometbft/cometbft/cmd/cometbft@v0.38.25')
})
