import fc from 'fast-check'
import { expect, test } from 'vitest'
import { acceptOf } from '../../wire/accept.ts'
import { callObject } from './callObject.ts'
import { blockOverrides, stateOverrides } from './overrides.ts'

const hexOf = (size: number) =>
  fc
    .uint8Array({ minLength: size, maxLength: size })
    .map((bytes) => `0x${Buffer.from(bytes).toString('hex')}`)

const field = fc.oneof(
  { weight: 3, arbitrary: hexOf(20) },
  hexOf(4),
  fc.bigInt({ min: 0n, max: 2n ** 257n }).map((value) => `0x${value.toString(16)}`),
  fc.constantFrom(null, undefined, '', '0x', '0x00', 1, {}),
)
const names =
  'from to data input value gas gasLimit gasPrice maxFeePerGas maxPriorityFeePerGas nonce chainId type __proto__ x'.split(
    ' ',
  )
const call = fc.dictionary(fc.constantFrom(...names), field, { maxKeys: 3 })

test('a call that takes the short way is the one that the schema parses', () => {
  let taken = 0
  fc.assert(
    fc.property(fc.oneof(call, fc.jsonValue()), (given) => {
      const accepted = acceptOf(callObject)?.(given)
      if (accepted === undefined) return
      taken++
      expect(callObject.parse(given)).toEqual(accepted)
    }),
    { numRuns: 3000 },
  )
  expect(taken).toBeGreaterThan(100)
})

test.each<Record<string, string>>([
  {},
  { from: `0x${'22'.repeat(20)}`, gas: '0x1000000' },
  { gasLimit: '0x5208', maxFeePerGas: '0x3b9aca00', maxPriorityFeePerGas: '0x1', nonce: '0x0' },
  { gasPrice: '0x0', value: '0x0', chainId: '0x425d4' },
])('the call of a token balance takes the short way with %o', (more) => {
  const given = { to: `0x${'11'.repeat(20)}`, data: `0x70a08231${'00'.repeat(32)}`, ...more }
  expect(acceptOf(callObject)?.(given)).toEqual(callObject.parse(given))
})

test.each([undefined, null, {}])('overrides that are not there are none: %s', (given) => {
  for (const schema of [stateOverrides, blockOverrides]) {
    const accepted = acceptOf(schema)?.(given)
    expect(accepted === undefined).toBe(given !== undefined)
    if (accepted !== undefined) expect(schema.parse(given)).toEqual(accepted)
  }
})
