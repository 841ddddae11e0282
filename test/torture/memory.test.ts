/**
 * Memory that runs out: a node under load whose JavaScript may use so little that V8 ends the process, at whatever moment that
 * is. ASSAY_TORTURE_RUNS says how often (npm run torture: 500). The kernel's own way, SIGKILL, is in crash.test.ts.
 */
import fs from 'node:fs'
import path from 'node:path'
import { expect, test } from 'vitest'
import { completeHome } from '../../src/cli/newHome.ts'
import { homePaths } from '../../src/config/home.ts'
import { newHome } from '../support/assay.ts'
import { auditChain } from '../support/chainAudit.ts'
import { loadNode } from './load.ts'
import { startChainNode, stopChainNode } from './node.ts'
import { createRandom } from './random.ts'
import { countFaults, recordCampaign, secondsSince } from './record.ts'
import { createWitness } from './witness.ts'

const RUNS = Math.max(3, Math.round(Number(process.env['ASSAY_TORTURE_RUNS'] ?? 50) / 16))
const SEED = Number(process.env['ASSAY_TORTURE_SEED'] ?? Date.now() % 1_000_000)

/** Longest life of a node that does with what it has. */
const PATIENCE_MS = 20_000
/** What JavaScript may take, in MiB: room for the node, not for what is taken beside it. */
const HEAP_MIB = 128

test(
  `${RUNS} times without memory leave nothing half done, nothing lost and nothing signed twice`,
  { timeout: 120_000 + RUNS * 30_000 },
  async () => {
    const random = createRandom(SEED)
    const home = newHome()
    await completeHome(homePaths(home))
    const witness = createWitness(random)
    const recovery: number[] = []
    for (let run = 0; run < RUNS; run++) {
      const started = performance.now()
      const node = startChainNode(home, {
        ASSAY_HOARD: String(1 + Math.floor(random() * 2500)),
        NODE_OPTIONS: `--max-old-space-size=${HEAP_MIB}`,
      })
      const patience = setTimeout(() => node.process.kill('SIGKILL'), PATIENCE_MS)
      const urls = await node.ready
      const stopping = new AbortController()
      if (urls !== undefined && run > 0) recovery.push(secondsSince(started))
      const load = urls && loadNode(urls, witness, stopping.signal)
      const { output } = await node.ended
      clearTimeout(patience)
      stopping.abort()
      await load
      expect(output, `seed ${SEED}, run ${run}`).toContain('heap out of memory')
      await witness.inspect(home)
    }
    const node = startChainNode(home)
    const urls = await node.ready
    if (urls === undefined) throw new Error((await node.ended).output)
    await witness.ask(urls, true)
    expect(await stopChainNode(node)).toBe(0)
    const { faults } = await auditChain(home)
    const all = [...witness.faults, ...faults]
    recordCampaign('memory', {
      fault: 'memory that runs out under load, so that V8 ends the process',
      runs: RUNS,
      ...countFaults(all),
      recovery,
      note: `seed ${SEED}; every receipt, block and signature that was shown is compared afterwards`,
    })
    expect(all, `seed ${SEED}`).toEqual([])
    fs.rmSync(path.dirname(home), { recursive: true, force: true })
  },
)
