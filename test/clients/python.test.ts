/**
 * The Python package against the verifier of the program: the same lines, facts and outcome on good and spoilt bundles under
 * several trusts. 1,000 bundles (300 where CI is set), or ASSAY_PYTHON_BUNDLES of them; ASSAY_FUZZ_SEED repeats a run. Skipped, with a notice, without
 * python3.
 */
import { spawnSync } from 'node:child_process'
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { fromHex } from '../../src/base/hex.ts'
import { RECEIPTS_ADDRESS, REGISTRY_ADDRESS } from '../../src/config/contracts.ts'
import { nodeContext } from '../../src/jobs/bundleContext.ts'
import type { BundleJson } from '../../src/proof/bundle/format.ts'
import { verdictOf, type Line, type Report } from '../../src/proof/bundle/report.ts'
import type { BundleTrust } from '../../src/proof/bundle/trust.ts'
import { verifyBundle } from '../../src/proof/bundle/verify.ts'
import { makeAnchoredBundles, PROMPT, type AnchoredBundles } from '../support/anchoredBundles.ts'

const CASES = Number(
  process.env['ASSAY_PYTHON_BUNDLES'] ?? (process.env['CI'] === undefined ? 1000 : 300),
)
const SEED = Number(process.env['ASSAY_FUZZ_SEED'] ?? Date.now() % 2 ** 31)
const HOUR = 3_600_000
const folder = path.resolve(import.meta.dirname, '../../python')
const temporary = fs.mkdtempSync(path.join(os.tmpdir(), 'assay-python-'))
const hasPython =
  spawnSync('python3', ['-c', 'import sys; sys.exit(sys.version_info < (3, 9))']).status === 0
if (!hasPython) console.warn('skipped: the Python package, because there is no python3 from 3.9 on')

let made: AnchoredBundles
beforeAll(async () => {
  if (hasPython) made = await makeAnchoredBundles()
}, HOUR)
afterAll(() => fs.rmSync(temporary, { recursive: true, force: true }))

function python(args: readonly string[], input?: string) {
  const env = { ...process.env, PYTHONPATH: path.join(folder, 'src'), PYTHONDONTWRITEBYTECODE: '1' }
  const maxBuffer = 1024 * 1024 * 1024
  return spawnSync('python3', [...args], { input, env, encoding: 'utf8', maxBuffer })
}

/** Numbers that follow from the seed (mulberry32). */
function randomNumbers(seed: number): (below: number) => number {
  let state = seed
  return (below) => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) % below
  }
}

type Path = readonly (string | number)[]

function pathsOf(value: unknown, at: Path = []): Path[] {
  if (typeof value !== 'object' || value === null) return [at]
  return [at, ...Object.entries(value).flatMap(([key, each]) => pathsOf(each, [...at, key]))]
}

/** What a spoilt bundle can have in the place of a value. */
function spoiltValue(value: unknown, random: (below: number) => number): unknown {
  const odd = [null, '', 0, -1, 1.5, 1e21, true, [], {}, '0x', '\u0000', '\ud800', 2 ** 53]
  if (random(4) === 0) return odd[random(odd.length)]
  if (typeof value === 'number') return value + 1
  if (typeof value === 'boolean') return !value
  if (typeof value !== 'string')
    return Array.isArray(value) ? [...(value as unknown[])].reverse() : {}
  if (/^\d+$/.test(value) && value.length < 30) return String(BigInt(value) + 1n)
  const place = random(value.length + 1)
  return `${value.slice(0, place)}${'0123456789abcdefZ'[random(17)]}${value.slice(place + 1)}`
}

function spoilt(bundle: unknown, random: (below: number) => number): unknown {
  const copy: unknown = structuredClone(bundle)
  const paths = pathsOf(copy).slice(1)
  const where = paths[random(paths.length)] ?? []
  let parent = copy as Record<string | number, unknown>
  for (const key of where.slice(0, -1)) parent = parent[key] as typeof parent
  const last = where.at(-1) as string
  const kind = random(8)
  if (kind === 0) delete parent[last]
  else if (kind === 1) parent[`${last}x`] = parent[last]
  else parent[last] = spoiltValue(parent[last], random)
  return copy
}

