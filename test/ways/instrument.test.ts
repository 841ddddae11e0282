/** Functions with spans do what they did without. */
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { pathToFileURL } from 'node:url'
import { afterAll, expect, test } from 'vitest'
import { instrument } from '../support/spans/instrument.ts'

const SOURCE = `
export function createCounter({ step = 1 } = {}) {
  let count = 0
  const later = async (by) => (await Promise.resolve(), { sum: count + by })
  return {
    add(...more) { count += step + more.length; return later(arguments.length) },
    async *endless() { for (;;) yield count },
    *upTo(limit) { for (let n = 0; n < limit; n++) if ((yield n) === 'stop') return 'stopped' },
  }
}
class Box { #secret = 3; reveal() { return this.#secret } get open() { return true } }
export const box = new Box()
export const table = { double: (n) => n * 2, nested: { handler: () => (n) => n + 1 } }
export const named = register('event', (n) => ({ n }))
function register(name, run) { return run }
`

const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'assay-instrument-'))
afterAll(() => fs.rmSync(folder, { recursive: true, force: true }))

/** A recorder that only notes the numbers of calls. */
const RECORDER = `
export const numbers = []
export function call(number, given, body) { numbers.push(number, given().length); return body() }
export function* steps(number, start) { numbers.push(number); return yield* start() }
`

async function load() {
  const recorder = path.join(folder, 'recorder.mjs')
  const { text, functions } = instrument('module.js', SOURCE, { recorder, first: 100 })
  const file = path.join(folder, 'module.mjs')
  fs.writeFileSync(recorder, RECORDER)
  fs.writeFileSync(file, text)
  const [module, { numbers }] = await Promise.all(
    [file, recorder].map((each) => import(pathToFileURL(each).href)),
  )
  return { module, numbers, functions }
}

test('functions are named by what they stand in', async () => {
  const { functions } = await load()
  expect(functions.map(({ path, name }) => [path.join(' '), name])).toEqual([
    ['createCounter', 'createCounter'],
    ['createCounter later', 'later'],
    ['createCounter add', 'add'],
    ['createCounter upTo', 'upTo'],
    ['Box reveal', 'Box.reveal'],
    ['table double', 'table.double'],
    ['table nested handler', 'table.nested.handler'],
    ["register('event')", "register('event')"],
    ['register', 'register'],
  ])
})

test('functions return, await and yield as before, and each call is told', async () => {
  const { module, numbers } = await load()
  const before = numbers.length
  const counter = module.createCounter({ step: 2 })
  expect(await counter.add('a', 'b')).toEqual({ sum: 6 })
  const steps = counter.upTo(3)
  expect([steps.next(), steps.next(), steps.next('stop')]).toEqual([
    { done: false, value: 0 },
    { done: false, value: 1 },
    { done: true, value: 'stopped' },
  ])
  expect(module.box.reveal()).toBe(3)
  expect(module.table.nested.handler()(1)).toBe(2)
  expect(module.named(5)).toEqual({ n: 5 })
  expect(numbers.slice(before)).toEqual([100, 1, 102, 1, 101, 1, 103, 104, 0, 106, 0, 107, 1])
})
