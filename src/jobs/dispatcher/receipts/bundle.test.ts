/** Bundles of a real dispatcher on a real chain: what they prove, and that nothing in them can be changed. */
import { mkdtemp } from 'node:fs/promises'
import { join } from 'node:path'
import { setImmediate } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { parseEther } from 'viem'
import { startTestChain, type TestChain } from '../../../../test/support/chainNode.ts'
import {
  chainOptions,
  startTestDispatcher,
  startTestPostgres,
  type TestDispatcher,
  type TestPostgres,
} from '../../../../test/support/dispatcher.ts'
import { connectOperator, statementOf } from '../../../../test/support/scriptedOperator.ts'
import { openSoftwareAttester } from '../../../attest/software.ts'
import { developmentKeys } from '../../../accounts/development.ts'
import { fromHex } from '../../../base/hex.ts'
import { RECEIPTS_ADDRESS, REGISTRY_ADDRESS } from '../../../config/contracts.ts'
import { openFixedEngine } from '../../../inference/fixed/engine.ts'
import { openModelFolder } from '../../../inference/models.ts'
import { ensureTinyModel } from '../../../inference/tinyModel.ts'
import type { BundleJson } from '../../../proof/bundle/format.ts'
import { runKey } from '../../../proof/bundle/runKey.ts'
import type { BundleTrust } from '../../../proof/bundle/trust.ts'
import { verdictOf } from '../../../proof/bundle/report.ts'
import { verifyBundle } from '../../../proof/bundle/verify.ts'
import { computeAnswer } from '../../answer.ts'
import { nodeContext } from '../../bundleContext.ts'
import { evidenceSubject } from '../../evidence.ts'
import { sendTransaction } from '../../onchain/account.ts'
import { connectChain } from '../../onchain/chain.ts'
import { registerCall } from '../../registry/registry.ts'
import { knownRequest } from '../../knownRequest.ts'
import { replayAnswer } from '../../replay.ts'
import { waitFor } from '../../../../test/support/waitFor.ts'

const PROMPT = 'What is AI?'
const PARAMS = { temperature: 0.7, top_p: 0.9, max_tokens: 6 }
const { signal } = new AbortController()

let postgres: TestPostgres
let node: TestChain
let dispatcher: TestDispatcher
let modelsFolder: string
let opml: BundleJson
let tee: BundleJson
let trust: BundleTrust

/** The bundle, as soon as each of its answers is anchored. */
async function bundleOf(id: string): Promise<BundleJson> {
  return waitFor(async () => {
    const response = await fetch(`http://${dispatcher.httpAddress}/api/job/receipt/${id}`)
    const { result } = (await response.json()) as { result: BundleJson }
    // Two answers to one job may be anchored in two intervals.
    expect(result.answers.every(({ anchor }) => anchor?.proof !== undefined)).toBe(true)
    return result
  }, 200)
}