type PythonTrust = Readonly<Record<string, unknown>>

/** The same trust for both. */
function trustsOf({
  bundles,
  dispatcher,
  operators,
}: AnchoredBundles): readonly (readonly [BundleTrust, PythonTrust])[] {
  const set = bundles[0]?.answers[0]?.anchor?.proof?.signedHeader
  const own = set?.header.validators_hash ?? ''
  const hash = set?.commit.block_id.hash ?? ''
  const nowNs = BigInt(Date.now()) * 1_000_000n
  const base = {
    receiptsContract: RECEIPTS_ADDRESS,
    registryContract: REGISTRY_ADDRESS,
    evidence: { software: 'any' },
  } as const
  const chain = { chainId: 'assay_271828-1', validatorsHash: fromHex(own), nowNs }
  const chainInPython = { chain_id: chain.chainId, validators_hash: own, now_ns: String(nowNs) }
  return [
    [base, {}],
    [
      { ...base, dispatcher, ...chain },
      { dispatcher, ...chainInPython },
    ],
    [
      { ...base, dispatcher, operators, prompt: PROMPT, ...chain },
      { dispatcher, operators, prompt: PROMPT, ...chainInPython },
    ],
    [
      { ...base, chainId: chain.chainId, headerHashes: [fromHex(hash)], maxAnchorDelay: 0 },
      { chain_id: chain.chainId, header_hashes: [hash], max_anchor_delay: 0 },
    ],
    [
      {
        ...base,
        dispatcher,
        ...chain,
        nowNs: nowNs + 8n * 86_400_000_000_000n,
        jobId: '1'.repeat(64),
      },
      {
        dispatcher,
        ...chainInPython,
        now_ns: String(nowNs + 8n * 86_400_000_000_000n),
        job_id: '1'.repeat(64),
      },
    ],
    [
      {
        ...base,
        chainId: 'assay_1-1',
        operators: [],
        modelHash: `0x${'0'.repeat(64)}`,
        receiptsContract: dispatcher,
      },
      {
        chain_id: 'assay_1-1',
        operators: [],
        model_hash: `0x${'0'.repeat(64)}`,
        receipts_contract: dispatcher,
      },
    ],
  ]
}

/** Documents of machines, which the package does not read. */
const OF_MACHINES =
  /^(?:evidence: (?!there is none)|software without a TEE|the evidence is invalid|hardware )/
/** Lines whose end is the library's own words. */
const OWN_WORDS = /^(this is not a receipt bundle|a value is malformed): .*$/s

function compared({ lines, facts, holds }: Report): object {
  const own = lines
    .filter(({ text }: Line) => !OF_MACHINES.test(text))
    .map((line: Line) => ({ ...line, text: line.text.replace(OWN_WORDS, '$1') }))
  // What makes a statement malformed does so again where its evidence is read.
  const malformed = new Set<string>()
  return {
    lines: own.filter(({ about, text }) => {
      const isAgain = text === 'a value is malformed' && malformed.has(about)
      if (text === 'a value is malformed') malformed.add(about)
      return !isAgain
    }),
    facts: facts.map((each) => each.filter((fact) => fact !== 'software')),
    holds,
  }
}

