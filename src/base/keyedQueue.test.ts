import { expect, test } from 'vitest'
import { createKeyedQueue } from './keyedQueue.ts'

test('tasks of one key run one after the other, and a failure stops nobody', async () => {
  const queue = createKeyedQueue()
  const steps: string[] = []
  const task =
    (name: string, fails = false) =>
    async (): Promise<void> => {
      steps.push(`${name} starts`)
      await Promise.resolve()
      steps.push(`${name} ends`)
      if (fails) throw new Error(name)
    }
  const results = await Promise.allSettled([
    queue.run('a', task('first', true)),
    queue.run('a', task('second')),
    queue.run('a', task('third')),
  ])
  expect(steps).toEqual([
    'first starts',
    'first ends',
    'second starts',
    'second ends',
    'third starts',
    'third ends',
  ])
  expect(results.map(({ status }) => status)).toEqual(['rejected', 'fulfilled', 'fulfilled'])
})

test('tasks of different keys do not wait for each other', async () => {
  const queue = createKeyedQueue()
  const never = queue.run('a', () => new Promise<never>(() => {}))
  expect(await queue.run('b', async () => 'done')).toBe('done')
  expect(never).toBeInstanceOf(Promise)
})