beforeAll(async () => {
  ;[postgres, node] = await Promise.all([startTestPostgres(), startTestChain()])
  dispatcher = await startTestDispatcher(postgres, 'bundles', {
    chain: chainOptions(node, { anchorIntervalMs: 1500 }),
  })
  modelsFolder = join(postgres.folder, 'models')
  ensureTinyModel(modelsFolder)
  const models = openModelFolder(modelsFolder)
  const engine = openFixedEngine()
  const attester = openSoftwareAttester(await mkdtemp(join(postgres.folder, 'tee-')), [])
  const domain = { chainId: 271828n, dispatcher: dispatcher.dispatcherAddress }
  // The first one is registered for all draws, with the stake that this needs.
  const [key = new Uint8Array(32)] = developmentKeys()
  const record = { start: 0, end: 600_000, types: ['opml'] } as const
  const registration = {
    to: fromHex(REGISTRY_ADDRESS),
    data: registerCall(record, key),
    value: parseEther('60'),
  }
  await sendTransaction(connectChain(node.rpc, signal), key, registration, signal)
  const first = await connectOperator(dispatcher, {
    privateKey: key,
    evidence: (request) => computeAnswer(request, { engine, models, signal }),
  })
  const second = await connectOperator(dispatcher, {
    evidence: (request) => computeAnswer(request, { engine, models, signal }),
  })
  const third = await connectOperator(dispatcher, {
    workers: ['tee'],
    async evidence(request) {
      const statement = statementOf(request, 'attested')
      const evidence = await attester.attest(evidenceSubject(statement, domain))
      return { output: 'attested', statement, evidence }
    },
  })
  const job = { prompt: PROMPT, model: 'tiny.gguf', params: PARAMS }
  const ids = [
    await dispatcher.submit({ ...job, tag: 'opml' }, { tag: 'suspicion', user: 'u' }),
    await dispatcher.submit({ ...job, tag: 'tee' }),
  ]
  for (const operator of [first, second, third]) {
    operator.send(await operator.answer(await operator.next('dispatch')))
    await operator.next('recorded')
    operator.socket.close()
  }
  await engine.close()
  opml = await bundleOf(ids[0] as string)
  tee = await bundleOf(ids[1] as string)
  trust = {
    chainId: 'assay_271828-1',
    validatorsHash: fromHex(
      `0x${opml.answers[0]?.anchor?.proof?.signedHeader?.header.validators_hash}`,
    ),
    nowNs: BigInt(Date.now()) * 1_000_000n,
    receiptsContract: RECEIPTS_ADDRESS,
    registryContract: REGISTRY_ADDRESS,
    dispatcher: dispatcher.dispatcherAddress,
    operators: [first, second, third].map(({ address }) => address),
    evidence: { software: 'any' },
    prompt: PROMPT,
  }
})

afterAll(async () => {
  await dispatcher.close()
  await node.stop()
  await postgres.stop()
})

const failures = async (json: unknown, changes: Partial<BundleTrust> = {}) => {
  const { lines, holds } = await verifyBundle(json, { ...trust, ...changes }, nodeContext)
  const failed = lines.filter(({ status }) => status === 'fails')
  expect(holds).toBe(failed.length === 0)
  return failed.map(({ text }) => text)
}

