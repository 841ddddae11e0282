/** What of a recording becomes a step of a way. */
import { expect, test } from 'vitest'
import type { Chapter, Span } from '../support/spans/recording.ts'
import { stepsOf, type Step } from '../support/ways/steps.ts'
import { stagesIn, type Call } from '../support/ways/trace.ts'

/** Functions by their numbers, one per file. */
const FILES = [
  'node/loop.ts',
  'node/block.ts',
  'consensus/mempool/pool.ts',
  'consensus/mempool/queue.ts',
  'consensus/evm/open.ts',
  'ledger/store.ts',
  'ledger/trie/update.ts',
  'store/kv.ts',
  'consensus/mempool/worker.ts',
]
const functions = FILES.map((file) => ({ file, meetsWorld: file.endsWith('worker.ts') }))
const [LOOP, BLOCK, POOL, QUEUE, OPEN, STORE, TRIE, KV, WORKER] = FILES.keys()

function call(number: number | undefined, ...calls: Call[]): Call {
  return { number: number ?? -1, calls }
}

function files({ number, steps }: Step): unknown {
  const file = FILES[number]
  return steps.length === 0 ? file : [file, ...steps.map(files)]
}

function chosen(...chapters: Call[][]): unknown {
  const stages = chapters.map((calls) =>
    calls.map((call) => ({ program: 'node', thread: '', call })),
  )
  return stepsOf(stages, functions).map((told) => told.map(({ step }) => files(step)))
}

test('a call from another room or folder is a step, one within a folder only if it leads to one', () => {
  expect(chosen([call(LOOP, call(BLOCK), call(POOL, call(QUEUE), call(OPEN)))])).toEqual([
    [['node/loop.ts', ['consensus/mempool/pool.ts', 'consensus/evm/open.ts']]],
  ])
  expect(chosen([call(LOOP, call(BLOCK, call(POOL)))])).toEqual([
    [['node/loop.ts', ['node/block.ts', 'consensus/mempool/pool.ts']]],
  ])
})

test('a file that imports a package is a step within its folder', () => {
  expect(chosen([call(POOL, call(WORKER), call(QUEUE))])).toEqual([
    [['consensus/mempool/pool.ts', 'consensus/mempool/worker.ts']],
  ])
})

test('a room that only thinks tells how it is entered and left', () => {
  expect(chosen([call(OPEN, call(STORE, call(TRIE)))])).toEqual([
    [['consensus/evm/open.ts', 'ledger/store.ts']],
  ])
  expect(chosen([call(OPEN, call(STORE, call(TRIE, call(KV))))])).toEqual([
    [['consensus/evm/open.ts', ['ledger/store.ts', ['ledger/trie/update.ts', 'store/kv.ts']]]],
  ])
})

test('a step is told once in a chapter, and again in another one where it leads to what is new', () => {
  const first = call(LOOP, call(POOL, call(OPEN)), call(STORE), call(POOL, call(OPEN)))
  expect(chosen([first], [call(LOOP, call(POOL, call(KV)), call(STORE))])).toEqual([
    [['node/loop.ts', ['consensus/mempool/pool.ts', 'consensus/evm/open.ts'], 'ledger/store.ts']],
    [['node/loop.ts', ['consensus/mempool/pool.ts', 'store/kv.ts']]],
  ])
})

test('a file that three others call for details is a tool and no step', () => {
  const [user, other] = [call(POOL, call(KV)), call(BLOCK, call(KV))]
  expect(chosen([call(LOOP, user, other)])).toEqual([
    [['node/loop.ts', ['consensus/mempool/pool.ts', 'store/kv.ts']]],
  ])
  expect(chosen([call(LOOP, user, other, call(OPEN, call(KV)))])).toEqual([
    [['node/loop.ts', 'consensus/mempool/pool.ts', 'consensus/evm/open.ts']],
  ])
})

test('a stage that leads nowhere is not told', () => {
  expect(chosen([call(LOOP), call(POOL, call(QUEUE))])).toEqual([[]])
})

function span(number: number, at: number, ...calls: Span[]): Span {
  return { number, at, calls }
}

function chapter(...spans: Span[]): Chapter {
  return [{ program: 'node', thread: '', spans }]
}

test('what also happens in the background, and what happens once in two rounds, is no stage', () => {
  const background = [chapter(span(0, 1, span(1, 2)), span(4, 3))]
  const round = chapter(span(0, 1, span(1, 2)), span(0, 3, span(1, 4), span(2, 5)), span(6, 7))
  const again = chapter(span(5, 1), span(0, 3, span(2, 5)), span(4, 6))
  expect(stagesIn([round, again], ['node'], background)).toEqual([
    { program: 'node', thread: '', call: call(0, call(2)) },
  ])
})

test('what was marked is a stage although it happens in the background as well', () => {
  const marked = chapter({ ...span(0, 1), isMarked: true })
  expect(stagesIn([marked, marked], ['node'], [chapter(span(0, 1))])).toHaveLength(1)
  expect(stagesIn([marked, marked], ['dispatcher'], [])).toEqual([])
})

test('stages stand in the order in which they first did what belongs to the way, and their calls are united', () => {
  const round = chapter(span(1, 1, span(2, 9)), span(3, 5), span(3, 6, span(4, 7)))
  expect(stagesIn([round, round], ['node'], [chapter(span(1, 0))])).toEqual([
    { program: 'node', thread: '', call: call(3, call(4)) },
    { program: 'node', thread: '', call: call(1, call(2)) },
  ])
})
