/**
 * Crashes of the chain node under load: SIGKILL at random moments and at every named point between the writes of a block.
 * ASSAY_TORTURE_RUNS says how often (npm run torture: 500), ASSAY_TORTURE_SEED repeats a sequence.
 */
import fs from 'node:fs'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
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

const RUNS = Number(process.env['ASSAY_TORTURE_RUNS'] ?? 50)
const SEED = Number(process.env['ASSAY_TORTURE_SEED'] ?? Date.now() % 1_000_000)

/** Runs that share a home: a later one starts where many crashes have been, the first one on nothing. */
const RUNS_PER_HOME = 50

/** Longest life of a node whose fault does not come. */
const PATIENCE_MS = 10_000

const POINTS = [
  'transaction-open',
  'transaction-put',
  'transaction-full',
  'transaction-committed',
  'sign-created',
  'sign-written',
  'sign-synced',
  'sign-renamed',
  'sign-durable',
] as const

type Plan =
  | { readonly kind: 'point'; readonly fault: string }
  /** Milliseconds from the start of the process, or from when it answers. */
  | { readonly kind: 'start' | 'load'; readonly delay: number }

function planOf(run: number, random: () => number): Plan {
  const upTo = (limit: number) => 1 + Math.floor(random() * limit)
  if (run % 2 === 0) {
    const point = POINTS[(run / 2) % POINTS.length] ?? POINTS[0]
    return {
      kind: 'point',
      fault: `kill@${point}#${upTo(point === 'transaction-put' ? 1500 : 25)}`,
    }
  }
  return run % 8 === 1 ? { kind: 'start', delay: upTo(900) } : { kind: 'load', delay: upTo(1200) }
}

function recordKills(runs: number, faults: readonly string[], recovery: readonly number[]): void {
  recordCampaign('kills', {
    fault: 'SIGKILL of the node under load, at random moments and between any two writes',
    runs,
    ...countFaults(faults),
    recovery,
    note: `seed ${SEED}; every receipt, block and signature that was shown is compared afterwards`,
  })
}

test(
  `${RUNS} kills leave nothing half done, nothing lost and nothing signed twice`,
  { timeout: 120_000 + RUNS * 30_000 },
  async () => {
    const random = createRandom(SEED)
    const kills: Record<string, number> = {}
    const totals = { blocks: 0, receipts: 0, signatures: 0 }
    const recovery: number[] = []
    const changed: string[] = []
    const count = (what: string) => (kills[what] = (kills[what] ?? 0) + 1)

    for (let first = 0; first < RUNS; first += RUNS_PER_HOME) {
      const home = newHome()
      await completeHome(homePaths(home))
      const witness = createWitness(random)

      for (let run = first; run < Math.min(RUNS, first + RUNS_PER_HOME); run++) {
        const plan = planOf(run, random)
        const started = performance.now()
        const node = startChainNode(home, plan.kind === 'point' ? { ASSAY_FAULT: plan.fault } : {})
        const stopping = new AbortController()
        if (plan.kind === 'start') void sleep(plan.delay).then(() => node.process.kill('SIGKILL'))
        const urls = await node.ready
        if (urls !== undefined && run > first) recovery.push(secondsSince(started))
        let load: Promise<unknown> | undefined
        if (urls !== undefined) {
          await witness.ask(urls, false).catch(() => undefined)
          load = loadNode(urls, witness, stopping.signal)
          if (plan.kind === 'load') void sleep(plan.delay).then(() => node.process.kill('SIGKILL'))
        }
        let isImpatient = false
        const patience = setTimeout(() => {
          isImpatient = true
          node.process.kill('SIGKILL')
        }, PATIENCE_MS)
        const { signal, output } = await node.ended
        clearTimeout(patience)
        stopping.abort()
        await load
        if (signal !== 'SIGKILL') witness.faults.push(`run ${run} ended by itself: ${output}`)
        count(
          isImpatient
            ? 'unreached'
            : plan.kind === 'point'
              ? plan.fault.replace(/#.*/, '')
              : plan.kind,
        )
        await witness.inspect(home)
        changed.push(...witness.faults)
        if (witness.faults.length > 0) recordKills(run + 1, changed, recovery)
        expect(witness.faults, `seed ${SEED}, run ${run}, ${JSON.stringify(plan)}`).toEqual([])
      }

      const node = startChainNode(home)
      const urls = await node.ready
      if (urls === undefined) throw new Error((await node.ended).output)
      await witness.ask(urls, true)
      expect(await stopChainNode(node)).toBe(0)
      const { tip, faults } = await auditChain(home)
      expect([...witness.faults, ...faults]).toEqual([])
      const { receipts, signatures } = witness.counts()
      totals.blocks += tip
      totals.receipts += receipts
      totals.signatures += signatures
      fs.rmSync(path.dirname(home), { recursive: true, force: true })
    }

    recordKills(RUNS, changed, recovery)
    // The counts are the result of this test: a run without them says nothing.
    console.info(`seed ${SEED}: ${JSON.stringify({ kills, ...totals })}`)
    expect(totals.receipts).toBeGreaterThan(RUNS)
  },
)
