/**
 * The key-value store in memory, for simulations: whole transactions or none, as on disk. What is committed outlives every
 * handle, so that a crash is forgetting the handle.
 */
import { toHexDigits, fromHex } from '../../src/base/hex.ts'
import { runSteps, type Steps } from '../../src/base/steps.ts'
import type { Kv } from '../../src/store/kv.ts'
import { KvCorruptionError } from '../../src/store/kvError.ts'
import type { KvTable } from '../../src/store/kvTable.ts'

type KvRange = Parameters<KvTable['range']>[0]

/** Keys as hex digits, whose order is that of the bytes. */
type Records = { readonly values: Map<string, Uint8Array>; sorted: string[] | undefined }

/** Contents of the simulated disk. */
export type MemoryDisk = Map<string, Records>

type Change = {
  readonly records: Records
  readonly key: string
  readonly value: Uint8Array | undefined
}

/** The first index of an ascending list whose key is not below the given one. */
function lowerBound(sorted: readonly string[], key: string): number {
  let low = 0
  let high = sorted.length
  while (low < high) {
    const middle = (low + high) >> 1
    if ((sorted[middle] as string) < key) low = middle + 1
    else high = middle
  }
  return low
}

function apply({ records, key, value }: Change): void {
  const { values } = records
  if (value === undefined ? values.delete(key) : !values.has(key)) records.sorted = undefined
  if (value !== undefined) values.set(key, value)
}

/** Only ascending ranges: the chain reads no others. */
function* rangeOf(records: Records, { start, end, limit }: KvRange) {
  records.sorted ??= [...records.values.keys()].sort()
  const { sorted } = records
  const low = start === undefined ? 0 : lowerBound(sorted, toHexDigits(start))
  const high = end === undefined ? sorted.length : lowerBound(sorted, toHexDigits(end))
  for (const key of sorted.slice(low, Math.min(Math.max(low, high), low + (limit ?? Infinity)))) {
    const value = records.values.get(key)
    if (value !== undefined) yield { key: fromHex(key), value: value.slice() }
  }
}

/**
 * A handle over a disk. `commit` waits for `latency`, while reads see the state before; a handle whose process ended in
 * the meantime (`latency` rejects) writes nothing.
 */
export function openMemoryKv(disk: MemoryDisk, latency: () => Promise<void> = async () => {}): Kv {
  const tables = new Map<string, KvTable>()
  let batch: Change[] | undefined
  let undo: Change[] | undefined
  let before: (() => Steps<void>)[] = []
  let after: (() => void)[] = []
  let snapshots = 0

  function openTable(name: string): KvTable {
    const records = disk.get(name) ?? { values: new Map(), sorted: undefined }
    disk.set(name, records)
    function change(key: Uint8Array, value: Uint8Array | undefined): void {
      const digits = toHexDigits(key)
      if (batch !== undefined) {
        batch.push({ records, key: digits, value })
        return
      }
      if (undo === undefined) throw new Error('a write outside of a transaction')
      undo.push({ records, key: digits, value: records.values.get(digits) })
      apply({ records, key: digits, value })
    }
    return {
      get: (key) => records.values.get(toHexDigits(key))?.slice(),
      put: (key, value) => change(key, value.slice()),
      remove: (key) => change(key, undefined),
      // Not during an iteration: the data underneath must not change.
      range: (range) => [...rangeOf(records, range)],
      examine: (range) =>
        Array.from(rangeOf(records, range), (record) => ({ ...record, fault: undefined })),
      damaged: (key, reason) => new KvCorruptionError(name, key, reason),
    }
  }

  function collect(action: () => void): readonly (() => void)[] {
    try {
      action()
      for (let i = 0; i < before.length; i++) runSteps((before[i] as () => Steps<void>)())
      return after
    } finally {
      before = []
      after = []
    }
  }

  function onDisk(hooks: readonly (() => void)[]): void {
    snapshots++
    for (const hook of hooks) hook()
  }

  return {
    table(name) {
      const table = tables.get(name) ?? openTable(name)
      tables.set(name, table)
      return table
    },
    write(action) {
      if (undo !== undefined || batch !== undefined) return action()
      undo = []
      const results: ReturnType<typeof action>[] = []
      let hooks: readonly (() => void)[]
      try {
        hooks = collect(() => results.push(action()))
      } catch (error) {
        for (const change of undo.toReversed()) apply(change)
        throw error
      } finally {
        undo = undefined
      }
      onDisk(hooks)
      return results[0] as ReturnType<typeof action>
    },
    async commit(action) {
      const changes: Change[] = []
      batch = changes
      let hooks: readonly (() => void)[]
      try {
        hooks = collect(action)
      } finally {
        batch = undefined
      }
      await latency()
      for (const change of changes) apply(change)
      onDisk(hooks)
    },
    beforeCommit: (action) => void before.push(action),
    afterCommit: (action) => void after.push(action),
    refresh: () => void snapshots++,
    release: () => void snapshots++,
    snapshot: () => snapshots,
    statistics: () => ({ commits: 0, puts: 0, removes: 0, bytesPut: 0 }),
    close: async () => {},
  }
}
