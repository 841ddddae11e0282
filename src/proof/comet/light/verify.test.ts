import { expect, test } from 'vitest'
import {
  at,
  LIGHT_OPTIONS,
  lightChain,
  NOW_NS,
  SECOND_NS,
  signHeader,
  START_NS,
  steadyChain,
  validatorsOf,
} from '../../../../test/support/lightChain.ts'
import type { CommitSignature, Header, Validator } from '../types.ts'
import { LightError, type LightErrorCode } from './errors.ts'
import type { LightBlock, LightOptions } from './types.ts'
import { verifyBackward, verifyForward } from './verify.ts'

const ALL = ['a', 'b', 'c', 'd']
const chain = steadyChain(6)

function verdict(
  trusted: LightBlock,
  next: LightBlock,
  options: LightOptions = LIGHT_OPTIONS,
  now = NOW_NS,
): LightErrorCode | 'ok' {
  try {
    verifyForward(options, trusted, next, now)
    return 'ok'
  } catch (error) {
    if (error instanceof LightError) return error.code
    throw error
  }
}

test('the next header and one further on are verified', () => {
  expect(verdict(at(chain, 1), at(chain, 2))).toBe('ok')
  expect(verdict(at(chain, 1), at(chain, 6))).toBe('ok')
})

test('a trusted header is good until the trusting period after it is over, to the nanosecond', () => {
  const options = { ...LIGHT_OPTIONS, trustingPeriodNs: 100n * SECOND_NS }
  const end = at(chain, 1).header.timeNs + 100n * SECOND_NS
  expect(verdict(at(chain, 1), at(chain, 2), options, end - 1n)).toBe('ok')
  expect(verdict(at(chain, 1), at(chain, 2), options, end)).toBe('expired')
})

test('a header may lie in the future by less than the clock drift', () => {
  const { timeNs } = at(chain, 2).header
  const drift = LIGHT_OPTIONS.maxClockDriftNs
  expect(verdict(at(chain, 1), at(chain, 2), LIGHT_OPTIONS, timeNs - drift + 1n)).toBe('ok')
  expect(verdict(at(chain, 1), at(chain, 2), LIGHT_OPTIONS, timeNs - drift)).toBe('invalid')
})

test('height and time must rise', () => {
  expect(verdict(at(chain, 3), at(chain, 3))).toBe('invalid')
  expect(verdict(at(chain, 3), at(chain, 2))).toBe('invalid')
  const late = { ...at(chain, 2).header, timeNs: at(chain, 1).header.timeNs }
  expect(verdict(at(chain, 1), signHeader(late, at(chain, 2).validators, ALL))).toBe('invalid')
})

test.each([
  [['a', 'b', 'c'], 'ok'],
  [['a', 'b'], 'invalid'],
  [[], 'invalid'],
])('of four equal validators %j sign: %s', (names, expected) => {
  const { header, validators } = at(chain, 2)
  expect(verdict(at(chain, 1), signHeader(header, validators, names))).toBe(expected)
})

test('exactly two thirds are not enough, and exactly a third of the trusted ones is not either', () => {
  const powers = { a: 1n, b: 1n, c: 1n }
  const three = steadyChain(3, powers)
  const { header, validators } = at(three, 2)
  expect(verdict(at(three, 1), signHeader(header, validators, ['a', 'b']))).toBe('invalid')
  const changed = { a: 1n, x: 10n }
  const skipping = lightChain({ sets: [powers, powers, changed] })
  expect(verdict(at(skipping, 1), at(skipping, 3))).toBe('notEnoughTrust')
  const kept = { a: 1n, b: 1n, x: 10n }
  const trusting = lightChain({ sets: [powers, powers, kept] })
  expect(verdict(at(trusting, 1), at(trusting, 3))).toBe('ok')
  const level = { numerator: 2n, denominator: 3n }
  expect(verdict(at(trusting, 1), at(trusting, 3), { ...LIGHT_OPTIONS, trustLevel: level })).toBe(
    'notEnoughTrust',
  )
})

test('the next validators are those that were announced, whoever signs', () => {
  const announced = lightChain({ sets: [{ a: 1n }, { a: 1n }] })
  const { header } = at(announced, 2)
  const impostors = validatorsOf({ x: 1n })
  const forged = lightChain({ sets: [{ x: 1n }, { x: 1n }] })
  expect(verdict(at(announced, 1), at(forged, 2))).toBe('invalid')
  expect(verdict(at(announced, 1), signHeader(header, impostors, ['x']))).toBe('invalid')
})