// Holds D35a, D66, D76, D78.
describe('a bundle that nobody touched', () => {
  test('holds, up to a signed header, and lists every claim that nothing proves', async () => {
    const signed = await verifyBundle(opml, trust, nodeContext)
    expect(signed.lines.filter(({ status }) => status === 'fails')).toEqual([])
    expect(signed.facts).toEqual([
      ['signed', 'anchored'],
      ['signed', 'anchored'],
    ])
    expect(verdictOf(signed)).toBe('holds')
    expect(verdictOf(signed, ['signed', 'anchored'])).toBe('holds')
    expect(verdictOf(signed, ['signed', 're-executed'])).toBe('unchecked')
    const registered = opml.answers.findIndex(
      ({ receipt }) => receipt.operator === trust.operators?.[0],
    )
    const open = (at: number) =>
      signed.lines
        .filter(({ status, about }) => status === 'unchecked' && about === `answer ${at + 1}`)
        .map(({ text }) => /^[a-z]+/.exec(text)?.[0])
    expect(open(registered)).toEqual([
      'request',
      'model',
      'seed',
      'review',
      'clocks',
      'times',
      'execution',
    ])
    // Nobody but the dispatcher gave the other one its range.
    expect(open(1 - registered)).toEqual([
      'request',
      'model',
      'seed',
      'selection',
      'review',
      'clocks',
      'times',
      'execution',
    ])
    expect(
      signed.lines.filter(({ text }) => /has the hash 0x\w+ on the chain/.test(text)),
    ).toHaveLength(2)
    const attested = await verifyBundle(tee, trust, nodeContext)
    expect(attested.facts).toEqual([['signed', 'anchored', 'software']])
  })

  test('is re-executed by whoever has prompt and model', async () => {
    const [answer] = opml.answers
    if (answer === undefined) throw new Error('the bundle has no answer')
    const from = { prompt: PROMPT, modelFile: join(modelsFolder, 'tiny.gguf') }
    const own = await replayAnswer(answer, from, signal)
    const key = runKey(answer)
    const good = { ...trust, executions: new Map([[key, own]]) }
    const facts = ['signed', 'anchored', 're-executed']
    expect((await verifyBundle(opml, good, nodeContext)).facts).toEqual([facts, facts])
    const others = [
      { traceRoot: own.modelRoot },
      { modelHash: own.modelRoot },
      { tokens: own.tokens + 1 },
      { finishReason: own.finishReason === 'stop' ? 'length' : 'stop' },
    ]
    for (const change of others) {
      const executions = new Map([[key, { ...own, ...change }]])
      expect(await failures(opml, { executions })).toHaveLength(2)
    }
    // Another engine cannot refute it.
    const other = { ...trust, executions: new Map([[key, { ...own, engine: 'another' }]]) }
    expect((await verifyBundle(opml, other, nodeContext)).facts).toEqual([
      ['signed', 'anchored'],
      ['signed', 'anchored'],
    ])
  })

  // Holds D25.
  test('opens the request for whoever made it, and for nobody who made another', async () => {
    const body = {
      from: dispatcher.project,
      user: 'u',
      tag: 'suspicion',
      job: { tag: 'opml', prompt: PROMPT, model: 'tiny.gguf', params: PARAMS },
    }
    const known = { ...trust, request: knownRequest(body) }
    const { lines, holds } = await verifyBundle(opml, known, nodeContext)
    expect(holds).toBe(true)
    expect(lines.some(({ text }) => text.startsWith('request: '))).toBe(false)
    for (const other of [{ user: 'v' }, { priority: 1 }, { from: 'another' }, { tag: '' }])
      expect(await failures(opml, { request: knownRequest({ ...body, ...other }) })).toHaveLength(2)
    const job = { ...body.job, model: 'llama-70b.gguf' }
    expect(await failures(opml, { request: knownRequest({ ...body, job }) })).toHaveLength(4)
    expect(() => knownRequest({ ...body, job: 1 })).toThrow()
  })

  test('is checked in less than 100 ms of processor time', async () => {
    await verifyBundle(tee, trust, nodeContext)
    const before = process.cpuUsage()
    const rounds = 5
    for (let round = 0; round < rounds; round++) await verifyBundle(tee, trust, nodeContext)
    const { user, system } = process.cpuUsage(before)
    expect((user + system) / 1000 / rounds).toBeLessThan(100)
  })

  // Holds D77.
  test('does not hold for another chain, dispatcher, operator, prompt, contract or header', async () => {
    const wrong: Partial<BundleTrust>[] = [
      { chainId: 'assay_271828-2' },
      { validatorsHash: new Uint8Array(32) },
      { headerHashes: [new Uint8Array(32)] },
      { dispatcher: RECEIPTS_ADDRESS },
      { operators: [] },
      { prompt: 'What is ai?' },
      { modelHash: `0x${'22'.repeat(32)}` },
      { jobId: '22'.repeat(32) },
      { nowNs: (trust.nowNs ?? 0n) + 8n * 24n * 3600n * 1_000_000_000n },
      { nowNs: (trust.nowNs ?? 0n) - 3600n * 1_000_000_000n },
      { receiptsContract: `0x${'22'.repeat(20)}` },
      { evidence: { software: 'refuse' } },
    ]
    for (const changes of wrong) expect(await failures(tee, changes)).not.toEqual([])
  })

  test('without anything to trust, says what that leaves open', async () => {
    const nothing = {
      receiptsContract: RECEIPTS_ADDRESS,
      registryContract: REGISTRY_ADDRESS,
      evidence: { software: 'any' as const },
    }
    const report = await verifyBundle(opml, nothing, nodeContext)
    const { lines } = report
    expect(report.facts).toEqual([[], []])
    expect(verdictOf(report)).toBe('unchecked')
    const open = lines.filter(({ status }) => status === 'unchecked').map(({ text }) => text)
    for (const start of ['dispatcher identity', 'prompt:', 'operator identity', 'validator set'])
      expect(open.some((text) => text.startsWith(start))).toBe(true)
  })
})

type Path = readonly (string | number)[]

/** Every value that is not a list or object, with its path. */
function leavesOf(value: unknown, path: Path = []): [Path, unknown][] {
  if (typeof value !== 'object' || value === null) return [[path, value]]
  return Object.entries(value).flatMap(([key, each]) => leavesOf(each, [...path, key]))
}

