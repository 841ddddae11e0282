/**
 * Crashes under load, in the short. What was shown to a client once must be there for ever, and alike: receipts with their
 * block hashes, jobs, results. The chain must go on from its last block, and every process must find the others again.
 */
import fs from 'node:fs'
import path from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { hasLlamaRuntime } from '../../src/inference/llamaRuntime.ts'
import { eventually, newHome, post, rpc, startAssay, type Running } from '../support/assay.ts'
import { auditChain } from '../support/chainAudit.ts'
import { childrenOf, isAlive } from '../support/processes.ts'

const hasModelRuntime = hasLlamaRuntime()

/** Command lines of the processes that are killed, some of them together. */
const VICTIMS = [
  [/main\.js node/],
  [/main\.js dispatcher/, /main\.js worker/, /operators\/opml/],
  [/^\S+\/bin\/postgres -D/],
]

/** What clients were shown, as JSON. */
type Shown = { readonly receipts: Map<unknown, string>; readonly jobs: Set<unknown> }

/** Sends transactions one after the other and reads their receipts; what a crash interrupts is simply tried again. */
async function sendTransactions(
  system: () => Running,
  shown: Shown,
  sender: number,
  stop: AbortSignal,
) {
  while (!stop.aborted) {
    try {
      const { up } = system()
      const [from, to] = [up.accounts[sender]?.address, up.accounts[sender + 1]?.address]
      const sent = await rpc(up.rpc, 'eth_sendTransaction', [{ from, to, value: '0x1' }])
      const receipt = await eventually(async () => {
        const { result } = await rpc(up.rpc, 'eth_getTransactionReceipt', [sent.result])
        return result ?? undefined
      }, 2)
      shown.receipts.set(sent.result, JSON.stringify(receipt))
    } catch {
      await new Promise((resolve) => setTimeout(resolve, 50))
    }
  }
}

async function submitJobs(system: () => Running, shown: Shown, stop: AbortSignal) {
  for (let count = 0; !stop.aborted; count++) {
    try {
      const { up } = system()
      const tag = count % 2 === 0 ? 'opml' : 'tee'
      const job = { tag, prompt: `${count}`, model: 'tiny.gguf', params: { max_tokens: 2 } }
      const answer = await post(`${up.dispatcher}/api/job/submit`, {
        from: up.project,
        verify: up.token,
        job,
      })
      if (answer.status === 200) shown.jobs.add(answer.body.result)
    } catch {
      // The dispatcher is away: the job was not acknowledged.
    }
    await new Promise((resolve) => setTimeout(resolve, 100))
  }
}

/** Waits until more receipts and jobs are shown than now: everything that a client needs works. */
async function progress({ receipts, jobs }: Shown): Promise<void> {
  const [receiptsNow, jobsNow] = [receipts.size, jobs.size]
  await eventually(() => (receipts.size > receiptsNow + 8 && jobs.size > jobsNow + 2) || undefined)
}

async function expectEverything(system: Running, { receipts, jobs }: Shown): Promise<void> {
  const { up } = system
  for (const [hash, receipt] of receipts) {
    const again = await rpc(up.rpc, 'eth_getTransactionReceipt', [hash])
    expect(JSON.stringify(again.result)).toBe(receipt)
  }
  for (const id of jobs) {
    const rows = await eventually(async () => {
      const { status, body } = await post(`${up.dispatcher}/api/job/result`, { job_id: id })
      expect(status).toBe(200)
      const list = body.result as { operator: string }[]
      return list.length > 0 || !hasModelRuntime ? list : undefined
    })
    expect(new Set(rows.map(({ operator }) => operator)).size).toBe(rows.length)
  }
}

// Holds D55.
test.runIf(process.platform === 'linux')(
  'whatever is killed, nothing that was shown is lost, and all of it comes back by itself',
  async () => {
    const home = newHome()
    let system = await startAssay(home)
    const shown: Shown = { receipts: new Map(), jobs: new Set() }
    const load = new AbortController()
    const loops = [
      sendTransactions(() => system, shown, 0, load.signal),
      sendTransactions(() => system, shown, 2, load.signal),
      submitJobs(() => system, shown, load.signal),
    ]
    onTestFinished(async () => {
      load.abort()
      await Promise.all(loops)
      await system.stop()
      fs.rmSync(path.dirname(home), { recursive: true, force: true })
    })

    for (const victims of VICTIMS) {
      await progress(shown)
      for (const victim of victims) {
        const [pid] = [...childrenOf(system.up.pid)].find(([, line]) => victim.test(line)) ?? []
        expect(pid).toBeDefined()
        process.kill(pid ?? 0, 'SIGKILL')
      }
    }
    await progress(shown)

    const children = [...childrenOf(system.up.pid).keys()]
    expect(children.length).toBeGreaterThan(5)
    system.process.kill('SIGKILL')
    await eventually(() => (children.some(isAlive) ? undefined : true))
    system = await startAssay(home)
    await progress(shown)
    load.abort()
    await Promise.all(loops)
    await expectEverything(system, shown)

    expect(await system.stop()).toBe(0)
    const { tip, faults } = await auditChain(home)
    expect(faults).toEqual([])
    expect(tip).toBeGreaterThan(10)
  },
  600_000,
)
