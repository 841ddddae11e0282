/** Disks that fail or are full, and a clock that is set back: the node ends or goes on, and the chain stays whole. */
import { spawnSync } from 'node:child_process'
import fs from 'node:fs'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { completeHome } from '../../src/cli/newHome.ts'
import { homePaths } from '../../src/config/home.ts'
import { eventually, newHome } from '../support/assay.ts'
import { auditChain } from '../support/chainAudit.ts'
import { loadNode } from './load.ts'
import { startChainNode, stopChainNode, type ChainNode } from './node.ts'
import { countFaults, recordCampaign, secondsSince } from './record.ts'
import { createWitness, type Witness } from './witness.ts'

let home: string
let witness: Witness
beforeEach(async () => {
  home = newHome()
  await completeHome(homePaths(home))
  witness = createWitness(Math.random)
})
afterEach(() => fs.rmSync(path.dirname(home), { recursive: true, force: true }))

/** Loads a node until it ends. */
async function loadUntilEnd(node: ChainNode) {
  const urls = await node.ready
  const stopping = new AbortController()
  const load = urls && loadNode(urls, witness, stopping.signal)
  const ending = await node.ended
  stopping.abort()
  await load
  return ending
}

const outcomes = new Map<string, { faults: string[]; recovery: number[] }>()

/** A start after a fault finds everything that was shown, and a whole chain. */
async function expectWhole(fault: string): Promise<void> {
  await witness.inspect(home)
  const started = performance.now()
  const node = startChainNode(home)
  const urls = await node.ready
  if (urls === undefined) throw new Error((await node.ended).output)
  const outcome = outcomes.get(fault) ?? { faults: [], recovery: [] }
  outcome.recovery.push(secondsSince(started))
  await witness.ask(urls, true)
  expect(await stopChainNode(node)).toBe(0)
  const { faults } = await auditChain(home)
  outcome.faults.push(...witness.faults, ...faults)
  outcomes.set(fault, outcome)
  recordCampaign(fault.replaceAll(' ', '-'), {
    fault,
    runs: outcome.recovery.length,
    ...countFaults(outcome.faults),
    recovery: outcome.recovery,
    note: 'the node ends with a sentence; a start afterwards finds everything that was shown',
  })
  expect([...witness.faults, ...faults]).toEqual([])
}

test.each([
  'EIO@transaction-full#12',
  'EIO@transaction-committed#12',
  'ENOSPC@sign-created#12',
  'EIO@sign-written#12',
  'EIO@sign-synced#12',
  'EIO@sign-renamed#12',
  'EIO@sign-durable#12',
])('after %s the node ends at once, and a restart finds what was shown', async (fault) => {
  const { code, output } = await loadUntilEnd(startChainNode(home, { ASSAY_FAULT: fault }))
  expect(code).toBe(1)
  expect(output).toContain('injected')
  await expectWhole('disks that fail or are full between any two writes')
})

const canMount = process.platform === 'linux' && process.getuid?.() === 0

test.runIf(canMount)(
  'a full disk ends the node with a word about it, and space brings it back',
  async () => {
    const { data } = homePaths(home)
    const mount = (options: string) =>
      spawnSync('mount', ['-t', 'tmpfs', '-o', options, 'tmpfs', data], { encoding: 'utf8' })
    const signState = fs.readFileSync(homePaths(home).validatorState)
    const mounted = mount('size=2m,mode=700')
    expect(mounted.stderr).toBe('')
    try {
      fs.writeFileSync(homePaths(home).validatorState, signState, { mode: 0o600 })
      const { code, output } = await loadUntilEnd(startChainNode(home))
      expect(code).toBe(1)
      expect(output).toMatch(/could not be written: .*bytes free|ENOSPC/)
      expect(mount('remount,size=64m').stderr).toBe('')
      await expectWhole('full disks')
    } finally {
      spawnSync('umount', [data])
    }
  },
)

async function timeOf(comet: string, height: string): Promise<number> {
  const response = await fetch(`${comet}/block?height=${height}`)
  const { result } = (await response.json()) as {
    result: { block: { header: { time: string } } }
  }
  return Date.parse(result.block.header.time)
}

async function heightBeyond(comet: string, height: number): Promise<number> {
  return await eventually(async () => {
    const response = await fetch(`${comet}/status`)
    const { result } = (await response.json()) as {
      result: { sync_info: { latest_block_height: string } }
    }
    const latest = Number(result.sync_info.latest_block_height)
    return latest > height ? latest : undefined
  })
}

const DAY_MS = 86_400_000

/** The chain is whole after its clock was moved. */
async function expectWholeByClock(what: string, runs: number): Promise<void> {
  const { faults } = await auditChain(home)
  recordCampaign(`clock-${what.split(' ', 1)[0] ?? ''}`, {
    fault: `a clock that ${what}`,
    runs,
    ...countFaults(faults),
    recovery: [],
    note: 'times of blocks go on growing, by the time that passes; a start by a wrong clock wants to be confirmed',
  })
  expect(faults).toEqual([])
}

test('a clock that jumps by 400 days moves no block, and a start by such a clock wants to be confirmed', async () => {
  const jump = { ASSAY_CLOCK_SHIFT: String(400 * DAY_MS) }
  const first = startChainNode(home, { ...jump, ASSAY_CLOCK_SHIFT_SIGNAL: 'SIGUSR2' })
  const urls = await first.ready
  if (urls === undefined) throw new Error((await first.ended).output)
  first.process.kill('SIGUSR2')
  const height = await heightBeyond(urls.comet, (await heightBeyond(urls.comet, 0)) + 4)
  for (const each of [1, height])
    expect(Math.abs((await timeOf(urls.comet, String(each))) - Date.now())).toBeLessThan(
      DAY_MS / 24,
    )
  await stopChainNode(first)
  expect((await first.ended).output).toContain('jumped ahead and is not followed')

  const { code, output } = await startChainNode(home, jump).ended
  expect(code).not.toBe(0)
  expect(output).toContain('the last block is 400 days old by the clock of this machine')
  const accepted = startChainNode(home, jump, ['--consensus.accept-clock=true'])
  const after = await accepted.ready
  if (after === undefined) throw new Error((await accepted.ended).output)
  const last = await heightBeyond(after.comet, height + 2)
  expect(await timeOf(after.comet, String(last))).toBeGreaterThan(Date.now() + 399 * DAY_MS)
  await stopChainNode(accepted)
  await expectWholeByClock('jumps by 400 days, while the node runs and before it starts', 2)
})

test('after a clock is set back by an hour, times go on growing', async () => {
  const first = startChainNode(home)
  const before = await first.ready
  await sleep(1500)
  await stopChainNode(first)

  const second = startChainNode(home, { ASSAY_CLOCK_SHIFT: '-3600000' })
  const after = await second.ready
  if (before === undefined || after === undefined) throw new Error('not ready')
  const heights = await heightBeyond(after.comet, 5)
  const times: number[] = []
  for (let height = 1; height <= heights; height++)
    times.push(await timeOf(after.comet, String(height)))
  for (const [index, time] of times.entries())
    if (index > 0) expect(time).toBeGreaterThan(times[index - 1] ?? 0)
  await stopChainNode(second)
  await expectWholeByClock('is set back by an hour', 1)
})
