import { expect, test } from 'vitest'
import type { Status } from './collect.ts'
import { formatBytes, formatStatus } from './screen.ts'

const STATUS: Status = {
  chain: {
    height: 812,
    blockTime: 1000,
    transactions: 3,
    gasUsed: 63_000,
    gasLimit: 30_000_000,
    baseFee: 1_500_000_000,
    chainId: 271_828,
    peers: 2,
    version: 'Assay/v0.1.0',
    isSyncing: false,
    isSignerConnected: undefined,
    pool: 7,
  },
  jobs: { created: 4, dispatched: 1, submitted: 99 },
  operators: [{ operator: '0xab', workers: ['opml'], models: ['tiny.gguf'], slots: 4, busy: 1 }],
  disk: { folders: [{ name: 'chain', bytes: 2_500_000 }], freeBytes: 9e9, totalBytes: 2e10 },
}
const show = (status: Status, now = 1002) =>
  formatStatus(status, { home: '/home', now, colors: false })

test('one screen has heights, pool, jobs, operators and disk', () => {
  const screen = show(STATUS)
  for (const text of [
    '812, 2 s ago',
    '3 transactions',
    '1.500 gwei',
    '7 transactions',
    '4 waiting, 1 at operators',
    '0xab  opml  1 of 4 slots busy  tiny.gguf',
    '9.0 GB free of 20 GB',
    'chain     2.5 MB',
  ])
    expect(screen).toContain(text)
  expect(screen.split('\n').length).toBeLessThan(24)
})

test('it says what stands still and what does not answer', () => {
  expect(show(STATUS, 2000)).toContain('17 min ago (the chain has stalled)')
  const none = show({ ...STATUS, chain: undefined, jobs: undefined, operators: undefined })
  expect(none.match(/not responding/g)).toHaveLength(2)
  expect(show({ ...STATUS, operators: [] })).toContain('none connected')
})

test('a remote signer that is away stands out', () => {
  const screenWith = (isSignerConnected: boolean | undefined) =>
    show({ ...STATUS, chain: STATUS.chain && { ...STATUS.chain, isSignerConnected } })
  expect(screenWith(undefined)).not.toContain('Signer')
  expect(screenWith(true)).toMatch(/Signer +connected/)
  expect(screenWith(false)).toMatch(/Signer +away: nothing is signed/)
})

test('bytes are shown in the largest unit that leaves a whole part', () => {
  expect([0, 999, 1000, 12_345, 5e12].map(formatBytes)).toEqual([
    '0 B',
    '999 B',
    '1.0 kB',
    '12 kB',
    '5.0 TB',
  ])
})
