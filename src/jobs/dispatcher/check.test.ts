/**
 * Every way in which a result can be false, and the reason given for it; then every byte and every field of an honest
 * one.
 */
import { randomBytes, randomUUID } from 'node:crypto'
import { expect, test } from 'vitest'
import { statementOf } from '../../../test/support/scriptedOperator.ts'
import { toHex, toHexDigits } from '../../base/hex.ts'
import { addressOfPrivateKey } from '../../base/secp256k1.ts'
import type { SelectionRange } from '../../proof/vrfSelection.ts'
import { advanceClock } from '../../proof/job/vectorClock.ts'
import { vrfPublicKey } from '../../proof/vrf.ts'
import { drawFor } from '../operator/draw.ts'
import { doJob } from '../operator/job.ts'
import type { Source } from '../operator/sources.ts'
import type { Dispatch, Result } from '../protocol.ts'
import { STATEMENT_FIELDS } from '../../proof/job/statement.ts'
import { signStatement } from '../statement.ts'
import { checkResult, type Known } from './check.ts'

const key = new Uint8Array(32).fill(0x31)
const otherKey = new Uint8Array(32).fill(0x32)
const operator = toHex(addressOfPrivateKey(key))
const dispatcher = `0x${'d1'.repeat(20)}`
const domain = { chainId: 271828n, dispatcher } as const
const trust = { domain, evidence: { software: 'any' } } as const
const FULL: SelectionRange = { start: 0, end: 600_000, max: 600_000 }
const NONE: SelectionRange = { start: 0, end: 0, max: 600_000 }

const CREATED_AT = 1_700_000_000
const block = { number: 7, hash: 'ab'.repeat(32) }
const dispatch: Dispatch = {
  type: 'dispatch',
  jobId: toHexDigits(randomBytes(32)),
  lease: randomUUID(),
  leaseSeconds: 30,
  seed: toHexDigits(randomBytes(32)),
  tag: '',
  position: '',
  block,
  clock: { [dispatcher]: '5', [operator]: '2' },
  chainId: String(domain.chainId),
  createdAt: CREATED_AT,
  job: {
    tag: 'opml',
    prompt: 'What is AI?',
    model: 'tiny.gguf',
    params: { temperature: 0.7, top_p: 0.9, max_tokens: 16 },
  },
}

const known: Known = {
  ...dispatch,
  block,
  operator,
  range: FULL,
  protocol: 3,
  createdAt: CREATED_AT,
  round: 0,
  requestHash: '',
}

/** An honest result for a hand-out. */
async function honest(order = dispatch, range = FULL): Promise<Result> {
  const source: Source = {
    models: async () => ({ names: [], identities: [] }),
    close: async () => undefined,
    answer: async (request) => ({
      output: 'an answer',
      statement: statementOf(request, 'an answer'),
    }),
  }
  const identity = {
    address: addressOfPrivateKey(key),
    privateKey: key,
    dispatcher: Buffer.from(dispatcher.slice(2), 'hex'),
  }
  const result = await doJob(order, {
    identity,
    range,
    protocol: 3,
    clock: advanceClock({}, operator, order.clock),
    sources: new Map([[order.job.tag, source]]),
    signal: new AbortController().signal,
  })
  if (result.type !== 'result') throw new Error(result.reason)
  return result
}

type Answer = NonNullable<Result['answer']>
type Statement = Answer['statement']

const vrf = (result: Result, changes: Partial<Result['vrf']>): Result => ({
  ...result,
  vrf: { ...result.vrf, ...changes },
})
const answerOf = ({ answer }: Result): Answer => {
  if (answer === undefined) throw new Error('there is no answer')
  return answer
}
const answer = (result: Result, changes: Partial<Answer>): Result => ({
  ...result,
  answer: { ...answerOf(result), ...changes },
})
/** The statement changed, and signed again with the operator's own key: a deliberate lie. */
const swear = (result: Result, changes: Partial<Statement>, by = key): Result => {
  const statement = { ...answerOf(result).statement, ...changes }
  return answer(result, { statement, signature: signStatement(statement, domain, by) })
}
const clock = (result: Result, entries: Record<string, string>): Result => ({
  ...result,
  clock: entries,
})
const without = (result: Result): Result => ({ ...result, answer: undefined })
const other = toHex(randomBytes(32))
const evidence = { level: 'hardware', format: 'aws-nitro', document: 'AAAA' } as const
const tee = { ...known, job: { ...known.job, tag: 'tee' } } as const

type Lie = readonly [name: string, tell: (honest: Result) => Result, reason: RegExp, about?: Known]

