import { expect, onTestFinished, test, vi } from 'vitest'
import { createWorkerRunner } from './workerRunner.ts'

type Request = 'echo' | 'loop' | 'throw'

const WORKER = `
import { parentPort } from 'node:worker_threads'
parentPort.on('message', (request) => {
  if (request === 'loop') for (;;) {}
  if (request === 'throw') throw new Error('a fault')
  parentPort.postMessage(request)
})
parentPort.postMessage('ready')
`
const TIMEOUT_MS = 5000

function createRig(queueLimit = 10) {
  const stop = new AbortController()
  onTestFinished(() => stop.abort())
  const faults: string[] = []
  const run = createWorkerRunner<Request, string>(
    {
      file: new URL(`data:text/javascript,${encodeURIComponent(WORKER)}`),
      workerData: undefined,
      timeoutMs: TIMEOUT_MS,
      timeoutMessage: 'this took too long',
      queueLimit,
      queueMs: 60_000,
      heapMb: 64,
    },
    { workers: 1, signal: stop.signal, onFault: (message) => faults.push(message) },
  )
  return { run, faults, stop: () => stop.abort() }
}

test('a request that takes too long is error -32002, in the words of its task', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  onTestFinished(() => void vi.useRealTimers())
  const { run, faults } = createRig()
  expect(await run('echo')).toBe('echo')
  const endless = run('loop')
  vi.advanceTimersByTime(TIMEOUT_MS)
  await expect(endless).rejects.toMatchObject({ code: -32002, message: 'this took too long' })
  expect(await run('echo')).toBe('echo')
  expect(faults).toEqual([])
})

test('requests beyond the queue are error -32005, and a stop ends the others with -32000', async () => {
  const { run, faults, stop } = createRig(1)
  const accepted = Promise.allSettled([run('loop'), run('echo')])
  await expect(run('echo')).rejects.toMatchObject({ code: -32005 })
  stop()
  for (const result of await accepted)
    expect(result).toMatchObject({ status: 'rejected', reason: { code: -32000 } })
  await expect(run('echo')).rejects.toMatchObject({ code: -32000 })
  expect(faults).toEqual([])
})

test('a fault of a thread is error -32603, and only the node learns its reason', async () => {
  const { run, faults } = createRig()
  await expect(run('throw')).rejects.toMatchObject({ code: -32603, message: 'internal error' })
  expect(faults).toEqual(['a fault'])
})
