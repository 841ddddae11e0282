/** What one process does meanwhile: the longest stretch of its event loop, and its memory after a collection. */
import fs from 'node:fs'
import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import { WebSocket } from 'ws'
import { eventually } from '../support/assay.ts'
import { sentAgain } from '../support/rpcTransports.ts'

const MAX_DELAY = /assay_event_loop_delay_seconds\{quantile="1"\} (\S+)/

/** After each scrape the histogram needs a turn of its timer, of 20 ms, before it measures again. */
const BLIND_MS = 50

/** Collections, four a second. */
const TURNS = 60

export type Meter = {
  /** Waits until it measures again after the last stretch. */
  ready(): Promise<void>
  /**
   * Milliseconds of the longest stretch since the last call. The loop's own delay counts, as far as the main thread ran: the
   * time in which the machine let it wait for a processor is not the program's.
   */
  stretchMs(): Promise<number>
  /**
   * Resident bytes after collections of garbage: the least that is seen within some seconds, or the first that is at most
   * `goal`. Threads besides the main one collect theirs when they are idle.
   */
  residentBytes(goal?: number): Promise<number>
}

/** Seconds that the main thread of a process has run. Throws when the process has ended: another one in its place does not count. */
function ranSeconds(pid: number): number {
  const [ran = '0'] = fs.readFileSync(`/proc/${pid}/task/${pid}/schedstat`, 'utf8').split(' ')
  return Number(ran) / 1e9
}

function residentOf(pid: number): number {
  const [, kilobytes = '0'] =
    /^VmRSS:\s+(\d+)/m.exec(fs.readFileSync(`/proc/${pid}/status`, 'utf8')) ?? []
  return Number(kilobytes) * 1024
}

/** Has the process of an inspector collect its garbage. */
async function collect(inspector: string): Promise<void> {
  const socket = new WebSocket(inspector)
  await once(socket, 'open')
  socket.send(JSON.stringify({ id: 1, method: 'HeapProfiler.collectGarbage' }))
  await once(socket, 'message')
  socket.close()
}

/** Watches a process by its metrics and its inspector. */
export function meterOf(target: {
  readonly pid: number
  readonly metrics: string
  readonly inspector: string
}): Meter {
  let ran = ranSeconds(target.pid)
  let scraped = performance.now()
  return {
    async ready() {
      const left = scraped + BLIND_MS - performance.now()
      if (left > 0) await sleep(left)
    },
    async stretchMs() {
      const text = await (await sentAgain(() => fetch(`${target.metrics}/metrics`))).text()
      const delay = Number(MAX_DELAY.exec(text)?.[1]) * 1000
      const now = ranSeconds(target.pid)
      const busy = (now - ran) * 1000
      ran = now
      scraped = performance.now()
      return Math.min(delay, busy)
    },
    async residentBytes(goal = Infinity) {
      let least = Infinity
      // What was freed goes back to the system in the background.
      for (let turn = 0; turn < 4 || (least > goal && turn < TURNS); turn++) {
        await collect(target.inspector)
        await sleep(250)
        least = Math.min(least, residentOf(target.pid))
      }
      return least
    },
  }
}

/** A child of a process, by what its command line has. */
export function childOf(parent: number, words: string): number {
  const children = fs.readFileSync(`/proc/${parent}/task/${parent}/children`, 'utf8').trim()
  const found = children
    .split(' ')
    .map(Number)
    .find((pid) => fs.readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes(words))
  if (found === undefined) throw new Error(`no child of ${parent} runs ${words}`)
  return found
}

/** The inspector of a program, as it says in its log or output. */
export function inspectorIn(read: () => string): Promise<string> {
  return eventually(() => /Debugger listening on (ws:\/\/[\w.:/-]+)/.exec(read())?.[1])
}
