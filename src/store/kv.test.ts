import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { Worker } from 'node:worker_threads'
import { afterEach, beforeEach, expect, onTestFinished, test } from 'vitest'
import { moduleFile } from '../base/moduleFile.ts'
import { endOfPrefix, openKv, type Kv } from './kv.ts'
import { KvError } from './kvError.ts'

let folder: string
let kv: Kv
beforeEach(() => {
  folder = fs.mkdtempSync(path.join(os.tmpdir(), 'assay.kv-'))
  kv = openKv(folder)
})
afterEach(async () => {
  await kv.close()
  fs.rmSync(folder, { recursive: true, force: true })
})

const bytes = (...values: number[]): Uint8Array => Uint8Array.of(...values)
const keysOf = (entries: Iterable<{ key: Uint8Array }>): number[][] =>
  Array.from(entries, ({ key }) => [...key])

test('bytes that were read stay what they are after later reads, and are plain arrays', () => {
  const table = kv.table('t')
  const large = new Uint8Array(100_000).fill(7)
  kv.write(() => {
    table.put(bytes(1), bytes(10, 11))
    table.put(bytes(2), bytes(20, 21))
    table.put(bytes(3), large)
    table.put(bytes(4), bytes())
  })
  const first = table.get(bytes(1))
  const ranged = [...table.range({})]
  const third = table.get(bytes(3))
  expect(table.get(bytes(2))).toEqual(bytes(20, 21))
  expect(table.get(bytes(4))).toEqual(bytes())
  expect(table.get(bytes(9))).toBeUndefined()
  expect(first).toEqual(bytes(10, 11))
  expect(third).toEqual(large)
  expect(first?.constructor).toBe(Uint8Array)
  expect(ranged.map(({ key, value }) => [key[0], value.length])).toEqual([
    [1, 2],
    [2, 2],
    [3, 100_000],
    [4, 0],
  ])
})

test('a range includes its start, excludes its end, and runs both ways', () => {
  const table = kv.table('t')
  kv.write(() => {
    for (const key of [bytes(1), bytes(1, 0), bytes(2), bytes(3)]) table.put(key, bytes(1))
  })
  expect(keysOf(table.range({ start: bytes(1), end: bytes(3) }))).toEqual([[1], [1, 0], [2]])
  expect(keysOf(table.range({ start: bytes(2), reverse: true, limit: 2 }))).toEqual([[2], [1, 0]])
  expect(
    keysOf(table.range({ start: bytes(1), end: endOfPrefix(bytes(1)) as Uint8Array })),
  ).toEqual([[1], [1, 0]])
  expect(endOfPrefix(bytes(1, 255))).toEqual(bytes(2))
  expect(endOfPrefix(bytes(255))).toBeUndefined()
})

test('a transaction that throws writes nothing, nested or not, and runs no hook of success', () => {
  const table = kv.table('t')
  const calls: string[] = []
  const failing = () =>
    kv.write(() => {
      table.put(bytes(1), bytes(1))
      kv.afterCommit(() => calls.push('after'))
      kv.write(() => table.put(bytes(2), bytes(2)))
      expect(table.get(bytes(2))).toEqual(bytes(2))
      throw new Error('stop')
    })
  expect(failing).toThrow('stop')
  expect([...table.range({})]).toEqual([])
  const lateFailure = () =>
    kv.write(() => {
      table.put(bytes(1), bytes(1))
      kv.beforeCommit(function* () {
        yield
        throw new Error('late')
      })
    })
  expect(lateFailure).toThrow('late')
  expect([...table.range({})]).toEqual([])
  expect(kv.write(() => 5)).toBe(5)
  expect(calls).toEqual([])
})

test('hooks run around the commit of the outermost transaction', () => {
  const table = kv.table('t')
  const calls: string[] = []
  kv.write(() => {
    kv.write(() => {
      kv.afterCommit(() => calls.push(`after ${String(table.get(bytes(1))?.[0])}`))
      kv.beforeCommit(function* () {
        calls.push('before')
        yield
        table.put(bytes(1), bytes(9))
      })
    })
    calls.push('action')
  })
  expect(calls).toEqual(['action', 'before', 'after 9'])
  expect(() => kv.afterCommit(() => {})).toThrow(KvError)
})

