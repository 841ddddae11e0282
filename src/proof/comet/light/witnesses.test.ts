import { expect, test } from 'vitest'
import {
  at,
  LIGHT_OPTIONS,
  lightChain,
  NOW_NS,
  providerOf,
  signHeader,
  steadyChain,
  validatorsOf,
  type ChainOptions,
} from '../../../../test/support/lightChain.ts'
import { verifyHeight, type LightClient } from './client.ts'
import { LightError } from './errors.ts'
import type { LightBlock, Provider } from './types.ts'
import { LightAttackError } from './witnesses.ts'

const POWERS = { a: 1n, b: 1n, c: 1n, d: 1n }
const FORK = 6

function chainOf(options: Omit<ChainOptions, 'sets'> = {}): readonly LightBlock[] {
  return lightChain({ sets: Array.from({ length: 10 }, () => POWERS), ...options })
}

const honest = chainOf()

function verify(primary: readonly LightBlock[], witnesses: readonly Provider[], height = 10) {
  const client: LightClient = {
    ...LIGHT_OPTIONS,
    primary: providerOf(primary),
    witnesses: witnesses.map((provider, index) => ({ name: `witness ${index}`, provider })),
    mode: 'skipping',
  }
  return verifyHeight(client, [at(honest, 1)], height, NOW_NS)
}

async function attackOf(run: Promise<unknown>): Promise<LightAttackError> {
  const error: unknown = await run.then(
    () => undefined,
    (reason: unknown) => reason,
  )
  if (error instanceof LightAttackError) return error
  throw new Error('no attack was reported', { cause: error })
}

test('witnesses that show the same block are named', async () => {
  const { agreeing } = await verify(honest, [providerOf(honest), providerOf(honest)])
  expect(agreeing).toEqual(['witness 0', 'witness 1'])
})

test('a lunatic fork gives evidence against both sides, with who signed it', async () => {
  const lying = chainOf({
    app: (height) => (height >= FORK ? 'lie' : 'state'),
    signing: Array.from({ length: 10 }, (_, index) =>
      index + 1 < FORK ? ['a', 'b', 'c', 'd'] : ['a', 'b', 'c'],
    ),
  })
  const { evidence, code } = await attackOf(verify(lying, [providerOf(honest)]))
  expect(code).toBe('attack')
  const [against, reverse] = evidence
  expect(against).toMatchObject({ kind: 'lunatic', commonHeight: 1, totalVotingPower: 4n })
  expect(against?.conflicting).toBe(at(lying, 10))
  expect(against?.byzantineValidators).toEqual(validatorsOf({ a: 1n, b: 1n, c: 1n }))
  expect(reverse?.conflicting).toBe(at(honest, 10))
})

test('two blocks of one round show the validators that signed both', async () => {
  const twice = chainOf({
    evidence: (height) => (height === 10 ? 'other' : 'none'),
    signing: Array.from({ length: 10 }, (_, i) => (i < 9 ? ['a', 'b', 'c', 'd'] : ['b', 'c', 'd'])),
  })
  const { evidence } = await attackOf(verify(twice, [providerOf(honest)]))
  expect(evidence[0]).toMatchObject({ kind: 'equivocation', commonHeight: 10 })
  expect(evidence[0]?.byzantineValidators).toHaveLength(3)
})

test('two blocks of different rounds are amnesia, and nobody is named', async () => {
  const other = chainOf({
    evidence: (height) => (height === 10 ? 'other' : 'none'),
    round: (height) => (height === 10 ? 1 : 0),
  })
  const { evidence } = await attackOf(verify(other, [providerOf(honest)]))
  expect(evidence[0]).toMatchObject({ kind: 'amnesia', byzantineValidators: [] })
})

test('a primary ahead of its time is caught by a witness whose last block is as late', async () => {
  const witness = honest.slice(0, 8)
  const { header, validators } = at(chainOf({ app: () => 'lie' }), 9)
  const timeNs = at(witness, 8).header.timeNs - 1n
  const early = signHeader({ ...header, timeNs }, validators, Object.keys(POWERS))
  const shown = [...honest.slice(0, 8), early]
  const { evidence } = await attackOf(verify(shown, [providerOf(witness)], 9))
  expect(evidence[0]?.conflicting).toBe(early)
})

test('a witness that lags, fails or proves nothing counts for nothing', async () => {
  const forged = lightChain({ sets: Array.from({ length: 10 }, () => ({ thief: 1n })) })
  const broken: Provider = async () => {
    throw new LightError('malformed', 'nothing')
  }
  const useless = [providerOf(honest.slice(0, 5)), broken, providerOf(forged)]
  await expect(verify(honest, useless)).rejects.toMatchObject({ code: 'unconfirmed' })
  const { agreeing } = await verify(honest, [...useless, providerOf(honest)])
  expect(agreeing).toEqual(['witness 3'])
})

test('a witness cannot raise an alarm by validators or hashes that it makes up', async () => {
  const thieves = lightChain({ sets: Array.from({ length: 10 }, () => ({ thief: 1n })) })
  const { validators } = at(thieves, 1)
  const disguises: readonly LightBlock[] = [
    // The real header with other validators, and another header under the real hash.
    { ...at(honest, 1), validators },
    { ...at(thieves, 1), commit: at(honest, 1).commit },
  ]
  for (const begin of disguises) {
    const liar = providerOf([begin, ...thieves.slice(1)])
    await expect(verify(honest, [liar])).rejects.toMatchObject({ code: 'unconfirmed' })
  }
  const timeNs = at(honest, 10).header.timeNs
  const late = signHeader({ ...at(honest, 1).header, timeNs }, at(honest, 1).validators, [
    'a',
    'b',
    'c',
  ])
  const stuck: Provider = async (height) => {
    if (height === 'latest') return late
    if (height > 1) throw new LightError('tooHigh', 'not there')
    return at(honest, 1)
  }
  await expect(verify(honest, [stuck])).rejects.toMatchObject({ code: 'unconfirmed' })
})

test('other proposer priorities than the primary shows are refused, as no hash covers them', async () => {
  const shifted = honest.map((block) => ({
    ...block,
    validators: block.validators.map((entry, i) => ({ ...entry, proposerPriority: BigInt(i) })),
  }))
  await expect(verify(honest, [providerOf(shifted)])).rejects.toThrow('proposer priorities')
})

test('a fault of the program in a witness is not taken for its answer', async () => {
  const faulty: Provider = async () => {
    throw new TypeError('bug')
  }
  await expect(verify(steadyChain(10), [faulty])).rejects.toThrow(TypeError)
})