/** Another value of the same or a similar kind. */
function alter(value: unknown): unknown {
  if (typeof value === 'number') return value + 1
  if (typeof value === 'boolean') return !value
  const text = String(value)
  if (/^\d{4}-\d\d-\d\dT/.test(text)) return text.replace(/^\d{4}/, '2020')
  if (/^\d+$/.test(text)) return String(BigInt(text) + 1n)
  // In the middle: the beginning may be a name, the end may be padding.
  const at = text.length >> 1
  const other = text[at] === '3' ? '4' : '3'
  return `${text.slice(0, at)}${other}${text.slice(at + 1)}`
}

function altered(bundle: unknown, path: Path, value: unknown): unknown {
  const copy: unknown = structuredClone(bundle)
  let parent = copy as Record<string | number, unknown>
  for (const key of path.slice(0, -1)) parent = parent[key] as typeof parent
  const last = path.at(-1) as string
  if (value === undefined) delete parent[last]
  else parent[last] = value
  return copy
}

// Holds D35a.
describe('a bundle that was tampered with', () => {
  test('fails with a reason, whichever value was altered', async () => {
    let cases = 0
    const unnoticed: string[] = []
    for (const bundle of [opml, tee])
      for (const [path, value] of leavesOf(bundle)) {
        // The dispatcher in this process must be able to serve its connections.
        await setImmediate()
        const failed = await failures(altered(bundle, path, alter(value)))
        if (failed.length === 0) unnoticed.push(path.join('.'))
        for (const reason of failed) expect(reason.length).toBeGreaterThan(10)
        cases++
      }
    expect(unnoticed).toEqual([])
    expect(cases).toBeGreaterThan(150)
  })

  test('fails when anything but evidence of the chain is left out, and says when that is', async () => {
    const optional = /\.anchor$|\.anchor\.proof$|\.proof\.(?:history|registry)$/
    const parts = new Map<string, Path>()
    for (const [path] of leavesOf(opml))
      for (let length = 1; length <= path.length; length++) {
        const part = path.slice(0, length)
        if (!/^\d+$/.test(String(part.at(-1)))) parts.set(part.join('.'), part)
      }
    for (const [name, part] of parts) {
      await setImmediate()
      const { holds, lines } = await verifyBundle(
        altered(opml, part, undefined),
        trust,
        nodeContext,
      )
      if (!optional.test(name)) expect({ name, holds }).toEqual({ name, holds: false })
      else
        expect(
          lines.some((line) => line.status === 'unchecked' && /chain|draw|range/.test(line.text)),
        ).toBe(true)
    }
  })

  test('fails when parts of two bundles are put together', async () => {
    const [one, other] = opml.answers
    const [third] = tee.answers
    if (one === undefined || other === undefined || third === undefined)
      throw new Error('an answer is missing')
    for (const key of Object.keys(one) as (keyof typeof one)[]) {
      for (const source of [other, third]) {
        if (JSON.stringify(one[key]) === JSON.stringify(source[key]) || key === 'anchor') continue
        expect(await failures({ ...opml, answers: [{ ...one, [key]: source[key] }] })).not.toEqual(
          [],
        )
      }
    }
    expect(await failures({ ...opml, answers: [one, one] })).toHaveLength(1)
    expect(await failures({ ...opml, answers: [third] })).not.toEqual([])
  })

  test('fails, and never throws, on anything that is no bundle', async () => {
    for (const json of [undefined, null, 1, 'x', [], {}, { ...opml, answers: [] }])
      expect(await failures(json)).toHaveLength(1)
    expect(await failures({ ...opml, more: 1 })).toHaveLength(1)
    const many = Object.fromEntries(Array.from({ length: 100_000 }, (_, at) => [`key${at}`, 0]))
    const huge = [
      { ...opml, ...many },
      { ...opml, jobId: 'x'.repeat(50_000_001) },
    ]
    for (const json of huge) {
      const [reason = ''] = await failures(json)
      expect(reason.length).toBeLessThanOrEqual(300)
    }
  })
})

test('a job without receipts, or of another project, has no bundle', async () => {
  const get = async (id: string) =>
    (await fetch(`http://${dispatcher.httpAddress}/api/job/receipt/${id}`)).status
  expect(await get('00'.repeat(32))).toBe(404)
  expect(await get('x')).toBe(404)
  const waiting = await dispatcher.submit({ tag: 'opml', prompt: 'a', model: 'none.gguf' })
  expect(await get(waiting)).toBe(404)
})
