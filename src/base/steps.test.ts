import { setImmediate as turn } from 'node:timers/promises'
import { expect, test } from 'vitest'
import type { Slices } from './slices.ts'
import { runInSlices, runSteps, type Steps } from './steps.ts'

/** Counts to `end`, and records its steps. */
function* countTo(end: number, seen: number[]): Steps<number> {
  for (let i = 0; i < end; i++) {
    seen.push(i)
    yield
  }
  return end
}

test('work in one go gives its result at once', () => {
  const seen: number[] = []
  expect(runSteps(countTo(5, seen))).toBe(5)
  expect(seen).toEqual([0, 1, 2, 3, 4])
})

test('work in slices lets others in where a stretch is over, and only there', async () => {
  const seen: number[] = []
  const served: number[] = []
  const slices: Slices = {
    isOver: () => seen.length % 3 === 0,
    async next() {
      await turn()
      served.push(seen.length)
    },
  }
  expect(await runInSlices(countTo(7, seen), slices)).toBe(7)
  expect(served).toEqual([3, 6])
})

test('each step runs inside what the caller puts around it, and what a step throws arrives', async () => {
  const slices: Slices = { isOver: () => true, next: () => turn() }
  let isInside = false
  function* failing(): Steps<void> {
    expect(isInside).toBe(true)
    yield
    expect(isInside).toBe(true)
    throw new Error('late')
  }
  const done = runInSlices(failing(), slices, (step) => {
    isInside = true
    try {
      return step()
    } finally {
      isInside = false
    }
  })
  expect(isInside).toBe(false)
  await expect(done).rejects.toThrow('late')
})
