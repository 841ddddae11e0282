/** Dispatcher and operator collude: what they change and sign again must not pass for checked. */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { attack, singleChanges, victimOf } from '../../../../test/support/collusion/attack.ts'
import { allKinds, type Kind } from '../../../../test/support/collusion/kinds.ts'
import { seal, type Change } from '../../../../test/support/collusion/seal.ts'
import { leavesOf, schemaAt, schemaLeaves } from '../../../../test/support/collusion/shape.ts'
import { nodeContext } from '../../bundleContext.ts'
import { bundle } from '../../../proof/bundle/format.ts'
import { verifyBundle } from '../../../proof/bundle/verify.ts'

let folder: string
let kinds: readonly Kind[]

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'assay-collusion-'))
  kinds = await allKinds(folder)
})

afterAll(() => rm(folder, { recursive: true, force: true }))

test('honest bundles of every kind and version hold, and establish what they can', async () => {
  const facts = await Promise.all(
    kinds.map(async ({ name, bundle: json, everything }) => {
      const report = await verifyBundle(json, everything, nodeContext)
      expect(report.lines.filter(({ status }) => status === 'fails')).toEqual([])
      return [name, report.facts[0]?.join(', ')]
    }),
  )
  expect(Object.fromEntries(facts)).toEqual({
    'opml of version 1': 'signed, anchored, re-executed',
    'opml of version 2': 'signed, anchored, re-executed',
    'opml of version 3': 'signed, anchored, re-executed',
    'opml that is not anchored': 'signed, re-executed',
    'software of version 1': 'signed, anchored, software',
    'software of version 3, on another chain': 'signed, anchored, software',
    'hardware of version 2': 'signed, anchored, hardware',
    'hardware of version 3': 'signed, anchored, hardware',
  })
})

test('between them they have every field that the shape of a bundle has', () => {
  const seen = new Set(
    kinds.flatMap(({ bundle: json }) =>
      leavesOf(json).map(([path]) => schemaAt(bundle, path).name),
    ),
  )
  expect(schemaLeaves(bundle).filter((name) => !seen.has(name))).toEqual([])
})

// Holds D76.
test.each(['opml of version 3', 'software of version 1', 'hardware of version 3'])(
  'whichever field they change in %s, the verdict changes or the field is listed',
  async (name) => {
    const unnoticed = new Set<string>()
    const kind = kinds.find((each) => each.name === name)
    if (kind === undefined) throw new Error(`there is no ${name}`)
    const victim = await victimOf(kind, kind.everything)
    for (const change of singleChanges(kind)) {
      const outcome = await attack(victim, [change])
      if (outcome === 'unnoticed') unnoticed.add(change[0].join('.'))
    }
    expect([...unnoticed]).toEqual([])
  },
)

/** The report on an answer in which fields of the statement, or of the receipt, were changed and signed again. */
async function reportOn(
  name: string,
  changes: { readonly [Name in 'statement' | 'receipt']?: Readonly<Record<string, unknown>> },
) {
  const kind = kinds.find((each) => each.name === name)
  if (kind === undefined) throw new Error(`there is no ${name}`)
  const list = Object.entries(changes).flatMap(([record, fields]) =>
    Object.entries(fields).map(([field, value]): Change => [['answers', 0, record, field], value]),
  )
  const json = await seal(kind.bundle, list, kind.colluders)
  return verifyBundle(json, kind.everything, nodeContext)
}

test('a statement with another model, engine, length or end is not re-executed', async () => {
  const lies = [
    { modelHash: `0x${'77'.repeat(32)}` },
    { engine: 'llama-3.1-405b/FP16' },
    { tokens: 4 },
    { finishReason: 'length' },
    { promptTokens: 3 },
    { commitment: 2 },
  ]
  for (const statement of lies) {
    const { facts } = await reportOn('opml of version 3', { statement })
    expect({ statement, facts: facts[0] }).not.toMatchObject({
      facts: expect.arrayContaining(['re-executed']) as unknown,
    })
  }
})

// Holds D77.
test('a receipt that claims to be years older than its anchor fails, and so does an end before the beginning', async () => {
  const past = 1_609_459_200
  const old = {
    statement: { createdAt: past, startedAt: past, finishedAt: past },
    receipt: { recordedAt: past },
  }
  const { lines } = await reportOn('opml of version 3', old)
  expect(lines.filter(({ status }) => status === 'fails').map(({ text }) => text)).toEqual([
    'it claims to be recorded 2021-01-01T00:00:00Z, but was anchored 2026-01-02T00:00:10Z, which is more than 3600 s later: allow a longer delay if this dispatcher anchors less often',
  ])
  const early = await reportOn('opml of version 3', { statement: { finishedAt: past } })
  expect(early.lines.some(({ text }) => text.startsWith('the times are not in order'))).toBe(true)
})

test('an answer with the seed of another, and parameters that never ran, is not re-executed', async () => {
  const kind = kinds.find(({ name }) => name === 'opml of version 3') as Kind
  const decoy = await seal(
    kind.bundle,
    [
      [['answers', 0, 'params', 'temperature'], 1.5],
      [['answers', 0, 'params', 'max_tokens'], 4096],
    ],
    kind.colluders,
  )
  const { request: _, ...trust } = kind.everything
  const { facts, lines } = await verifyBundle(decoy, trust, nodeContext)
  expect(facts).toEqual([['signed', 'anchored']])
  expect(lines.some(({ text }) => text.startsWith('execution: you executed it with'))).toBe(true)
})
