/** Sends mutated proposals to two nodes at once. ASSAY_FUZZ_PROPOSALS sets how many, ASSAY_FUZZ_SEED which. */
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { afterAll, expect, test } from 'vitest'
import {
  openApplicationNode,
  OPERATORS,
  proposedBlock,
  testGenesis,
  type ApplicationNode,
} from '../../../test/support/applicationNode.ts'
import { pick, seededRandom, type Random } from '../../../test/support/randomProgram.ts'
import { createWorkload, workloadSenders } from '../../../test/support/workload.ts'
import { equalBytes } from '../../base/bytes.ts'
import { openKv } from '../../store/kv.ts'
import type { ProposedBlock } from '../application.ts'

const PROPOSALS = Number(process.env['ASSAY_FUZZ_PROPOSALS'] ?? 400)
const SEED = Number(process.env['ASSAY_FUZZ_SEED'] ?? 1)
/** Mutated proposals per height. */
const FOR_A_HEIGHT = 40
const MAX_BYTES = 1_000_000

const senders = workloadSenders(12)
const genesis = testGenesis(senders)
const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'assay-mutated-'))
const closing: (() => Promise<void>)[] = []
afterAll(async () => {
  for (const close of closing) await close()
  fs.rmSync(folder, { recursive: true })
})

function open(name: string): ApplicationNode {
  const kv = openKv(path.join(folder, name), { isScratch: true })
  closing.push(() => kv.close())
  const node = openApplicationNode({ genesis, kv })
  node.application.initChain(genesis.initChain)
  return node
}

type Txs = readonly Uint8Array[]
type Mutation = (txs: Txs, random: Random, others: Txs) => Txs

const randomBytes = (random: Random, length: number): Uint8Array =>
  Uint8Array.from({ length }, () => random(256))

/** `txs` with one of them replaced; when it is empty, that one alone. */
function replaceOne(txs: Txs, random: Random, change: (tx: Uint8Array) => Uint8Array): Txs {
  const index = random(Math.max(1, txs.length))
  return txs.length === 0
    ? [change(new Uint8Array(0))]
    : txs.map((tx, at) => (at === index ? change(tx) : tx))
}

function flipBit(tx: Uint8Array, random: Random): Uint8Array {
  const copy = tx.slice()
  const at = random(Math.max(1, copy.length))
  if (copy.length > 0) copy[at] = (copy[at] ?? 0) ^ (1 << random(8))
  return copy
}

const MUTATIONS: Readonly<Record<string, Mutation>> = {
  reversed: (txs) => txs.toReversed(),
  shuffled: (txs, random) =>
    txs
      .map((tx) => ({ tx, key: random(1 << 20) }))
      .toSorted((a, b) => a.key - b.key)
      .map(({ tx }) => tx),
  'without one': (txs, random) => txs.toSpliced(random(Math.max(1, txs.length)), 1),
  'one twice': (txs, random) => (txs.length === 0 ? txs : [...txs, pick(random, txs)]),
  'with others': (txs, random, others) => [...txs, ...others.slice(random(4))],
  'a bit flipped': (txs, random) => replaceOne(txs, random, (tx) => flipBit(tx, random)),
  'one cut off': (txs, random) =>
    replaceOne(txs, random, (tx) => tx.subarray(0, random(tx.length + 1))),
  'one with a tail': (txs, random) =>
    replaceOne(txs, random, (tx) => Uint8Array.of(...tx, ...randomBytes(random, 1 + random(40)))),
  garbage: (txs, random) => [...txs, randomBytes(random, random(200))],
  oversize: (txs, random) => [...txs, new Uint8Array(200_000 + random(800_000)).fill(random(256))],
  'too much gas': (txs) => Array.from({ length: 40 }, () => txs).flat(),
}

const areEqual = (a: Txs, b: Txs): boolean =>
  a.length === b.length && a.every((tx, index) => equalBytes(tx, b[index] ?? new Uint8Array(0)))

test('two nodes judge spoilt proposals alike, and a spoilt block that is decided all the same is the same on both', async () => {
  const random = seededRandom(SEED)
  const nodes = [open('first'), open('second')] as const
  const [proposer] = nodes
  const workload = createWorkload({
    chainId: genesis.state.rules.chainId,
    senders,
    random,
    operators: OPERATORS,
  })
  const counts = { accept: 0, reject: 0 }
  let decided: ProposedBlock | undefined
  for (let made = 0, height = 1; made < PROPOSALS; height++) {
    const others = workload.next(8, proposer.store.latest())
    const draft = proposedBlock(genesis, height, [])
    const localLastCommit = draft.decidedLastCommit
    const txs = await proposer.application.prepareProposal({
      ...draft,
      txs: others,
      maxTxBytes: MAX_BYTES,
      localLastCommit,
    })
    const judge = async (block: ProposedBlock) => {
      const [a, b] = await Promise.all(
        nodes.map(({ application }) => application.processProposal(block)),
      )
      expect(b).toBe(a)
      return a
    }
    expect(await judge({ ...draft, txs })).toBe('accept')
    decided = { ...draft, txs }
    for (let i = 0; i < FOR_A_HEIGHT; i++, made++) {
      const [name, mutate] = pick(random, Object.entries(MUTATIONS))
      const spoilt = mutate(txs, random, others)
      const isElsewhere = random(20) === 0
      const block = { ...draft, txs: spoilt, height: height + (isElsewhere ? random(3) - 1 : 0) }
      const verdict = await judge(block)
      if (areEqual(spoilt, txs) && block.height === height)
        expect([name, verdict]).toEqual([name, 'accept'])
      if (block.height !== height) expect(verdict).toBe('reject')
      counts[verdict === 'accept' ? 'accept' : 'reject']++
      // Two thirds of malicious validators could decide on it.
      if (block.height === height && random(FOR_A_HEIGHT * 2) === 0) decided = block
    }
    const block = decided
    const answers = await Promise.all(nodes.map((node) => node.decide(block)))
    expect(answers[1]).toEqual(answers[0])
  }
  expect(counts.reject).toBeGreaterThan(counts.accept / 4)
  expect(counts.accept).toBeGreaterThan(0)
}, 7_200_000)
