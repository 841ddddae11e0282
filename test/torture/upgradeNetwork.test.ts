/**
 * The validators of a real network bring in a fork of the EVM at a height. Needs CometBFT v0.38.25 in the PATH, or named by
 * ASSAY_COMETBFT.
 */
import fs from 'node:fs'
import path from 'node:path'
import { encodeFunctionData, type Hex } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { developmentKeys } from '../../src/accounts/development.ts'
import { toHex } from '../../src/base/hex.ts'
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

const isPresent = hasCometbft()
if (!isPresent) console.warn('skipped: no cometbft 0.38.25 in the PATH (set ASSAY_COMETBFT)')

const STAKING = '0x0000000000000000000000000000000000001001'
const NOBODY: Hex = `0x${'00'.repeat(20)}`
const OSAKA = 3n
/** Deploys code that returns CLZ(1) (EIP-7939): 255 from Osaka on. */
const INIT_CODE: Hex = '0x6860011e5f5260205ff35f5260096017f3'

const network = createLocalnet()
let nodes: readonly LocalnetNode[] = []

beforeAll(async () => {
  if (!isPresent) return
  await startLocalnet(network, '--hardfork=prague', '--snapshot-interval=10')
  nodes = await network.status()
})
afterAll(() => network.remove())

type Config = { readonly next: { readonly activationHeight: number } | null }
type Receipt = { readonly status: Hex; readonly contractAddress: Hex | null }

/** Sends a transaction and resolves to its receipt. */
async function send(
  privateKey: Hex,
  transaction: { readonly to?: Hex; readonly data: Hex; readonly gas?: bigint },
): Promise<Receipt> {
  const url = nodes[0]?.rpc ?? ''
  const account = privateKeyToAccount(privateKey)
  const raw = await account.signTransaction({
    type: 'eip1559',
    chainId: 271828,
    nonce: Number(await askRpc(url, 'eth_getTransactionCount', [account.address, 'latest'])),
    gas: 2_000_000n,
    maxFeePerGas: 20_000_000_000n,
    maxPriorityFeePerGas: 1_000_000_000n,
    ...transaction,
  })
  const hash = await askRpc(url, 'eth_sendRawTransaction', [raw])
  return await eventually(
    async () =>
      ((await askRpc(url, 'eth_getTransactionReceipt', [hash])) as Receipt | null) ?? undefined,
  )
}

/** What a call of the contract at a height comes to on a node. */
const callAt = (url: string, to: Hex, height: number): Promise<unknown> =>
  askRpc(url, 'eth_call', [{ to }, `0x${height.toString(16)}`]).catch(
    (error: unknown) => (error as Error).message,
  )

test.runIf(isPresent)(
  'three of four validators bring in Osaka: every node follows it from that block on, and Prague before',
  async () => {
    const [richKey] = developmentKeys().map((key): Hex => toHex(key))
    const { contractAddress: contract } = await send(richKey ?? '0x', { data: INIT_CODE })
    const height = (await heightOf(nodes[0]?.rpc ?? '')) + 15
    const data = encodeFunctionData({
      abi: Staking.abi,
      functionName: 'approveUpgrade',
      args: [BigInt(height), OSAKA, NOBODY, NOBODY],
    })
    for (const { name } of nodes.slice(0, 3)) {
      const key = fs.readFileSync(homePaths(path.join(network.home, name)).rewardKey, 'utf8')
      expect(await send(`0x${key.trim()}`, { to: STAKING, data })).toMatchObject({ status: '0x1' })
    }
    const config = () => askRpc(nodes[3]?.rpc ?? '', 'eth_config') as Promise<Config>
    await eventually(async () => (await config()).next ?? undefined)
    expect((await config()).next?.activationHeight).toBe(height)
    const call = { to: contract ?? NOBODY, data: '0x' } as const
    expect(await send(richKey ?? '0x', call)).toMatchObject({ status: '0x0' })
    await reachHeight(nodes, height, 60)
    expect(await send(richKey ?? '0x', call)).toMatchObject({ status: '0x1' })

    await network.run('add', '--first-port=0')
    await network.run('add', '--first-port=0', '--state-sync')
    await eventually(async () => {
      const all = await network.status()
      return all.every(({ state, catchingUp }) => state === 'up' && !catchingUp) || undefined
    }, 90)
    const all = await network.status()
    await reachHeight(all, height + 3)
    await requireAgreement(all.slice(0, 5))
    for (const node of all.slice(0, 5)) {
      expect(await callAt(node.rpc, call.to, height - 1)).toContain('opcode 0x1e not defined')
      expect(await callAt(node.rpc, call.to, height)).toBe(`0x${'ff'.padStart(64, '0')}`)
    }
    const synced = all[5]?.rpc ?? ''
    expect(await callAt(synced, call.to, await heightOf(synced))).toBe(
      `0x${'ff'.padStart(64, '0')}`,
    )
    expect(await askRpc(synced, 'eth_config')).toMatchObject({
      current: { activationHeight: height },
      next: null,
    })
  },
  300_000,
)