test('a transaction that would go on asynchronously is refused and undone', () => {
  const table = kv.table('t')
  const asynchronous = () =>
    kv.write(async () => {
      table.put(bytes(1), bytes(1))
    })
  expect(asynchronous).toThrow('synchronously')
  expect(table.get(bytes(1))).toBeUndefined()
})

/** Replaces the store's descriptors by unwritable ones, as if the disk were gone. */
function breakDescriptors(file: string): void {
  const broken = fs.readdirSync('/proc/self/fd').filter((descriptor) => {
    const link = path.join('/proc/self/fd', descriptor)
    return fs.existsSync(link) && fs.readlinkSync(link) === file
  })
  expect(broken.length).toBeGreaterThan(0)
  for (const descriptor of broken) fs.closeSync(Number(descriptor))
  for (const _ of broken) fs.openSync('/dev/null', 'r')
}

test.runIf(process.platform === 'linux')(
  'a commit that does not reach the disk is fatal, and never taken for success',
  async () => {
    const reported: unknown[] = []
    const doomed = openKv(path.join(folder, 'doomed'), {
      onCommitFailure: (error) => {
        reported.push(error)
        throw new KvError('the process would end here')
      },
    })
    const table = doomed.table('t')
    let committed = false
    expect(() =>
      doomed.write(() => {
        table.put(bytes(1), bytes(1))
        doomed.afterCommit(() => {
          committed = true
        })
        breakDescriptors(path.join(folder, 'doomed', 'data.mdb'))
      }),
    ).toThrow('the process would end here')
    expect(reported).toHaveLength(1)
    expect(committed).toBe(false)
    await doomed.close()
  },
)

test('a store opened for reading alone needs an existing one and refuses writes', async () => {
  expect(() => openKv(path.join(folder, 'missing'), { readOnly: true })).toThrow(/no store in/)
  const table = kv.table('t')
  kv.write(() => table.put(bytes(1), bytes(1)))
  const reader = openKv(folder, { readOnly: true })
  expect(reader.table('t').get(bytes(1))).toEqual(bytes(1))
  expect(() => reader.table('unknown')).toThrow(/no table unknown/)
  expect(() => reader.write(() => {})).toThrow(KvError)
  await reader.close()
})

test('a table must be opened outside of the write transaction', () => {
  expect(() => kv.write(() => kv.table('new'))).toThrow(/before the write transaction/)
  expect(kv.table('new').get(bytes(1))).toBeUndefined()
})

test('a reader in another thread sees every commit that was made before its refresh', async () => {
  const table = kv.table('t')
  kv.write(() => table.put(bytes(1), bytes(0)))
  const reader = moduleFile(new URL('../../test/support/kvReaderThread', import.meta.url))
  const worker = new Worker(reader, { workerData: folder })
  try {
    for (let value = 1; value < 6; value++) {
      kv.write(() => table.put(bytes(1), bytes(value)))
      const answer = new Promise((resolve) => worker.once('message', resolve))
      worker.postMessage(bytes(1), [])
      expect(await answer).toEqual(bytes(value))
    }
  } finally {
    await worker.terminate()
  }
  kv.write(() => table.put(bytes(1), bytes(99)))
  expect(table.get(bytes(1))).toEqual(bytes(99))
})

test('the end of a prefix is a new array, also for a Buffer, and follows every key that starts with it', () => {
  const prefix = Buffer.from([1, 2, 255])
  expect(endOfPrefix(prefix)).toEqual(Uint8Array.of(1, 3))
  expect(prefix).toEqual(Buffer.from([1, 2, 255]))
  expect(endOfPrefix(Uint8Array.of(255, 255))).toBeUndefined()
})