const LIES: readonly Lie[] = [
  ['a proof that is no hex', (r) => vrf(r, { vrf_proof: 'xyz' }), /draw is not hexadecimal/],
  ['a key that is no hex', (r) => vrf(r, { vrf_verify_pubkey: '?' }), /draw is not hexadecimal/],
  [
    'the draw of another operator',
    (r) => ({ ...r, vrf: drawFor(dispatch, FULL, otherKey).record }),
    /not made with the operator's key/,
  ],
  [
    'the public key of another operator',
    (r) => vrf(r, { vrf_verify_pubkey: toHexDigits(vrfPublicKey(otherKey)) }),
    /not made with the operator's key/,
  ],
  [
    'the hash of another prompt',
    (r) => vrf(r, { vrf_prompt_hash: '00'.repeat(32) }),
    /draw is for a different prompt/,
  ],
  [
    'the draw of another job',
    (r) => ({ ...r, vrf: drawFor({ ...dispatch, jobId: other.slice(2) }, FULL, key).record }),
    /proof of the draw is invalid/,
  ],
  [
    'the draw of an earlier round',
    (r) => ({ ...r, vrf: drawFor({ ...dispatch, seed: other.slice(2) }, FULL, key).record }),
    /proof of the draw is invalid/,
  ],
  [
    'a draw for another block',
    (r) => {
      const elsewhere = { ...dispatch, block: { ...block, hash: other.slice(2) } }
      return { ...r, vrf: drawFor(elsewhere, FULL, key).record }
    },
    /proof of the draw is invalid/,
  ],
  [
    'a draw for no block',
    (r) => {
      const { block: _, ...former } = dispatch
      return { ...r, vrf: drawFor(former, FULL, key).record }
    },
    /proof of the draw is invalid/,
  ],
  [
    'a value of its own choice',
    (r) => vrf(r, { vrf_random_value: '00'.repeat(32) }),
    /drawn value is not the proven one/,
  ],
  [
    'a record that says unselected',
    (r) => vrf(r, { selected: false }),
    /draw selects the operator, but it claims otherwise/,
  ],
  [
    'a loss that it did not have',
    (r) => without({ ...vrf(r, { selected: false }), selected: false }),
    /draw selects the operator, but it claims otherwise/,
  ],
  [
    'a win that it did not have',
    (r) => r,
    /draw does not select the operator, but it claims otherwise/,
    { ...known, range: NONE },
  ],
  [
    'an answer though it was not drawn',
    (r) => ({ ...vrf(r, { selected: false }), selected: false }),
    /not selected but sent an answer/,
    { ...known, range: NONE },
  ],
  ['no answer though it was drawn', without, /was selected but sent no answer/],
  [
    'a clock of thousands',
    (r) => {
      const crowd = Array.from({ length: 256 }, (_, at) => [`p${at}`, '1'] as const)
      return clock(r, { ...r.clock, ...Object.fromEntries(crowd) })
    },
    /too many participants/,
  ],
  [
    'a participant with a space',
    (r) => clock(r, { ...r.clock, 'a b': '1' }),
    /malformed participant/,
  ],
  ['an empty participant', (r) => clock(r, { ...r.clock, '': '1' }), /malformed participant/],
  [
    'a participant that nobody handed out',
    (r) => clock(r, { ...r.clock, somebody: '1' }),
    /names a participant that the dispatcher did not hand out/,
  ],
  [
    'events of the dispatcher that it did not count',
    (r) => clock(r, { ...r.clock, [dispatcher]: '6' }),
    /names a participant that the dispatcher did not hand out/,
  ],
  [
    'a count without a successor',
    (r) => clock(r, { ...r.clock, [operator]: '9'.repeat(20) }),
    /counts more than 9007199254740991 events/,
  ],
  ['no clock', (r) => clock(r, {}), /clock is behind/],
  [
    'a clock from before the hand-out',
    (r) => clock(r, { ...r.clock, [dispatcher]: '4' }),
    /clock is behind/,
  ],
  [
    'a clock that did not see the operator work',
    (r) => clock(r, { ...r.clock, [operator]: '2' }),
    /does not count the operator's own event/,
  ],
  [
    'an engine that no database reads',
    (r) => swear(r, { engine: 'x\0' }),
    /engine is not printable/,
  ],
  ['a longer answer', (r) => swear(r, { tokens: 17 }), /longer than max_tokens/],
  ['another text', (r) => answer(r, { output: 'forged' }), /statement's outputHash/],
  [
    'the statement of another job',
    (r) => swear(r, { jobId: other }),
    /statement's jobId is not that of the job/,
  ],
  [
    'the statement of another operator',
    (r) => swear(r, { operator: toHex(addressOfPrivateKey(otherKey)) }),
    /statement's operator/,
  ],
  ['another type of job', (r) => swear(r, { jobType: 'tee' }), /statement's jobType/],
  ['another prompt', (r) => swear(r, { promptHash: other }), /statement's promptHash/],
  ['other parameters', (r) => swear(r, { paramsHash: other }), /statement's paramsHash/],
  ['another seed', (r) => swear(r, { seed: other }), /statement's seed/],
  ['another draw', (r) => swear(r, { vrfProofHash: other }), /statement's vrfProofHash/],
  ['another clock', (r) => swear(r, { clockHash: other }), /statement's clockHash/],
  [
    'a clock after the signature',
    (r) => clock(r, { ...r.clock, [operator]: '4' }),
    /statement's clockHash/,
  ],
  [
    'a statement of the former version',
    (r) => {
      const { statement } = answerOf(r)
      const fields = STATEMENT_FIELDS[2].map(({ name }) => [name, statement[name]])
      const former = Object.fromEntries(fields) as Statement
      return answer(r, { statement: former, signature: signStatement(former, domain, key) })
    },
    /not of version 3/,
  ],
  ['another block', (r) => swear(r, { drawBlockHash: `0x${'ac'.repeat(32)}` }), /drawBlockHash/],
  ['another submission', (r) => swear(r, { createdAt: CREATED_AT + 1 }), /createdAt/],
  ['an end before its beginning', (r) => swear(r, { finishedAt: CREATED_AT }), /clock/],
  [
    'an end in the future',
    (r) => swear(r, { finishedAt: Math.floor(Date.now() / 1000) + 3600 }),
    /clock/,
  ],
  ['a beginning before its submission', (r) => swear(r, { startedAt: CREATED_AT - 61 }), /clock/],
  ['the signature of another key', (r) => swear(r, {}, otherKey), /not signed by the operator/],
  [
    'a signature for another dispatcher',
    (r) => {
      const { statement } = answerOf(r)
      const elsewhere = { ...domain, dispatcher: `0x${'d2'.repeat(20)}` }
      return answer(r, { signature: signStatement(statement, elsewhere, key) })
    },
    /not signed by the operator/,
  ],
  [
    'a signature for another chain',
    (r) => {
      const { statement } = answerOf(r)
      return answer(r, { signature: signStatement(statement, { ...domain, chainId: 1n }, key) })
    },
    /not signed by the operator/,
  ],
  [
    'no signature',
    (r) => answer(r, { signature: `0x${'00'.repeat(65)}` }),
    /not signed by the operator/,
  ],
  [
    'a statement that nobody can sign',
    (r) => answer(r, { statement: { ...answerOf(r).statement, modelHash: 'tiny' } }),
    /not signed by the operator/,
  ],
  ['steps of another execution', (r) => answer(r, { trace: 'AAAAAAAA' }), /traceRoot/],
  ['steps that are none', (r) => answer(r, { trace: '?' }), /traceRoot/],
  ['evidence where none is due', (r) => answer(r, { evidence }), /opml answer came with evidence/],
  [
    'no evidence where it is due',
    (r) => swear(r, { jobType: 'tee' }),
    /tee answer came without evidence/,
    tee,
  ],
  [
    'evidence that is none',
    (r) => answer(swear(r, { jobType: 'tee' }), { evidence }),
    /evidence is invalid/,
    tee,
  ],
]

test('an honest result holds, selected or not', async () => {
  expect(await checkResult(await honest(), known, trust)).toMatchObject({ selected: true })
  const unselected = await honest(dispatch, NONE)
  expect(await checkResult(unselected, { ...known, range: NONE }, trust)).toEqual({
    selected: false,
    answer: undefined,
  })
})

for (const [name, tell, reason, about = known] of LIES)
  test(`${name} is refused with the reason`, async () => {
    expect(await checkResult(tell(await honest()), about, trust)).toMatch(reason)
  })

/** Each byte of a hex string changed, one at a time. */
function* flipped(text: string): Generator<string> {
  const start = text.startsWith('0x') ? 2 : 0
  for (let at = start; at < text.length; at += 2) {
    const byte = Number.parseInt(text.slice(at, at + 2), 16) ^ 1
    yield text.slice(0, at) + byte.toString(16).padStart(2, '0') + text.slice(at + 2)
  }
}

test('no byte of draw and signature can be another', async () => {
  const result = await honest()
  for (const field of [
    'vrf_prompt_hash',
    'vrf_random_value',
    'vrf_verify_pubkey',
    'vrf_proof',
  ] as const)
    for (const changed of flipped(result.vrf[field])) {
      const verdict = await checkResult(vrf(result, { [field]: changed }), known, trust)
      expect(verdict, `${field} ${changed}`).toBeTypeOf('string')
    }
  for (const signature of flipped(answerOf(result).signature))
    expect(await checkResult(answer(result, { signature }), known, trust), signature).toMatch(
      /not signed/,
    )
})

test('no field of a signed statement can be another', async () => {
  const result = await honest()
  const { statement } = answerOf(result)
  for (const [field, value] of Object.entries(statement)) {
    const changed =
      typeof value === 'number' ? value + 1 : (flipped(value || '00').next().value ?? '')
    const altered = answer(result, { statement: { ...statement, [field]: changed } })
    expect(await checkResult(altered, known, trust), field).toBeTypeOf('string')
  }
})
