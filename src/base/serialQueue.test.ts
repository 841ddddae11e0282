import { expect, test } from 'vitest'
import { createSerialQueue } from './serialQueue.ts'

test('tasks run in order, one at a time, and a failed one stops none behind it', async () => {
  const queue = createSerialQueue()
  const steps: string[] = []
  const task =
    (name: string, fails = false) =>
    async () => {
      steps.push(`${name} starts`)
      await Promise.resolve()
      steps.push(`${name} ends`)
      if (fails) throw new Error(name)
      return name
    }
  const results = await Promise.allSettled([
    queue.run(task('first')),
    queue.run(task('second', true)),
    queue.run(task('third')),
  ])
  expect(results.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled'])
  expect(steps).toEqual(
    ['first', 'second', 'third'].flatMap((name) => [`${name} starts`, `${name} ends`]),
  )
})
