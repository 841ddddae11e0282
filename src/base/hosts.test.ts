import { expect, test } from 'vitest'
import { createHostGuard, createOriginGuard, isLoopback } from './hosts.ts'

// Holds D50.
test.each([
  ['localhost:8545', true],
  ['LOCALHOST', true],
  ['127.0.0.1:8545', true],
  ['[::1]:8545', true],
  ['192.168.1.7', true],
  ['node.example:8545', true],
  ['NODE.example', true],
  ['evil.example', false],
  ['localhost.evil.example', false],
  ['127.0.0.1.evil.example:8545', false],
  [undefined, true],
])('the host %s is allowed: %s', (host, isAllowed) => {
  expect(createHostGuard(['Node.Example'])(host)).toBe(isAllowed)
})

test('a star allows every host', () => {
  expect(createHostGuard(['*'])('evil.example')).toBe(true)
})

test('origins are compared without regard to letter case', () => {
  const isAllowed = createOriginGuard(['https://App.example/'])
  expect(isAllowed('https://app.example')).toBe(true)
  expect(isAllowed('http://app.example')).toBe(false)
  expect(isAllowed('null')).toBe(false)
  expect(createOriginGuard([])('https://app.example')).toBe(false)
})

test.each([
  ['127.0.0.1', true],
  ['127.8.9.1', true],
  ['::ffff:127.0.0.1', true],
  ['::1', true],
  ['localhost', true],
  ['0.0.0.0', false],
  ['::', false],
  ['10.0.0.1', false],
  ['127.evil.example', false],
])('the address %s is this machine only: %s', (address, isLocal) => {
  expect(isLoopback(address)).toBe(isLocal)
})