test('a validator counts once for the trusted set, however often it signs', () => {
  const trusted = steadyChain(3, { a: 2n, b: 3n, c: 3n })
  const { header, validators, commit } = at(trusted, 3)
  const own = commit.signatures.find((entry) => entry.blockIdFlag === 2)
  const repeated = commit.signatures.map(() => own as CommitSignature)
  const block = { header, validators, commit: { ...commit, signatures: repeated } }
  expect(() => verifyForward(LIGHT_OPTIONS, at(trusted, 1), block, NOW_NS)).toThrow('second one')
})

const BYTE_FIELDS = [
  'lastCommitHash',
  'dataHash',
  'validatorsHash',
  'nextValidatorsHash',
  'consensusHash',
  'appHash',
  'lastResultsHash',
  'evidenceHash',
  'proposerAddress',
] as const satisfies readonly (keyof Header)[]

test.each(BYTE_FIELDS)('every bit of %s is covered, and so is its length', (field) => {
  const block = at(chain, 2)
  const value = block.header[field]
  for (let bit = 0; bit < value.length * 8; bit++) {
    const flipped = value.slice()
    flipped[bit >> 3] = (flipped[bit >> 3] as number) ^ (1 << (bit & 7))
    const header = { ...block.header, [field]: flipped }
    expect(verdict(at(chain, 1), { ...block, header })).toBe('invalid')
  }
  for (const length of [0, 19, 31, 33]) {
    const header = { ...block.header, [field]: new Uint8Array(length) }
    expect(verdict(at(chain, 1), { ...block, header })).toBe('invalid')
  }
})

const HEADERS: readonly [string, Partial<Header>][] = [
  ['block protocol', { version: { block: 12n, app: 1n } }],
  ['app version', { version: { block: 11n, app: 2n } }],
  ['chain id', { chainId: 'light-2' }],
  ['long chain id', { chainId: 'x'.repeat(51) }],
  ['height', { height: 3 }],
  ['height 0', { height: 0 }],
  ['time', { timeNs: START_NS + 2n * SECOND_NS + 1n }],
  ['last block', { lastBlockId: at(chain, 3).header.lastBlockId }],
  [
    'part set',
    { lastBlockId: { hash: new Uint8Array(32), parts: { total: 2, hash: new Uint8Array(5) } } },
  ],
]
test.each(HEADERS)('another %s is refused', (_name, change) => {
  const block = at(chain, 2)
  const changed = { ...block, header: { ...block.header, ...change } }
  expect(verdict(at(chain, 1), changed)).toBe('invalid')
})

test.each<[string, (validator: Validator) => Validator]>([
  ['key', (entry) => ({ ...entry, publicKey: entry.publicKey.map((byte) => byte ^ 1) })],
  ['short key', (entry) => ({ ...entry, publicKey: entry.publicKey.subarray(1) })],
  ['address', (entry) => ({ ...entry, address: entry.address.map((byte) => byte ^ 1) })],
  ['power', (entry) => ({ ...entry, power: entry.power + 1n })],
  ['negative power', (entry) => ({ ...entry, power: -1n })],
  ['power beyond the total', (entry) => ({ ...entry, power: (1n << 60n) - 1n })],
])('another %s of a validator is refused', (_name, change) => {
  const block = at(chain, 2)
  const validators = block.validators.map((entry, index) => (index === 1 ? change(entry) : entry))
  expect(verdict(at(chain, 1), { ...block, validators })).toBe('invalid')
})

test('a set that is empty, shorter, longer or in another order is refused', () => {
  const block = at(chain, 2)
  const { validators } = block
  const [first] = validators
  for (const other of [
    [],
    validators.slice(1),
    [...validators, first as Validator],
    [...validators].reverse(),
  ])
    expect(verdict(at(chain, 1), { ...block, validators: other })).toBe('invalid')
})

test('going back, only the header that its successor names is taken', () => {
  const later = at(chain, 4).header
  const earlier = at(chain, 3).header
  expect(() => verifyBackward(LIGHT_OPTIONS, later, earlier)).not.toThrow()
  expect(() => verifyBackward(LIGHT_OPTIONS, later, at(chain, 2).header)).toThrow('height 3')
  for (const change of [
    { appHash: new Uint8Array(32) },
    { chainId: 'light-2' },
    { timeNs: later.timeNs },
  ])
    expect(() => verifyBackward(LIGHT_OPTIONS, later, { ...earlier, ...change })).toThrow(
      LightError,
    )
})
