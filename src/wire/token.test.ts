import { createHmac } from 'node:crypto'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { createToken, verifyToken } from './token.ts'

const SECRET = new Uint8Array(32).fill(3)
const NOW = 1_800_000_000

function encode(value: object): string {
  return Buffer.from(JSON.stringify(value)).toString('base64url')
}

function jwt(
  claims: object,
  header: object = { alg: 'HS256', typ: 'JWT' },
  secret = SECRET,
): string {
  const signed = `${encode(header)}.${encode(claims)}`
  return `${signed}.${createHmac('sha256', secret).update(signed).digest('base64url')}`
}

// Holds D13.
test('a lasting token grants its scope until it ends', () => {
  const token = createToken(SECRET, { scope: ['personal:*'], ttl: 3600, name: 'ops', now: NOW })
  expect(verifyToken(token, SECRET, NOW + 3599)).toMatchObject({
    scope: ['personal:*'],
    expiresAt: NOW + 3600,
  })
  expect(() => verifyToken(token, SECRET, NOW + 3600)).toThrow('token is expired')
})

test('two lasting tokens are two principals, and fresh tokens of one secret are the same', () => {
  const make = () => createToken(SECRET, { scope: ['*'], ttl: 60, name: 'a', now: NOW })
  const principal = (token: string) => verifyToken(token, SECRET, NOW).principal
  expect(principal(make())).not.toBe(principal(make()))
  expect(principal(jwt({ iat: NOW }))).toBe(principal(jwt({ iat: NOW - 1 })))
})

test('until it is refused, a token grants the same', () => {
  const seconds = fc.integer({ min: -200, max: 200 })
  const maybe = fc.option(seconds, { nil: undefined })
  fc.assert(
    fc.property(maybe, maybe, seconds, seconds, (iat, exp, now, later) => {
      const at = (offset: number | undefined) => offset && NOW + offset
      const token = jwt({ iat: at(iat), exp: at(exp), scope: ['*'] })
      const grantAt = (offset: number) => {
        try {
          return verifyToken(token, SECRET, NOW + offset)
        } catch {
          return undefined
        }
      }
      const grant = grantAt(now)
      if (grant && later >= now && NOW + later < grant.validUntil)
        expect(grantAt(later)).toEqual(grant)
    }),
  )
})

test.each([
  [-61, 'stale token'],
  [-60, undefined],
  [60, undefined],
  [61, 'future token'],
])('an issue time %i s from now: %s', (offset, refusal) => {
  const verify = () => verifyToken(jwt({ iat: NOW + offset }), SECRET, NOW)
  if (refusal === undefined) expect(verify()).toMatchObject({ scope: undefined })
  else expect(verify).toThrow(refusal)
})

test.each([
  ['no times', jwt({}), 'missing issued-at'],
  ['an end but no scope and no issue time', jwt({ exp: NOW + 60 }), 'missing issued-at'],
  ['an end in the past', jwt({ iat: NOW, exp: NOW - 1, scope: ['*'] }), 'token is expired'],
  ['a scope that is no list', jwt({ iat: NOW, scope: '*' }), 'invalid claims'],
  ['no signature at all', `${encode({ alg: 'none' })}.${encode({ iat: NOW })}.`, 'HS256'],
  ['another algorithm', jwt({ iat: NOW }, { alg: 'HS512' }), 'HS256'],
  ['a critical extension', jwt({ iat: NOW }, { alg: 'HS256', crit: ['b64'] }), 'HS256'],
  ['another secret', jwt({ iat: NOW }, undefined, new Uint8Array(32)), 'invalid signature'],
  ['a cut signature', jwt({ iat: NOW }).slice(0, -1), 'invalid signature'],
  ['one part', 'abc', 'malformed token'],
  ['four parts', `${jwt({ iat: NOW })}.x`, 'malformed token'],
  ['too much text', jwt({ iat: NOW, pad: 'x'.repeat(5000) }), 'malformed token'],
])('a token with %s is refused', (_, token, message) => {
  expect(() => verifyToken(token, SECRET, NOW)).toThrow(message)
})

test('no change of a token leaves it valid, and no refusal repeats it', () => {
  const token = jwt({ iat: NOW })
  fc.assert(
    fc.property(
      fc.nat(token.length - 2),
      fc.constantFrom('a', 'Z', '0', '9', '-', '_', '.'),
      (position, char) => {
        const changed = token.slice(0, position) + char + token.slice(position + 1)
        fc.pre(changed !== token)
        let message = ''
        try {
          verifyToken(changed, SECRET, NOW)
        } catch (error) {
          message = (error as Error).message
        }
        expect(message).not.toBe('')
        expect(message.length).toBeLessThan(60)
      },
    ),
  )
})
