/**
 * Dispatcher and operator collude against verifiers that know everything, the dispatcher, the chain, or nothing: they change any
 * field of every kind of bundle, and random pairs of fields, and sign again. Nothing may pass for checked that was changed.
 * ASSAY_COLLUSION: number of fields and of pairs per kind and verifier (default 24), or "all"; ASSAY_FUZZ_SEED: seed of the choice.
 * All fields of three kinds are in src/jobs/dispatcher/receipts/collusion.test.ts.
 */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createRandom, type Random } from '../support/chainModel.ts'
import {
  attack,
  singleChanges,
  victimOf,
  type Outcome,
  type Victim,
} from '../support/collusion/attack.ts'
import { allKinds, trustsOf, type Kind } from '../support/collusion/kinds.ts'
import type { Change } from '../support/collusion/seal.ts'

const { ASSAY_COLLUSION = '24', ASSAY_FUZZ_SEED = '17' } = process.env

let folder: string
let kinds: readonly Kind[]

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'assay-collusion-'))
  kinds = await allKinds(folder)
})

afterAll(() => rm(folder, { recursive: true, force: true }))

/** Every pair of changes of different fields. */
function* pairsOf(changes: readonly Change[]): Generator<readonly [Change, Change]> {
  for (const [at, one] of changes.entries())
    for (const other of changes.slice(at + 1))
      if (one[0].join('.') !== other[0].join('.')) yield [one, other]
}

/** Single changes: all, or a random choice. */
function chosenChanges(changes: readonly Change[], random: Random): Iterable<readonly Change[]> {
  if (ASSAY_COLLUSION === 'all') return changes.map((change) => [change])
  return Array.from({ length: Number(ASSAY_COLLUSION) }, () => [
    changes[random(changes.length)] as Change,
  ])
}

/** Pairs of changes: all, or a random choice. Half of them are outside the anchor, where colluders can fit the rest. */
function chosenPairs(changes: readonly Change[], random: Random): Iterable<readonly Change[]> {
  if (ASSAY_COLLUSION === 'all') return pairsOf(changes)
  const free = changes.filter(([path]) => !path.includes('anchor'))
  return Array.from({ length: Number(ASSAY_COLLUSION) }, (_, at) => {
    const from = at % 2 === 0 ? free : changes
    const one = from[random(from.length)] as Change
    const others = from.filter(([path]) => path.join('.') !== one[0].join('.'))
    return [one, others[random(others.length)] as Change]
  })
}

/** Makes the attacks, counts what became of them, and returns those that went unnoticed. */
async function campaign(
  attacks: (kind: Kind) => Iterable<readonly Change[]>,
  name: string,
): Promise<readonly string[]> {
  const unnoticed = new Set<string>()
  const tally: Partial<Record<Outcome, number>> = {}
  for (const kind of kinds)
    for (const [who, trust] of Object.entries(trustsOf(kind))) {
      const victim: Victim = await victimOf(kind, trust)
      for (const changes of attacks(kind)) {
        const outcome = await attack(victim, changes)
        tally[outcome] = (tally[outcome] ?? 0) + 1
        const fields = changes.map(([path]) => path.join('.')).join(' and ')
        if (outcome === 'unnoticed') unnoticed.add(`${kind.name}, trusting ${who}: ${fields}`)
      }
    }
  process.stdout.write(`${name}: ${JSON.stringify(tally)}\n`)
  return [...unnoticed]
}

// Holds D76.
test('no field of any kind of bundle can be changed without notice', async () => {
  const random = createRandom(Number(ASSAY_FUZZ_SEED))
  expect(await campaign((kind) => chosenChanges(singleChanges(kind), random), 'fields')).toEqual([])
})

test('no pair of fields can be changed without notice', async () => {
  const random = createRandom(Number(ASSAY_FUZZ_SEED))
  expect(await campaign((kind) => chosenPairs(singleChanges(kind), random), 'pairs')).toEqual([])
})
