import { Command } from 'commander'
import { expect, test } from 'vitest'
import { addVerifyOptions, readVerifyOptions } from './options.ts'

function read(...args: readonly string[]) {
  const command = addVerifyOptions(new Command('verify')).exitOverride()
  command.parse(args, { from: 'user' })
  return readVerifyOptions(command)
}

test('without flags, this machine is asked, and the genesis of the home is trusted', () => {
  expect(read('--home', '/tmp/home')).toEqual({
    home: '/tmp/home',
    rpc: new URL('http://127.0.0.1:26657'),
    jsonRpc: new URL('http://127.0.0.1:8545'),
    witnesses: [],
    trusted: undefined,
    trustingPeriodNs: 604_800_000_000_000n,
    trustLevel: { numerator: 1n, denominator: 3n },
    mode: 'skipping',
    timeoutMs: 60_000,
    json: false,
  })
})

test('a trusted header has a height and a hash, with or without 0x', () => {
  const hash = 'aB'.repeat(32)
  for (const text of [hash, `0x${hash}`]) {
    const { trusted } = read('--trusted-height', '7', '--trusted-hash', text)
    expect(trusted).toEqual({ height: 7, hash: new Uint8Array(32).fill(0xab) })
  }
})

test('witnesses may be several', () => {
  const { witnesses } = read('--witness', 'http://a:1', 'https://b', '--sequential')
  expect(witnesses.map(({ host }) => host)).toEqual(['a:1', 'b'])
})

test.each([
  [['--rpc', 'tcp://127.0.0.1:26657'], '--rpc: expected a URL'],
  [['--json-rpc', 'http://me:secret@host'], '--json-rpc: expected a URL'],
  [['--trusted-height', '7'], 'must be given together'],
  [['--trusted-height', '0', '--trusted-hash', '00'.repeat(32)], '--trusted-height: expected'],
  [['--trusted-height', '1', '--trusted-hash', '00'], '--trusted-hash: expected 64'],
  [['--trust-level', '1/4'], '--trust-level: expected a fraction'],
  [['--trust-level', '1/0'], '--trust-level: expected a fraction'],
  [['--trust-level', '2/1'], '--trust-level: expected a fraction'],
  [['--trusting-period', 'week'], '--trusting-period: expected a duration'],
  [['--timeout', '0s'], '--timeout: expected a duration'],
])('%j is refused, and a password is not repeated', (args, message) => {
  let thrown: unknown
  try {
    read(...args)
  } catch (error) {
    thrown = error
  }
  expect(String(thrown)).toContain(message)
  expect(String(thrown)).not.toContain('secret')
})
