import { expect, test } from 'vitest'
import { pruningOf, snapshotIntervalOf } from './pruning.ts'

const CONFIG = {
  'consensus.engine': 'embedded',
  pruning: 'custom',
  'pruning-keep-recent': 100,
  'pruning-keep-blocks': 300,
  'state.archive': false,
  'state-sync.snapshot-interval': 0,
} as const

test('what is kept follows the configuration', () => {
  expect(pruningOf({ ...CONFIG, pruning: 'nothing' })).toBeUndefined()
  expect(pruningOf({ ...CONFIG, pruning: 'everything' })).toEqual({ states: 128, blocks: 256 })
  expect(pruningOf(CONFIG)).toEqual({ states: 100, blocks: 300 })
})

test('a node that could not read its own snapshots, or its archive, is not started', () => {
  expect(() => pruningOf({ ...CONFIG, 'state-sync.snapshot-interval': 1000 })).toThrow(
    'snapshots are enabled',
  )
  const enough = { ...CONFIG, 'pruning-keep-recent': 128, 'state-sync.snapshot-interval': 1000 }
  expect(pruningOf(enough)).toEqual({ states: 128, blocks: 300 })
  expect(() => pruningOf({ ...CONFIG, 'state.archive': true })).toThrow('state.archive')
})

// Holds D97.
test('networks take snapshots by default, unless too few states are kept to read one', () => {
  const unset = { ...CONFIG, 'state-sync.snapshot-interval': undefined }
  const network = { ...unset, 'consensus.engine': 'cometbft' } as const
  expect(snapshotIntervalOf(unset)).toBe(0)
  expect(snapshotIntervalOf({ ...network, pruning: 'nothing' })).toBe(5000)
  expect(snapshotIntervalOf({ ...network, pruning: 'everything' })).toBe(5000)
  expect(snapshotIntervalOf(network)).toBe(0)
  expect(pruningOf(network)).toEqual({ states: 100, blocks: 300 })
  expect(snapshotIntervalOf({ ...network, 'state-sync.snapshot-interval': 7 })).toBe(7)
  expect(
    snapshotIntervalOf({ ...network, pruning: 'nothing', 'state-sync.snapshot-interval': 0 }),
  ).toBe(0)
})
