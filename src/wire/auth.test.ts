import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { createAuthenticator } from './auth.ts'
import { createToken } from './token.ts'

const SECRET = new Uint8Array(32).fill(3)
const NOW = 1_800_000_000
const POLICY = { secret: SECRET, isOpen: false }

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['Date'], now: NOW * 1000 })
})
afterEach(() => {
  vi.useRealTimers()
})

const bearer = (name: string, ttl = 3600): string =>
  `Bearer ${createToken(SECRET, { scope: ['*'], ttl, name, now: NOW })}`

test('a token that a connection showed before is refused from the second on in which it ends', () => {
  const credentialsOf = createAuthenticator('127.0.0.1', POLICY)
  const header = bearer('ops', 100)
  const first = credentialsOf(header)
  expect(first.authorized).toBe(true)
  vi.setSystemTime((NOW + 99) * 1000)
  expect(credentialsOf(header)).toBe(first)
  vi.setSystemTime((NOW + 100) * 1000)
  expect(credentialsOf(header)).toMatchObject({ authorized: false, refusal: 'token is expired' })
})

test('each header of a connection is judged by itself, also none', () => {
  const credentialsOf = createAuthenticator('127.0.0.1', POLICY)
  expect(credentialsOf(undefined)).toMatchObject({ authorized: false, refusal: undefined })
  const one = credentialsOf(bearer('one'))
  const other = credentialsOf(bearer('other'))
  expect(other.principal).not.toBe(one.principal)
  expect(credentialsOf(`${bearer('one')}x`)).toMatchObject({ refusal: 'invalid signature' })
  expect(credentialsOf(undefined)).toMatchObject({ authorized: false, refusal: undefined })
})
