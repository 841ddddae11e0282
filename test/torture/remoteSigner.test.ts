// Holds D98.
/**
 * The key at a signer in another process, with both engines: ours and a real CometBFT, whose protocol it is. Kills of the
 * signer and of the node at random moments; ASSAY_TORTURE_RUNS kills, 4 by default. Where CometBFT's `priv_val_server` is
 * installed, it signs for the embedded engine too.
 */
import fs from 'node:fs'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterEach, expect, test } from 'vitest'
import { freePort } from '../../src/base/freePorts.ts'
import { completeHome } from '../../src/cli/newHome.ts'
import { homePaths, type Home } from '../../src/config/home.ts'
import { eventually, newHome, runAssay } from '../support/assay.ts'
import { COMETBFT, hasCometbft } from '../support/cometbft.ts'
import { heightOf } from '../support/networkAudit.ts'
import {
  hasGoSigner,
  moveKey,
  startGoSigner,
  startSigner,
  type SignerProcess,
} from '../support/signerProcess.ts'
import { createRandom } from './random.ts'
import { startChainNode, stopChainNode, type ChainNode } from './node.ts'

const CHAIN = 'assay_271828-1'
const KILLS = Number(process.env['ASSAY_TORTURE_RUNS'] ?? '4')
const SEED = Number(process.env['ASSAY_TORTURE_SEED'] ?? '1')
const isCometbftPresent = hasCometbft()
if (!isCometbftPresent) console.warn('skipped: no cometbft 0.38.25 in the PATH')

const cleanUp: (() => unknown)[] = []
afterEach(async () => {
  for (const action of cleanUp.splice(0).reverse()) await action()
})

async function createHome(): Promise<Home> {
  const home = homePaths(newHome())
  cleanUp.push(() => fs.rmSync(path.dirname(home.folder), { recursive: true, force: true }))
  await completeHome(home)
  return home
}

function startNode(home: Home, address: string, ...flags: readonly string[]): ChainNode {
  const node = startChainNode(home.folder, { ASSAY_LOG_LEVEL: 'info' }, [
    `--priv-validator-laddr=${address}`,
    '--consensus.block-interval=100ms',
    ...flags,
  ])
  cleanUp.push(() => node.process.kill('SIGKILL') && node.ended)
  return node
}

function keep(signer: SignerProcess): SignerProcess {
  cleanUp.push(() => signer.kill())
  return signer
}

async function rpcOf(node: ChainNode): Promise<string> {
  const urls = await node.ready
  if (urls === undefined) throw new Error((await node.ended).output)
  return urls.rpc
}

/** Resolves once the node has printed a text from now on. */
async function says(node: ChainNode, text: string): Promise<void> {
  let output = ''
  for (const stream of [node.process.stdout, node.process.stderr])
    stream?.on('data', (chunk) => (output += chunk))
  await eventually(() => output.includes(text) || undefined)
}

const reaches = (rpc: string, height: number) =>
  eventually(async () => ((await heightOf(rpc)) >= height ? true : undefined))

async function expectSound(home: Home): Promise<void> {
  const { code, output } = await runAssay(['node', 'check', '--home', home.folder])
  expect(output).toContain('are valid')
  expect(code).toBe(0)
}

test('whoever is killed, node or signer, no block is lost and no height signed twice', async () => {
  const home = await createHome()
  const signerHome = moveKey(home)
  const address = `tcp://127.0.0.1:${await freePort()}`
  const random = createRandom(SEED)
  let signer = keep(startSigner(signerHome, address, CHAIN))
  let node = startNode(home, address)
  let rpc = await rpcOf(node)
  let height = 0
  for (let kill = 0; kill < KILLS; kill++) {
    await reaches(rpc, height + 2)
    await sleep(120 * random())
    if (kill % 2 === 0) {
      node.process.kill('SIGKILL')
      await node.ended
      node = startNode(home, address)
      rpc = await rpcOf(node)
    } else {
      await signer.kill()
      height = await heightOf(rpc)
      // At most the block that was signed already; and reads go on.
      await sleep(500)
      expect(await heightOf(rpc)).toBeLessThanOrEqual(height + 1)
      signer = keep(startSigner(signerHome, address, CHAIN))
    }
    height = await heightOf(rpc)
  }
  await reaches(rpc, height + 2)
  expect(await stopChainNode(node)).toBe(0)
  expect(signer.output()).not.toContain('refused')
  await signer.kill('SIGTERM')
  await expectSound(home)
})

test.runIf(hasGoSigner())("CometBFT's own signer signs for the embedded engine", async () => {
  const home = await createHome()
  const signerHome = moveKey(home)
  for (const address of [
    `tcp://127.0.0.1:${await freePort()}`,
    `unix://${path.join(path.dirname(home.folder), 'signer.sock')}`,
  ]) {
    const node = startNode(home, address)
    // It gives up after a second in which nobody listens.
    await says(node, 'waiting for the remote signer')
    const signer = keep(startGoSigner(signerHome, address, CHAIN))
    const rpc = await rpcOf(node)
    await reaches(rpc, (await heightOf(rpc)) + 4)
    expect(await stopChainNode(node)).toBe(0)
    await signer.kill()
  }
  await expectSound(home)
})

test.runIf(isCometbftPresent).each(['tcp', 'unix'])(
  'a real CometBFT makes blocks with our signer over %s, waits for it, and goes on',
  async (kind) => {
    const home = await createHome()
    const signerHome = moveKey(home)
    const address =
      kind === 'tcp'
        ? `tcp://127.0.0.1:${await freePort()}`
        : `unix://${path.join(path.dirname(home.folder), 'signer.sock')}`
    const node = startNode(
      home,
      address,
      '--consensus.engine=cometbft',
      `--cometbft=${COMETBFT}`,
      '--p2p.laddr=tcp://127.0.0.1:0',
      '--state-sync.snapshot-interval=0',
    )
    await says(node, 'the remote signer is away')
    const signer = keep(startSigner(signerHome, address, CHAIN))
    const rpc = await rpcOf(node)
    await reaches(rpc, 3)
    await signer.kill()
    const height = await heightOf(rpc)
    await sleep(1000)
    expect(await heightOf(rpc)).toBeLessThanOrEqual(height + 1)
    keep(startSigner(signerHome, address, CHAIN))
    await reaches(rpc, height + 3)
    expect(await stopChainNode(node)).toBe(0)
  },
)
