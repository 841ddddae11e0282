import { expect, onTestFinished, test, vi } from 'vitest'
import {
  createWorkerPool,
  WorkerPoolError,
  type WorkerPool,
  type WorkerPoolOptions,
} from './workerPool.ts'

type Request = 'echo' | 'loop' | 'throw' | 'exit' | 'miss'

const WORKER = `
import { parentPort, threadId, workerData } from 'node:worker_threads'
parentPort.on('message', (request) => {
  if (request === 'loop') for (;;) {}
  if (request === 'throw') throw new Error('a fault')
  if (request === 'exit') process.exit(1)
  if (request === 'miss')
    parentPort.postMessage({ absent: [{ tip: 3, keys: Uint8Array.of(1, 9) }] })
  parentPort.postMessage({ request, threadId, workerData })
})
parentPort.postMessage('ready')
`

type Answer = { readonly request: string; readonly threadId: number; readonly workerData: unknown }

function createPool(options: Partial<WorkerPoolOptions> = {}): WorkerPool<Request, Answer> {
  const stop = new AbortController()
  onTestFinished(() => stop.abort())
  return createWorkerPool<Request, Answer>({
    file: new URL(`data:text/javascript,${encodeURIComponent(WORKER)}`),
    workerData: 'what it needs',
    size: 2,
    timeoutMs: 60_000,
    idleMs: 60_000,
    startupMs: 60_000,
    queueLimit: 100,
    queueMs: 60_000,
    heapMb: 64,
    signal: stop.signal,
    ...options,
  })
}

/** From here on the test controls the time: a thread may take long to start without exceeding any limit. */
function stopTime(): void {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] })
  onTestFinished(() => void vi.useRealTimers())
}

test('requests are answered by at most so many threads', async () => {
  const pool = createPool()
  const answers = await Promise.all(Array.from({ length: 20 }, () => pool.run('echo')))
  expect(answers[0]).toMatchObject({ request: 'echo', workerData: 'what it needs' })
  expect(new Set(answers.map(({ threadId }) => threadId)).size).toBeLessThanOrEqual(2)
})

test('a request that never ends is stopped, and the pool refills', async () => {
  stopTime()
  const pool = createPool({ size: 1, timeoutMs: 200 })
  const { threadId } = await pool.run('echo')
  const looping = pool.run('loop')
  vi.advanceTimersByTime(200)
  await expect(looping).rejects.toMatchObject({ reason: 'timeout' })
  const after = await pool.run('echo')
  expect(after.threadId).not.toBe(threadId)
})

test.each(['throw', 'exit'] as const)(
  'a thread that dies by %s fails its own request only',
  async (end) => {
    const pool = createPool({ size: 1 })
    const [failed, answered] = await Promise.allSettled([pool.run(end), pool.run('echo')])
    expect(failed).toMatchObject({ status: 'rejected', reason: { reason: 'failed' } })
    expect(answered.status).toBe('fulfilled')
  },
)

test('a file that does not load fails the request and nothing else', async () => {
  const pool = createPool({ file: new URL('data:text/javascript,throw new Error("broken")') })
  await expect(pool.run('echo')).rejects.toMatchObject({ reason: 'failed', message: 'broken' })
})

test('a file that never gets ready fails the request', async () => {
  const file = new URL('data:text/javascript,setInterval(() => {}, 1000)')
  stopTime()
  const pool = createPool({ file, startupMs: 300 })
  const request = pool.run('echo')
  vi.advanceTimersByTime(300)
  await expect(request).rejects.toMatchObject({ reason: 'failed' })
})

test('beyond the queue limit, and after too long in the queue, requests are refused', async () => {
  stopTime()
  const pool = createPool({ size: 1, queueLimit: 1, timeoutMs: 300, queueMs: 100 })
  await pool.run('echo')
  const looping = pool.run('loop')
  const waiting = pool.run('echo')
  await expect(pool.run('echo')).rejects.toMatchObject({ reason: 'busy' })
  vi.advanceTimersByTime(300)
  await expect(looping).rejects.toMatchObject({ reason: 'timeout' })
  await expect(waiting).rejects.toMatchObject({ reason: 'busy' })
})

test('a thread that was idle for long ends, and the next request starts another', async () => {
  stopTime()
  const pool = createPool({ size: 1, idleMs: 20 })
  const { threadId } = await pool.run('echo')
  vi.advanceTimersByTime(19)
  expect((await pool.run('echo')).threadId).toBe(threadId)
  vi.advanceTimersByTime(20)
  expect(pool.load().threads).toBe(0)
  expect((await pool.run('echo')).threadId).not.toBe(threadId)
})

test('the stop ends running and waiting requests', async () => {
  const stop = new AbortController()
  const pool = createPool({ size: 1, signal: stop.signal })
  const requests = Promise.allSettled([pool.run('loop'), pool.run('echo')])
  stop.abort()
  for (const result of await requests)
    expect(result).toMatchObject({ status: 'rejected', reason: { reason: 'stopped' } })
  await expect(pool.run('echo')).rejects.toBeInstanceOf(WorkerPoolError)
})

test('what a thread found nothing under is confirmed before its answer, which is withheld otherwise', async () => {
  const asked: number[] = []
  let isDamaged = false
  const pool = createPool({
    size: 1,
    confirm({ tip, keys }) {
      asked.push(tip, ...keys)
      if (isDamaged) throw new Error('the store is damaged')
    },
  })
  expect((await pool.run('miss')).request).toBe('miss')
  expect(asked).toEqual([3, 1, 9])
  isDamaged = true
  await expect(pool.run('miss')).rejects.toMatchObject({ message: 'the store is damaged' })
  expect((await pool.run('echo')).request).toBe('echo')
})
