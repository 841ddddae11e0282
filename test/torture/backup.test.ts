/**
 * Backups of running nodes: while blocks are made, with the backup killed at random moments, restored and continued; and
 * of a node of a real network, which then follows it again. ASSAY_TORTURE_RUNS is the number of kills,
 * ASSAY_TORTURE_SEED what they follow from. The network needs CometBFT v0.38.25. Holds D108.
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import fs from 'node:fs'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { privateKeyToAccount } from 'viem/accounts'
import { expect, test } from 'vitest'
import { developmentKeys } from '../../src/accounts/development.ts'
import { toHex } from '../../src/base/hex.ts'
import { completeHome } from '../../src/cli/newHome.ts'
import { homePaths } from '../../src/config/home.ts'
import { auditChain } from '../support/chainAudit.ts'
import { eventually, mainFile, newHome, rpc, runAssay } from '../support/assay.ts'
import { COMETBFT, hasCometbft } from '../support/cometbft.ts'
import { askRpc, createLocalnet, reachHeight, startLocalnet } from '../support/localnet.ts'
import { ethereumBlock, heightOf } from '../support/networkAudit.ts'
import { startChainNode, stopChainNode } from './node.ts'
import { createRandom } from './random.ts'

const RUNS = Number(process.env['ASSAY_TORTURE_RUNS'] ?? 5)
const SEED = Number(process.env['ASSAY_TORTURE_SEED'] ?? 1)

const account = privateKeyToAccount(toHex(developmentKeys()[0] ?? new Uint8Array(0)))

async function assay(...args: readonly string[]): Promise<string> {
  const { code, output } = await runAssay(args)
  if (code !== 0) throw new Error(output)
  return output
}

/** Sends transfers one after the other, each as soon as the last is mined, until the signal is aborted. */
async function transfers(url: string, signal: AbortSignal): Promise<void> {
  const chainId = Number(await askRpc(url, 'eth_chainId'))
  for (let nonce = 0; !signal.aborted; nonce++) {
    const raw = await account.signTransaction({
      chainId,
      nonce,
      gas: 21_000n,
      maxFeePerGas: 10n ** 11n,
      maxPriorityFeePerGas: 10n ** 9n,
      to: `0x${(nonce + 1).toString(16).padStart(40, '1')}`,
      value: 1n,
    })
    const hash = await askRpc(url, 'eth_sendRawTransaction', [raw])
    await eventually(
      async () => (await askRpc(url, 'eth_getTransactionReceipt', [hash])) ?? undefined,
      60,
    )
  }
}

test('backups of a running node that are killed at any moment leave a chain that is restored and continues', async () => {
  const home = newHome()
  const root = path.dirname(home)
  const backups = path.join(root, 'backups')
  await completeHome(homePaths(home), { 'consensus.block-interval': '100ms' })
  const node = startChainNode(home)
  const urls = await node.ready
  if (urls === undefined) throw new Error((await node.ended).output)
  const load = new AbortController()
  const sending = transfers(urls.rpc, load.signal)
  await reachHeight([urls], 20)

  const random = createRandom(SEED)
  const before = performance.now()
  await assay('node', 'backup', backups, '--home', home)
  const duration = performance.now() - before
  let killed = 0
  for (let run = 0; run < RUNS; run++) {
    const child = spawn(process.execPath, [mainFile, 'node', 'backup', backups, '--home', home])
    const ended = once(child, 'exit')
    await Promise.race([ended, sleep(random() * duration)])
    child.kill('SIGKILL')
    const [, signal] = await ended
    if (signal === 'SIGKILL') killed++
  }
  const said = await assay('node', 'backup', backups, '--home', home, '--verify', '--keep', '2')
  const height = Number(/height (\d+)/.exec(said)?.[1])
  load.abort()
  await sending
  const block = await ethereumBlock(urls.rpc, height)
  // The machine is lost: what it signed after the backup, too.
  node.process.kill('SIGKILL')
  await node.ended

  const restored = path.join(root, 'restored')
  const { validatorKey, validatorState } = homePaths(home)
  const key = ['--validator-key', validatorKey]
  const restore = ['node', 'restore', backups, '--home', restored]
  await expect(assay(...restore, ...key)).rejects.toThrow('--sign-state')
  await expect(assay(...restore, ...key, '--sign-state', validatorState)).rejects.toThrow(
    'blocks that the backup lacks',
  )
  await assay(...restore, ...key, '--unsafe-sign-again')
  const again = startChainNode(restored)
  const there = await again.ready
  if (there === undefined) throw new Error((await again.ended).output)
  await reachHeight([there], height + 3)
  expect(await ethereumBlock(there.rpc, height)).toEqual(block)
  expect(await stopChainNode(again)).toBe(0)
  const { tip, faults } = await auditChain(restored)
  expect(faults).toEqual([])
  expect(tip).toBeGreaterThan(height)
  console.info(`seed ${SEED}: ${killed} of ${RUNS} killed, restored at ${height}`)
  fs.rmSync(root, { recursive: true, force: true })
})

const isPresent = hasCometbft()
if (!isPresent) console.warn('skipped: no cometbft 0.38.25 in the PATH (set ASSAY_COMETBFT)')

test.skipIf(!isPresent)(
  'a node of a network is backed up while it runs, restored elsewhere, and follows the network again',
  async () => {
    const network = createLocalnet()
    try {
      await startLocalnet(network, '--validators', '2', '--full', '1')
      const nodes = await network.status()
      const full = nodes.at(-1)
      if (full === undefined) throw new Error('the network has no node')
      const load = new AbortController()
      const sending = transfers(nodes[0]?.rpc ?? '', load.signal)
      await reachHeight([full], 12)
      const home = path.join(network.home, full.name)
      const backups = path.join(path.dirname(network.home), 'backups')
      const args = ['node', 'backup', backups, '--home', home, '--comet', full.comet]
      await assay(...args)
      await reachHeight([full], (await heightOf(full.rpc)) + 3)
      const said = await assay(...args)
      const height = Number(/height (\d+)/.exec(said)?.[1])

      const restored = path.join(path.dirname(network.home), 'restored')
      await assay('node', 'restore', backups, '--home', restored)
      expect(fs.existsSync(homePaths(restored).validatorKey)).toBe(false)
      for (const name of ['assay.toml'])
        fs.copyFileSync(path.join(home, 'config', name), path.join(restored, 'config', name))
      const node = startChainNode(restored, {}, [
        '--p2p.laddr=tcp://127.0.0.1:0',
        `--cometbft=${COMETBFT}`,
      ])
      const urls = await node.ready
      if (urls === undefined) throw new Error((await node.ended).output)
      // It is far enough only with blocks that it got from the network.
      const goal = (await heightOf(full.rpc)) + 5
      await reachHeight([urls], goal)
      load.abort()
      await sending
      for (const at of [height, goal])
        expect(await ethereumBlock(urls.rpc, at)).toEqual(await ethereumBlock(full.rpc, at))
      const { result } = await rpc(urls.rpc, 'eth_getBlockByNumber', ['0x1', false])
      expect(result).not.toBeNull()
      expect(await stopChainNode(node)).toBe(0)
      fs.rmSync(path.dirname(network.home), { recursive: true, force: true })
    } finally {
      await network.remove()
    }
  },
)
