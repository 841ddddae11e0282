// Holds D86.
/**
 * A home that commit 5d8649b made, opened by this program and killed at random points of the migration: in the end every
 * block is there as it was, and the chain goes on. ASSAY_TORTURE_RUNS says how often, ASSAY_TORTURE_SEED repeats a sequence.
 */
import { spawnSync } from 'node:child_process'
import fs from 'node:fs'
import path from 'node:path'
import { expect, test } from 'vitest'
import { newHome } from '../support/assay.ts'
import { auditChain } from '../support/chainAudit.ts'
import { startChainNode, stopChainNode, type NodeUrls } from './node.ts'
import { createRandom } from './random.ts'
import { recordCampaign, secondsSince } from './record.ts'

const RUNS = Number(process.env['ASSAY_TORTURE_RUNS'] ?? 2)
const SEED = Number(process.env['ASSAY_TORTURE_SEED'] ?? Date.now() % 1_000_000)
const HOME = path.join(import.meta.dirname, 'homes', '5d8649b.tar.gz')

/** The last height that the older program made. */
const HEIGHT = 14

/** Kills of one home before it may start. */
const KILLS = 3

const POINTS = [
  'transaction-open',
  'transaction-put',
  'transaction-put',
  'transaction-full',
  'transaction-committed',
] as const

function unpack(): string {
  const home = newHome()
  fs.mkdirSync(path.dirname(home), { recursive: true })
  const { stderr } = spawnSync('tar', ['-xzf', HOME, '-C', path.dirname(home)], {
    encoding: 'utf8',
  })
  expect(stderr).toBe('')
  return home
}

/** What the blocks of the older program are, as both interfaces serve them. */
async function blocksOf({ rpc, comet }: NodeUrls): Promise<readonly unknown[]> {
  const blocks: unknown[] = []
  for (let height = 1; height <= HEIGHT; height++) {
    const commit = (await (await fetch(`${comet}/commit?height=${height}`)).json()) as {
      result: { signed_header: unknown }
    }
    const response = await fetch(rpc, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({
        jsonrpc: '2.0',
        id: 1,
        method: 'eth_getBlockReceipts',
        params: [`0x${height.toString(16)}`],
      }),
    })
    blocks.push(commit.result.signed_header, await response.json())
  }
  return blocks
}

/** Starts the home, reads its old blocks, and stops it. */
async function open(home: string): Promise<readonly unknown[]> {
  const node = startChainNode(home)
  const urls = await node.ready
  if (urls === undefined) throw new Error((await node.ended).output)
  const blocks = await blocksOf(urls)
  expect(await stopChainNode(node)).toBe(0)
  return blocks
}

test(
  `${RUNS} homes of 5d8649b, each killed ${KILLS} times while it is upgraded, keep every block`,
  { timeout: 120_000 + RUNS * 60_000 },
  async () => {
    const random = createRandom(SEED)
    const reference = unpack()
    const expected = await open(reference)
    fs.rmSync(path.dirname(reference), { recursive: true, force: true })
    const recovery: number[] = []
    let kills = 0
    let lost = 0
    for (let run = 0; run < RUNS; run++) {
      const home = unpack()
      for (let kill = 0; kill < KILLS; kill++) {
        const point = POINTS[Math.floor(random() * POINTS.length)] ?? POINTS[0]
        const most = point === 'transaction-put' ? 600 : 4
        const fault = `kill@${point}#${1 + Math.floor(random() * most)}`
        const node = startChainNode(home, { ASSAY_FAULT: fault })
        // A point beyond the migration comes with the first blocks, or not at all.
        if ((await node.ready) !== undefined) node.process.kill('SIGKILL')
        const { signal, output } = await node.ended
        expect(signal, output).toBe('SIGKILL')
        kills++
      }
      const start = performance.now()
      const blocks = await open(home)
      recovery.push(secondsSince(start))
      if (JSON.stringify(blocks) !== JSON.stringify(expected)) lost++
      const { tip, faults } = await auditChain(home)
      expect(faults, `seed ${SEED}, run ${run}`).toEqual([])
      expect(tip).toBeGreaterThan(HEIGHT)
      fs.rmSync(path.dirname(home), { recursive: true, force: true })
    }
    recordCampaign('old-home', {
      fault: 'SIGKILL at random points of the upgrade of a home made by 5d8649b',
      runs: kills,
      lost,
      recovery,
      note: `seed ${SEED}; ${RUNS} homes, every block and receipt compared`,
    })
    expect(lost).toBe(0)
  },
)
