/** A dispatcher in a process of its own, so that what it takes in memory and time is told apart from what its callers take. */
import { fork } from 'node:child_process'
import fs from 'node:fs'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { pino } from 'pino'
import { runDispatcher, type DispatcherOptions } from '../../src/jobs/dispatcher/dispatcher.ts'

/** What a process took since the last time it was asked. */
export type Taken = {
  /** Longest stretch of the event loop, as far as the main thread ran. */
  readonly stretchMs: number
  /** Resident memory at its highest, and after a collection of garbage. */
  readonly peakMiB: number
  readonly restMiB: number
}

export type DispatcherProcess = {
  readonly httpAddress: string
  readonly operatorAddress: string
  readonly dispatcherAddress: string
  measure(): Promise<Taken>
  stop(): Promise<void>
}

/** Starts it with options of a dispatcher that has run before. Rejects when it ends at once. */
export async function forkDispatcher(options: DispatcherOptions): Promise<DispatcherProcess> {
  const text = JSON.stringify({ ...options, chainId: String(options.chainId) })
  const child = fork(fileURLToPath(import.meta.url), ['dispatcher', text], {
    execArgv: [...process.execArgv, '--expose-gc'],
  })
  const ask = async <T>(question: string): Promise<T> => {
    child.send(question)
    const [answer] = (await once(child, 'message')) as [T]
    return answer
  }
  const addresses = await Promise.race([
    once(child, 'message').then(([message]) => message as Record<string, string>),
    once(child, 'exit').then(() => Promise.reject(new Error('the dispatcher ended'))),
  ])
  return {
    httpAddress: addresses['httpAddress'] ?? '',
    operatorAddress: addresses['operatorAddress'] ?? '',
    dispatcherAddress: addresses['dispatcherAddress'] ?? '',
    measure: () => ask<Taken>('measure'),
    async stop() {
      child.send('stop')
      await once(child, 'exit')
    },
  }
}

const SAMPLE_MS = 20
const MIB = 2 ** 20

/** Milliseconds that the main thread has run. */
function ranMs(): number {
  const [ran = '0'] = fs.readFileSync(`/proc/self/task/${process.pid}/schedstat`, 'utf8').split(' ')
  return Number(ran) / 1e6
}

async function serve(text: string): Promise<void> {
  const given = JSON.parse(text) as Omit<DispatcherOptions, 'chainId'> & { chainId: string }
  const dispatcher = await runDispatcher(
    { ...given, chainId: BigInt(given.chainId) },
    { log: pino({ level: 'silent' }) },
  )
  const { httpAddress, operatorAddress, dispatcherAddress } = dispatcher
  let peak = 0
  let stretchMs = 0
  let [at, ran] = [performance.now(), ranMs()]
  const sample = (): void => {
    const [now, busy] = [performance.now(), ranMs()]
    // The time in which the machine let the thread wait for a processor is not the dispatcher's.
    stretchMs = Math.max(stretchMs, Math.min(now - at, busy - ran))
    peak = Math.max(peak, process.memoryUsage.rss())
    ;[at, ran] = [now, busy]
  }
  setInterval(sample, SAMPLE_MS)
  process.on('message', (question) => {
    if (question === 'stop') void dispatcher.close().then(() => process.exit(0))
    else {
      sample()
      const taken = stretchMs
      global.gc?.()
      const answer: Taken = {
        stretchMs: taken,
        peakMiB: peak / MIB,
        restMiB: process.memoryUsage.rss() / MIB,
      }
      process.send?.(answer)
      // What the collection itself took does not count.
      ;[peak, stretchMs, at, ran] = [0, 0, performance.now(), ranMs()]
    }
  })
  process.on('disconnect', () => process.exit(0))
  process.send?.({ httpAddress, operatorAddress, dispatcherAddress })
}

if (process.argv[2] === 'dispatcher') await serve(process.argv[3] ?? '')
