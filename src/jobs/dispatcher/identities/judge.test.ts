import { expect, test } from 'vitest'
import type { ModelIdentity } from '../../protocol.ts'
import { judgeOffer } from './judge.ts'

const hash = (digit: string) => `0x${digit.repeat(64)}`
const pin = (name: string, digit: string) => `${name}@sha256:${digit.repeat(64)}`
const opml = (model: string, digit: string, more: Partial<ModelIdentity> = {}): ModelIdentity => ({
  model,
  type: 'opml',
  sha256: hash(digit),
  ...more,
})
const judge = (
  identities: readonly ModelIdentity[] | undefined,
  registered: Record<
    string,
    { sha256: string; modelRoot?: string | null; templateHash?: string }
  > = {},
  workers: readonly string[] = ['opml'],
) => judgeOffer({ workers, models: ['x', 'y'], identities }, new Map(Object.entries(registered)))

// Holds D144.
test('names without an identity are served as they are, registered or not', () => {
  const nothing = { served: ['x', 'y'], refused: [] }
  expect(judge(undefined)).toEqual(nothing)
  expect(judge([], { x: { sha256: hash('a') } })).toEqual(nothing)
})

test('a stated file is served under its pin, too', () => {
  expect(judge([opml('x', 'a')])).toEqual({ served: ['x', pin('x', 'a'), 'y'], refused: [] })
  expect(judge([opml('x', 'a')], { x: { sha256: hash('a') } }).served).toContain(pin('x', 'a'))
})

test('a pin is for all job types of an operator, or for none', () => {
  const both = ['opml', 'tee']
  const tee = (digit: string): ModelIdentity => ({ ...opml('x', digit), type: 'tee' })
  expect(judge([opml('x', 'a')], {}, both).served).toEqual(['x', 'y'])
  expect(judge([opml('x', 'a'), tee('b')], {}, both).served).toEqual(['x', 'y'])
  expect(judge([opml('x', 'a'), tee('a')], {}, both).served).toEqual(['x', pin('x', 'a'), 'y'])
  // What it says about types that it does not offer counts for nothing.
  expect(judge([opml('x', 'a'), tee('b')]).served).toEqual(['x', pin('x', 'a'), 'y'])
  expect(judge([tee('b')], { x: { sha256: hash('a') } }).refused).toEqual([])
})

test('each part that differs from the registry is named, and what either side leaves out is not compared', () => {
  const registered = { sha256: hash('a'), modelRoot: hash('1'), templateHash: hash('3') }
  const reasonOf = (identity: ModelIdentity) =>
    judge([identity], { x: registered }).refused[0]?.reason
  expect(reasonOf(opml('x', 'a'))).toBeUndefined()
  expect(reasonOf(opml('x', 'b'))).toBe(
    `serves another file for x: file ${hash('b')}, not ${hash('a')}`,
  )
  expect(reasonOf(opml('x', 'b', { modelRoot: hash('1'), templateHash: hash('4') }))).toBe(
    `serves another file for x: file ${hash('b')}, not ${hash('a')}; chat template ${hash('4')}, not ${hash('3')}; the weights are the same`,
  )
  expect(reasonOf(opml('x', 'a', { modelRoot: hash('2') }))).toBe(
    `serves another file for x: weights ${hash('2')}, not ${hash('1')}`,
  )
})

test('a name that has no room for a pin has none', () => {
  const model = 'x'.repeat(256)
  const offer = { workers: ['opml'], models: [model], identities: [opml(model, 'a')] }
  expect(judgeOffer(offer, new Map())).toEqual({ served: [model], refused: [] })
})
