/**
 * CometBFT's own light client as judge: `cometbft light` follows a chain of the embedded engine from height 1, while it grows
 * and after restarts of both. Needs the program (v0.38.25) in the PATH, or named by ASSAY_COMETBFT.
 */
import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import path from 'node:path'
import { createPublicClient, createWalletClient, defineChain, http, parseEther } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { afterAll, expect, test } from 'vitest'
import { freePort } from '../../src/base/freePorts.ts'
import { eventually, newHome, startAssay, type Running } from '../support/assay.ts'
import { COMETBFT, hasCometbft } from '../support/cometbft.ts'
import { getComet, startCometLight, type CometLight } from '../support/cometLight.ts'

const isPresent = hasCometbft()
if (!isPresent) console.warn('skipped: no cometbft 0.38.25 in the PATH (set ASSAY_COMETBFT)')

async function heightOf(url: string): Promise<number> {
  const { result } = await getComet(url, 'status')
  const info = result?.['sync_info'] as Record<string, string> | undefined
  return Number(info?.['latest_block_height'])
}

/** Sends a transfer; gives its consensus hash and height. */
async function transfer({ up }: Running): Promise<{ hash: string; height: number }> {
  const chain = defineChain({
    id: up.chainId,
    name: 'Assay',
    nativeCurrency: { name: 'Assay', symbol: 'ASSAY', decimals: 18 },
    rpcUrls: { default: { http: [up.rpc] } },
  })
  const account = privateKeyToAccount(up.accounts[0]!.privateKey)
  const wallet = createWalletClient({ chain, account, transport: http() })
  const reader = createPublicClient({ chain, transport: http(), pollingInterval: 50 })
  const request = { to: up.accounts[1]!.address, value: parseEther('1') }
  const raw = await wallet.signTransaction(
    (await wallet.prepareTransactionRequest(request)) as never,
  )
  const ethereumHash = await wallet.sendRawTransaction({ serializedTransaction: raw })
  const receipt = await reader.waitForTransactionReceipt({ hash: ethereumHash })
  const bytes = Buffer.from(raw.slice(2), 'hex')
  const hash = createHash('sha256').update(bytes).digest('hex').toUpperCase()
  return { hash, height: Number(receipt.blockNumber) }
}

const stops: (() => Promise<unknown>)[] = []
afterAll(async () => {
  for (const stop of stops.reverse()) await stop()
})

async function startLight(args: readonly string[]): Promise<CometLight> {
  const light = await startCometLight(args)
  stops.push(light.stop)
  return light
}

/** Every verified endpoint at a height, through the light client. */
async function expectVerified(light: CometLight, height: number): Promise<void> {
  for (const query of [
    `commit?height=${height}`,
    `header?height=${height}`,
    `block?height=${height}`,
    `block_results?height=${height}`,
    `validators?height=${height}`,
    `consensus_params?height=${height}`,
  ]) {
    const answer = await light.get(query)
    expect({ query, error: answer.error }).toEqual({ query, error: undefined })
    expect(answer.result).toBeDefined()
  }
}

test.skipIf(!isPresent)(
  'cometbft light follows the embedded chain from height 1 and across restarts',
  async () => {
    const file = COMETBFT
    const version = spawnSync(file, ['version'], { encoding: 'utf8' }).stdout
    expect(version).toMatch(/^v?0\.38\./)
    const home = newHome()
    const port = await freePort()
    const fixed = [`--rpc.laddr=tcp://127.0.0.1:${port}`]
    let assay = await startAssay(home, fixed)
    stops.push(() => assay.stop())
    const primary = assay.up.comet

    const { result } = await eventually(async () => {
      const answer = await getComet(primary, 'commit?height=1')
      return answer.result === undefined ? undefined : answer
    })
    const signed = result?.['signed_header'] as { commit: { block_id: { hash: string } } }
    const chainId = 'assay_271828-1'
    const lightHome = path.join(path.dirname(home), 'light')
    const common = ['--home-dir', lightHome, '--primary', primary, '--witnesses', primary]
    const trust = ['--height', '1', '--hash', signed.commit.block_id.hash]
    const first = await startLight([chainId, ...common, ...trust])

    const before = await transfer(assay)
    await eventually(async () => ((await heightOf(primary)) > before.height + 1 ? true : undefined))
    await expectVerified(first, 1)
    await expectVerified(first, before.height)
    const proven = await first.get(`tx?hash=0x${before.hash}&prove=true`)
    expect(proven.error).toBeUndefined()
    expect(proven.result?.['height']).toBe(String(before.height))

    expect(await assay.stop()).toBe(0)
    assay = await startAssay(home, fixed)
    const after = await transfer(assay)
    expect(after.height).toBeGreaterThan(before.height)
    await eventually(async () => ((await heightOf(primary)) > after.height + 1 ? true : undefined))
    await expectVerified(first, after.height)
    await first.stop()

    const second = await startLight([chainId, '--sequential', ...common])
    await expectVerified(second, after.height + 1)
    const again = await second.get(`tx?hash=0x${after.hash}&prove=true`)
    expect(again.result?.['height']).toBe(String(after.height))
    expect(`${first.output()}${second.output()}`).not.toMatch(/ATTACK|invalid|panic/i)
    await second.stop()
  },
)
