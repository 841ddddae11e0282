import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openKv, type Kv } from '../../store/kv.ts'
import { commonHeights, heightsOfCode, unionOf, type Heights } from './heights.ts'
import { logKey } from './logIndex.ts'

let folder: string
let kv: Kv
beforeAll(() => {
  folder = fs.mkdtempSync(path.join(os.tmpdir(), 'assay-heights-'))
  kv = openKv(folder)
})
afterAll(async () => {
  await kv.close()
  fs.rmSync(folder, { recursive: true, force: true })
})

/** Stores a list of heights under each code, and returns it as `Heights` up to `last`. */
function stored(lists: readonly (readonly number[])[], last: number): readonly Heights[] {
  const index = kv.table('index')
  kv.write(() => {
    for (const { key } of Array.from(index.range({}))) index.remove(key)
    for (const [code, heights] of lists.entries())
      for (const height of heights) index.put(logKey(code, height), new Uint8Array(0))
  })
  return lists.map((_, code) => heightsOfCode(index, code, last))
}

const heights = fc.uniqueArray(fc.nat(2000), { maxLength: 600 })

test('what groups of codes have in common is what sets have in common', () => {
  fc.assert(
    fc.property(
      fc.array(fc.array(heights, { minLength: 1, maxLength: 3 }), { minLength: 1, maxLength: 3 }),
      fc.nat(2000),
      fc.nat(2000),
      (groups, first, last) => {
        const all = stored(groups.flat(), last)
        let taken = 0
        const unions = groups.map((group) => unionOf(all.slice(taken, (taken += group.length))))
        const sets = groups.map((group) => new Set(group.flat()))
        const expected = [...(sets[0] ?? [])]
          .filter((height) => height >= first && height <= last)
          .filter((height) => sets.every((set) => set.has(height)))
          .sort((a, b) => a - b)
        expect([...commonHeights(unions, first)]).toEqual(expected)
      },
    ),
    { numRuns: 60 },
  )
})

test('a long search without a common height gives one now and then, so that its caller can pause', () => {
  const [even, odd] = [0, 1].map((rest) => Array.from({ length: 5000 }, (_, i) => 2 * i + rest))
  const given = [...commonHeights(stored([even ?? [], odd ?? []], 10_000), 0)]
  expect(given.length).toBeGreaterThan(2)
  expect(given.length).toBeLessThan(20)
})
