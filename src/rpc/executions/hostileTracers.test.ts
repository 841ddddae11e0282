/** Tracers that callers write to hurt the node: each ends in time, with an error that is the caller's. */
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { createMemoryPool } from '../../../test/support/memoryPool.ts'
import { ALICE, nodeOver } from '../../../test/support/rpcNode.ts'
import { createStoredChain, type StoredChain } from '../../../test/support/storedChain.ts'
import { waitFor } from '../../../test/support/waitFor.ts'
import { createExecutionWorkers } from './executionWorkers.ts'
import { createExecutions } from './executor.ts'

const TIMEOUT_MS = 200
/** The grace of the tracer, the start of a thread, and what a busy machine adds. */
const SLACK_MS = 6_000

let stored: StoredChain
beforeAll(() => {
  stored = createStoredChain([{ address: ALICE, balance: 10n ** 20n }])
})
afterAll(() => stored.close())

function openNode(timeoutMs = TIMEOUT_MS) {
  const stop = new AbortController()
  onTestFinished(() => stop.abort())
  const { folder, rules, reader } = stored
  const onFault = (message: string): never => expect.fail(message)
  const run = createExecutionWorkers({
    folder,
    rules,
    gasCap: 10n ** 12n,
    workers: 1,
    timeoutMs,
    signal: stop.signal,
    onFault,
  })
  const node = nodeOver(reader, createMemoryPool(), { executions: createExecutions(run, onFault) })
  return (tracer: string) =>
    node.request('debug_traceCall', { to: `0x${'11'.repeat(20)}` }, 'latest', { tracer })
}

const ending = (body: string) => `{fault: function() {}, result: function() { ${body} }}`

/** What takes long between two looks at the clock. */
const SLOW: Readonly<Record<string, string>> = {
  'allocations that fail': ending(
    'for (;;) { try { new Uint8Array(60000000); new Array(7000000).fill(1) } catch (e) {} }',
  ),
  'long strings': ending('for (;;) { try { "a".repeat(30000000).split("") } catch (e) {} }'),
  'recursion in finally': ending('function f() { try { f() } finally { f() } } f()'),
  'recursion in catch': ending('function f() { try { f() } catch (e) { f() } } f()'),
  'sorting with its own order': ending(
    'var a = []; for (var i = 0; i < 300000; i++) a.push(i); for (;;) a.sort(function(x, y) { return x ^ y })',
  ),
  'a regular expression': ending('/(a*)*b/.test("a".repeat(40))'),
  'a large power': ending('var n = 3n; for (;;) { n = n ** 100000n; n = 3n }'),
  'an endless setup':
    '{setup: function() { for (;;) {} }, fault: function() {}, result: function() {}}',
  'an endless source': '(function() { for (;;) {} })() || {}',
  'endless getters': ending('return { get a() { for (;;) {} } }'),
  'endless toJSON': ending('return { toJSON: function() { for (;;) {} } }'),
}

/** What does not end well, at once. */
const ODD: Readonly<Record<string, string>> = {
  'a symbol': ending('return Symbol("x")'),
  'a function': ending('return function() {}'),
  'a large integer': ending('return 1n'),
  'a circle': ending('var a = []; a.push(a); return a'),
  'another stringify': ending('JSON.stringify = function() { return "nothing" }; return 1'),
  'a stringify of symbols': ending('JSON.stringify = function() { return Symbol() }; return 1'),
  'a thrown symbol': ending('throw Symbol("x")'),
  'a thrown circle': ending('var a = {}; a.a = a; throw a'),
  'a thrown proxy': ending('throw new Proxy({}, { get: function() { throw 1 } })'),
  'a thrown abyss': ending('var a = []; for (var i = 0; i < 100000; i++) a = [a]; throw a'),
  'an abyss': ending('var a = []; for (var i = 0; i < 1000000; i++) a = [a]; return a'),
}

test('a tracer ends soon after its time limit, whatever it does, and the next one runs', async () => {
  const trace = openNode()
  await waitFor(() => trace(ending('return 1')))
  let worst = { name: '', ms: 0 }
  for (const [name, tracer] of Object.entries(SLOW)) {
    const start = performance.now()
    const error: unknown = await trace(tracer).catch((reason: unknown) => reason)
    const ms = performance.now() - start
    if (ms > worst.ms) worst = { name, ms }
    expect({ name, error }).toMatchObject({
      error: {
        message: expect.stringMatching(/execution timeout|out of memory|stack overflow/) as string,
      },
    })
    expect({ name, isLate: ms > TIMEOUT_MS + SLACK_MS }).toEqual({ name, isLate: false })
    await waitFor(async () => expect(await trace(ending('return 1'))).toBe(1))
  }
  process.stdout.write(
    `hostile tracers: ${Object.keys(SLOW).length}, limit ${TIMEOUT_MS} ms, worst ${Math.round(worst.ms)} ms (${worst.name})\n`,
  )
})

test("what a tracer's result or exception cannot be is its caller's error", async () => {
  const trace = openNode()
  for (const [name, tracer] of Object.entries(ODD)) {
    const error: unknown = await trace(tracer).catch((reason: unknown) => reason)
    expect({ name, error }).toMatchObject({
      error: { message: expect.stringMatching(/result|interpreter failed|timeout/) as string },
    })
    // An internal error would be -32603, and the test's `onFault` would have failed.
    expect({ name, error }).toMatchObject({
      error: { code: expect.toBeOneOf([-32000, -32002]) as number },
    })
  }
})

test('a deep result is passed on as it is', async () => {
  const trace = openNode(60_000)
  let depth = 0
  let at = await trace(ending('var a = 7; for (var i = 0; i < 3000; i++) a = [a]; return a'))
  for (; Array.isArray(at); depth++) at = at[0]
  expect([depth, at]).toEqual([3000, 7])
})
