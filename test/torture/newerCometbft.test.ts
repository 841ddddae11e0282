// Holds D68 and D99.
/**
 * Networks on the newer lines of CometBFT: what one node takes reaches the pools of all others, by way of others too, and a
 * node that was away gets what it missed; with 0.40 by the application mempool. Needs them as `cometbft-0.39` and
 * `cometbft-0.40` in the PATH, or named by ASSAY_COMETBFT_39 and ASSAY_COMETBFT_40.
 */
import { privateKeyToAccount } from 'viem/accounts'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { developmentKeys } from '../../src/accounts/development.ts'
import { toHex, type Hex } from '../../src/base/hex.ts'
import { eventually } from '../support/assay.ts'
import { newerCometbfts } from '../support/cometbft.ts'
import {
  askRpc,
  createLocalnet,
  requireAgreement,
  startLocalnet,
  type Localnet,
  type LocalnetNode,
} from '../support/localnet.ts'

const lines = newerCometbfts()
if (!lines.every(({ isPresent }) => isPresent))
  console.warn('skipped: no cometbft 0.39 or 0.40 (set ASSAY_COMETBFT_39, ASSAY_COMETBFT_40)')

let network: Localnet
let nodes: readonly LocalnetNode[] = []

const [account, other] = developmentKeys()
  .slice(0, 2)
  .map((key) => privateKeyToAccount(toHex(key)))
if (account === undefined || other === undefined) throw new Error('no development accounts')

const transfer = (from: typeof account, nonce: number): Promise<string> =>
  from.signTransaction({
    type: 'eip1559',
    chainId: 271_828,
    nonce,
    to: '0x00000000000000000000000000000000000000aa',
    value: 1n,
    gas: 21_000n,
    maxFeePerGas: 20_000_000_000n,
    maxPriorityFeePerGas: 1_000_000_000n,
  })

const rpcOf = (index: number) => nodes[index]?.rpc ?? ''
const send = async (raw: string, to = 0) =>
  (await askRpc(rpcOf(to), 'eth_sendRawTransaction', [raw])) as Hex

/** Waits until every node knows a transaction, mined or pooled. */
async function knownEverywhere(hash: Hex): Promise<void> {
  for (const { rpc } of nodes)
    await eventually(
      async () => ((await askRpc(rpc, 'eth_getTransactionByHash', [hash])) ?? undefined) as object,
    )
}

async function mined(hash: Hex, at = 0): Promise<void> {
  const receipt = await eventually(
    async () =>
      ((await askRpc(rpcOf(at), 'eth_getTransactionReceipt', [hash])) ?? undefined) as
        | { status: Hex }
        | undefined,
  )
  expect(receipt.status).toBe('0x1')
}

describe.each(lines)('CometBFT $line', ({ line, binary, isPresent }) => {
  beforeAll(async () => {
    network = createLocalnet()
    if (!isPresent) return
    await startLocalnet(network, `--cometbft=${binary}`, '--validators=3')
    nodes = await network.status()
  })
  afterAll(() => network.remove())

  test.runIf(isPresent)(
    'transactions sent to any node are mined, and pooled ones known to all',
    async () => {
      const hashes: Hex[] = []
      for (let nonce = 0; nonce < 30; nonce++)
        hashes.push(await send(await transfer(account, nonce), nonce % 3))
      await Promise.all(hashes.map((hash) => mined(hash)))
      // Behind a nonce gap it stays in the pools.
      const queued = await send(await transfer(other, 1), 1)
      await knownEverywhere(queued)
      await mined(await send(await transfer(other, 0), 2))
      await mined(queued)
      await requireAgreement(nodes)
    },
  )

  test.runIf(isPresent)(
    'by the RPC of CometBFT a transaction is pooled and gossiped too',
    async () => {
      const raw = await transfer(account, 30)
      const answer = await fetch(`${nodes[1]?.comet}/broadcast_tx_sync?tx=${raw}`)
      expect(await answer.json()).toMatchObject({ result: { code: 0 } })
      await eventually(async () => {
        const count = await askRpc(rpcOf(2), 'eth_getTransactionCount', [account.address, 'latest'])
        return Number(count) === 31 || undefined
      })
    },
  )

  test.runIf(isPresent)(
    'a node that was killed gets the transactions that the others still hold',
    async () => {
      const queued = await send(await transfer(other, 5), 0)
      await knownEverywhere(queued)
      await network.run('kill', '2')
      await eventually(async () => {
        const [, , third] = await network.status()
        return third?.state === 'up' || undefined
      }, 120)
      await knownEverywhere(queued)
    },
  )

  test.runIf(isPresent)('its mempool is the application’s with 0.40 alone', async () => {
    // That mempool holds nothing itself.
    const queued = await send(await transfer(other, 9))
    await knownEverywhere(queued)
    const answer = await fetch(`${nodes[0]?.comet}/num_unconfirmed_txs`)
    const { result } = (await answer.json()) as { result: { n_txs: string } }
    expect(Number(result.n_txs) > 0).toBe(line === '0.39')
  })
})