// Holds D152.
test.skipIf(!hasPython)(
  'good and spoilt bundles have the same lines, facts and outcome in both verifiers',
  { timeout: HOUR },
  async () => {
    console.warn(`${CASES} bundles, seed ${SEED}`)
    const random = randomNumbers(SEED)
    const trusts = trustsOf(made)
    const cases = Array.from({ length: CASES }, (_, at) => {
      const good = made.bundles[at % made.bundles.length] as BundleJson
      // The first ones are whole, under each trust.
      const isGood = at < made.bundles.length * trusts.length
      const bundle: unknown = isGood ? good : spoilt(good, random)
      const trust = isGood ? Math.floor(at / made.bundles.length) : random(trusts.length)
      return { text: JSON.stringify(bundle), trust: trusts[trust] as (typeof trusts)[number] }
    })
    const input = cases.map(
      ({ text, trust }) => `{"bundle":${text},"trust":${JSON.stringify(trust[1])}}\n`,
    )
    const { stdout, stderr, status } = python(
      [path.join(folder, 'tests', 'batch.py')],
      input.join(''),
    )
    expect(stderr).toBe('')
    expect(status).toBe(0)
    const reports = stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as Report)
    expect(reports).toHaveLength(CASES)
    const verdicts = new Map<string, number>()
    for (const [at, { text, trust }] of cases.entries()) {
      const expected = await verifyBundle(JSON.parse(text), trust[0], nodeContext)
      const verdict = verdictOf(expected)
      verdicts.set(verdict, (verdicts.get(verdict) ?? 0) + 1)
      expect(compared(reports[at] as Report), `case ${at} of seed ${SEED}: ${text}`).toEqual(
        compared(expected),
      )
    }
    // All three outcomes were seen, and most spoilt bundles fail.
    expect([...verdicts.keys()].sort()).toEqual(['fails', 'holds', 'unchecked'])
    expect(verdicts.get('fails')).toBeGreaterThan(CASES / 2)
  },
)

test.skipIf(!hasPython)(
  'the command prints what it found, with the exit codes of assay job verify',
  () => {
    const [bundle, , , alone] = made.bundles
    const file = path.join(temporary, 'bundle.json')
    fs.writeFileSync(file, JSON.stringify(bundle))
    const prompt = path.join(temporary, 'prompt.txt')
    fs.writeFileSync(prompt, PROMPT)
    const run = (...args: readonly string[]) => python(['-m', 'assay_verify', file, ...args])
    const named = ['--dispatcher-address', made.dispatcher, '--prompt-file', prompt]
    const good = run(...named)
    expect(good.stderr).toBe('')
    expect(good).toMatchObject({ status: 0, stdout: expect.stringContaining('It holds;') })
    expect(good.stdout).toContain('ok           answer 1: the prompt is the one you gave\n')
    expect(run()).toMatchObject({
      status: 3,
      stdout: expect.stringContaining('NOTHING FAILED, BUT it leads'),
    })
    expect(run(...named, '--require', 'signed,anchored').status).toBe(3)
    expect(run('--dispatcher-address', `0x${'1'.repeat(40)}`)).toMatchObject({
      status: 1,
      stdout: expect.stringContaining('NOT PROVEN.'),
    })
    const header = bundle?.answers[0]?.anchor?.proof?.signedHeader?.header
    const chain = [
      '--chain-id',
      'assay_271828-1',
      '--validators-hash',
      header?.validators_hash ?? '',
    ]
    expect(run(...named, ...chain, '--require', 'signed,anchored').status).toBe(0)
    expect(JSON.parse(run(...named, '--json').stdout)).toMatchObject({
      verdict: 'holds',
      holds: true,
    })
    const piped = python(['-m', 'assay_verify', '-', ...named.slice(0, 2)], JSON.stringify(alone))
    expect(piped.status).toBe(0)
    for (const [args, reason] of [
      [['--require', 'signd'], '"signd" is not a fact'],
      [['--job', '12'], 'a hash has 64 hex digits'],
      [['--trusting-period', '1y'], 'a duration is a number with s, m, h or d'],
      [['--prompt-file', path.join(temporary, 'none')], 'No such file'],
    ] as const)
      expect(run(...args)).toMatchObject({ status: 2, stderr: expect.stringContaining(reason) })
    fs.writeFileSync(file, '{"a":NaN}')
    expect(run()).toMatchObject({ status: 2, stderr: expect.stringContaining('NaN is no JSON') })
  },
)