test('a commit on the writer thread is seen when it is on disk, with the file after it, and not before', async () => {
  const threaded = openKv(fs.mkdtempSync(path.join(folder, 'threaded-')), { writerThread: true })
  onTestFinished(() => threaded.close())
  const table = threaded.table('t')
  const other = threaded.table('u')
  const file = path.join(folder, 'state.json')
  const order: string[] = []
  threaded.write(() => table.put(bytes(1), bytes(1)))
  const committed = threaded.commit(
    () => {
      table.put(bytes(1), bytes(2))
      other.put(bytes(3), new Uint8Array(50_000).fill(3))
      threaded.afterCommit(() =>
        order.push(`hook: ${table.get(bytes(1))?.join()}, ${fs.readFileSync(file, 'utf8')}`),
      )
      threaded.beforeCommit(function* () {
        yield
        table.remove(bytes(9))
      })
      order.push(`inside: ${table.get(bytes(1))?.join()}`)
    },
    { file, content: 'signed' },
  )
  expect(() => threaded.write(() => undefined)).toThrow(KvError)
  await expect(threaded.commit(() => undefined)).rejects.toThrow(KvError)
  expect(order).toEqual(['inside: 1'])
  expect(table.get(bytes(1))).toEqual(bytes(1))
  await committed
  expect(order).toEqual(['inside: 1', 'hook: 2, signed'])
  expect(other.get(bytes(3))).toEqual(new Uint8Array(50_000).fill(3))
  await threaded.commit(() => table.remove(bytes(1)))
  expect([...table.range({})]).toEqual([])
})

test('a long commit on the writer thread lets others read the state before, and nobody write', async () => {
  const threaded = openKv(fs.mkdtempSync(path.join(folder, 'threaded-')), { writerThread: true })
  onTestFinished(() => threaded.close())
  const table = threaded.table('t')
  threaded.write(() => table.put(bytes(1), bytes(1)))
  let looks = 0
  const committed = threaded.commit(() => {
    threaded.beforeCommit(function* () {
      table.put(bytes(1), bytes(2))
      for (;;) {
        if (looks === 3) break
        yield
      }
      table.put(bytes(2), bytes(2))
    })
  })
  for (; looks < 3; looks++) {
    expect(keysOf(table.range({}))).toEqual([[1]])
    expect(table.get(bytes(1))).toEqual(bytes(1))
    expect(() => threaded.write(() => table.put(bytes(3), bytes(3)))).toThrow(/commit is under way/)
    expect(() => threaded.afterCommit(() => undefined)).toThrow(KvError)
    await new Promise((resolve) => setImmediate(resolve))
  }
  await committed
  expect(keysOf(table.range({}))).toEqual([[1], [2]])
  expect(table.get(bytes(1))).toEqual(bytes(2))
})

test('what fails before the commit writes nothing, and the store lives on', async () => {
  const threaded = openKv(fs.mkdtempSync(path.join(folder, 'threaded-')), { writerThread: true })
  onTestFinished(() => threaded.close())
  const table = threaded.table('t')
  const failing = threaded.commit(() => {
    table.put(bytes(1), bytes(1))
    throw new Error('no')
  })
  await expect(failing).rejects.toThrow('no')
  await threaded.commit(() => table.put(bytes(2), bytes(2)))
  expect(keysOf(table.range({}))).toEqual([[2]])
})

// Holds D54.
test('a file that cannot be replaced is a failed commit', async () => {
  const failures: unknown[] = []
  const threaded = openKv(fs.mkdtempSync(path.join(folder, 'threaded-')), {
    writerThread: true,
    onCommitFailure(error) {
      failures.push(error)
      throw error
    },
  })
  onTestFinished(() => threaded.close())
  const file = path.join(folder, 'absent', 'state.json')
  await expect(threaded.commit(() => undefined, { file, content: '' })).rejects.toThrow('ENOENT')
  expect(failures).toHaveLength(1)
})

test('without a thread a commit does the same at once', async () => {
  const table = kv.table('t')
  const file = path.join(folder, 'state.json')
  const committed = kv.commit(() => table.put(bytes(1), bytes(1)), { file, content: 'signed' })
  expect(table.get(bytes(1))).toEqual(bytes(1))
  expect(fs.readFileSync(file, 'utf8')).toBe('signed')
  await committed
})
