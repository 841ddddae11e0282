/**
 * Verdicts of the light client of tendermint-rs (vectors: comet/light-client): steps that a model checker found, and whole
 * bisections with witnesses.
 */
import { afterAll, expect, test } from 'vitest'
import { equalBytes } from '../../src/base/bytes.ts'
import { ed25519Signer, verifyEd25519 } from '../../src/base/ed25519.ts'
import { toHexDigits } from '../../src/base/hex.ts'
import { sha256 } from '../../src/base/sha256.ts'
import { NIL_BLOCK_ID } from '../../src/proof/comet/blockId.ts'
import { headerHash } from '../../src/proof/comet/header.ts'
import { commitJson, headerJson, validatorJson } from '../../src/proof/comet/json/block.ts'
import { beginTrust, verifyHeight, type LightClient } from '../../src/proof/comet/light/client.ts'
import { LightError } from '../../src/proof/comet/light/errors.ts'
import type { LightBlock, LightOptions, Provider } from '../../src/proof/comet/light/types.ts'
import { verifyForward, type Trusted } from '../../src/proof/comet/light/verify.ts'
import { formatTime, parseTime } from '../../src/proof/comet/time.ts'
import {
  ZERO_TIME_NS,
  type Commit,
  type CommitSignature,
  type Header,
  type Validator,
} from '../../src/proof/comet/types.ts'
import {
  addressOfPublicKey,
  sortValidators,
  validatorsHash,
} from '../../src/proof/comet/validators.ts'
import { commitVoteSignBytes } from '../../src/proof/comet/verifyCommit.ts'
import { vectorFiles } from '../support/vectors.ts'

type Json = Readonly<Record<string, unknown>>
type SetJson = { readonly validators: readonly unknown[] }
type BlockJson = {
  readonly signed_header: { readonly header: unknown; readonly commit: unknown }
  readonly validator_set: SetJson
  readonly next_validator_set: SetJson
}

const OPTIONS: LightOptions = {
  crypto: { sha256, verifyEd25519 },
  trustingPeriodNs: 0n,
  maxClockDriftNs: 1_000_000_000n,
  trustLevel: { numerator: 1n, denominator: 3n },
}

const FOLDER = 'comet/light-client'
const counts: Record<string, number> = {}
const count = (what: string) => (counts[what] = (counts[what] ?? 0) + 1)

/** The vectors' JSON as CometBFT v0.38 writes it: another name for a field, and Go's zero time in absent signatures. */
function modern(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(modern)
  if (typeof value !== 'object' || value === null) return value
  const fields = Object.entries(value).map(([key, field]) => [
    key === 'part_set_header' ? 'parts' : key,
    modern(field),
  ])
  const json: Json = Object.fromEntries(fields)
  return json['block_id_flag'] === 1 ? { ...json, timestamp: formatTime(ZERO_TIME_NS) } : json
}

// tendermint-rs puts what it reads into the set's order; the files are not always in it.
const validatorsOf = (set: SetJson): readonly Validator[] =>
  sortValidators(set.validators.map((entry) => validatorJson.parse(entry)))

function blockOf(json: BlockJson): LightBlock {
  return {
    header: headerJson.parse(modern(json.signed_header.header)),
    commit: commitJson.parse(modern(json.signed_header.commit)),
    validators: validatorsOf(json.validator_set),
  }
}

function timeOf(text: string): bigint {
  const time = parseTime(text)
  if (time === undefined) throw new SyntaxError(`not a time: ${text}`)
  return time
}

type Step = { readonly block: BlockJson; readonly now: string; readonly verdict: string }
type SingleStep = {
  readonly initial: Omit<BlockJson, 'validator_set'> & { readonly trusting_period: string }
  readonly input: readonly Step[]
}

function verdictOf(run: () => void): string {
  try {
    run()
    return 'SUCCESS'
  } catch (error) {
    if (!(error instanceof LightError)) throw error
    return error.code === 'notEnoughTrust' ? 'NOT_ENOUGH_TRUST' : 'INVALID'
  }
}

const steps = vectorFiles(`${FOLDER}/model_based/single_step`, '.json')
test.each(steps)('$name: every step has its verdict', ({ content }) => {
  const { initial, input } = JSON.parse(content.toString()) as SingleStep
  const options = { ...OPTIONS, trustingPeriodNs: BigInt(initial.trusting_period) }
  let trusted: Trusted = {
    header: headerJson.parse(modern(initial.signed_header.header)),
    validators: validatorsOf(initial.next_validator_set),
  }
  for (const step of input) {
    const verdict = verdictOf(() =>
      verifyForward(options, trusted, blockOf(step.block), timeOf(step.now)),
    )
    expect(verdict).toBe(step.verdict)
    count(verdict)
    if (verdict === 'SUCCESS')
      trusted = {
        header: blockOf(step.block).header,
        validators: validatorsOf(step.block.next_validator_set),
      }
  }
})

type PeerJson = { readonly lite_blocks: readonly BlockJson[] }
type Bisection = {
  readonly trust_options: { readonly period: string; readonly height: string }
  readonly primary: PeerJson
  readonly witnesses: readonly { readonly value: PeerJson }[] | null
  readonly height_to_verify: string
  readonly now: string
  readonly expected_output: 'error' | 'no error'
  readonly expected_num_of_bisections: number
}

const keyOf = ({ address }: Pick<Validator, 'address'>) => ed25519Signer(sha256(address))

function rekeyed(validator: Validator): Validator {
  const { publicKey } = keyOf(validator)
  return { ...validator, publicKey, address: addressOfPublicKey(sha256, publicKey) }
}

/**
 * A chain of the bisection files, which are older than v0.34, hashed and signed again as v0.38 does it: each validator has
 * another key, and everything else is as it was. With their own hashes every one of them would fail at its first header.
 */
function rebuild({ lite_blocks: blocks }: PeerJson): readonly LightBlock[] {
  const chain: LightBlock[] = []
  for (const json of blocks) {
    const old = blockOf(json)
    const validators = sortValidators(old.validators.map(rekeyed))
    const next = sortValidators(validatorsOf(json.next_validator_set).map(rekeyed))
    const header: Header = {
      ...old.header,
      lastBlockId: chain.at(-1)?.commit.blockId ?? NIL_BLOCK_ID,
      validatorsHash: validatorsHash(sha256, validators),
      nextValidatorsHash: validatorsHash(sha256, next),
    }
    const parts = old.commit.blockId.parts
    const commit: Commit = {
      ...old.commit,
      blockId: { hash: headerHash(sha256, header), parts },
      signatures: [],
    }
    const signers = new Map(
      old.validators.map((each) => [toHexDigits(rekeyed(each).address), each]),
    )
    const signatures = validators.map(({ address }): CommitSignature => {
      const signer = signers.get(toHexDigits(address))
      const entry = old.commit.signatures.find(
        (each) => signer !== undefined && equalBytes(each.validatorAddress, signer.address),
      )
      if (signer === undefined || entry === undefined) return ABSENT
      const message = commitVoteSignBytes(header.chainId, commit, entry)
      return { ...entry, validatorAddress: address, signature: keyOf(signer).sign(message) }
    })
    chain.push({ header, validators, commit: { ...commit, signatures } })
  }
  return chain
}

const ABSENT: CommitSignature = {
  blockIdFlag: 1,
  validatorAddress: new Uint8Array(0),
  timeNs: ZERO_TIME_NS,
  signature: new Uint8Array(0),
}

function providerOf(blocks: readonly LightBlock[]): Provider {
  const byHeight = new Map(blocks.map((block) => [block.header.height, block]))
  return async (height) => {
    const block = byHeight.get(height === 'latest' ? Math.max(...byHeight.keys()) : height)
    if (block === undefined) throw new LightError('unavailable', `no height ${height}`)
    return block
  }
}

/** How the failures end that the files want: "error" alone would also fit a wrong hash. */
const EXPECTED_CODES: Readonly<Record<string, string>> = {
  'header_out_of_trusting_period.json': 'expired',
  'conflicting_headers.json': 'attack',
  'malicious_validator_set.json': 'attack',
}

async function bisect(json: Bisection): Promise<string | number> {
  const blocks = rebuild(json.primary)
  const witnesses = (json.witnesses ?? []).map(({ value }, index) => ({
    name: `witness ${index}`,
    provider: providerOf(rebuild(value)),
  }))
  const client: LightClient = {
    ...OPTIONS,
    trustingPeriodNs: BigInt(json.trust_options.period),
    primary: providerOf(blocks),
    witnesses,
    mode: 'skipping',
  }
  const begin = blocks[Number(json.trust_options.height) - 1]
  if (begin === undefined) throw new RangeError('the file has no trusted block')
  const trusted = await beginTrust(client, begin.header.height, begin.commit.blockId.hash)
  try {
    const target = Number(json.height_to_verify)
    const { trace } = await verifyHeight(client, [trusted], target, timeOf(json.now))
    return trace.length - 1
  } catch (error) {
    if (error instanceof LightError) return error.code
    throw error
  }
}

const bisections = [
  ...vectorFiles(`${FOLDER}/bisection/single_peer`, '.json'),
  ...vectorFiles(`${FOLDER}/bisection/multi_peer`, '.json'),
]
test.each(bisections)('$name: the bisection ends as it should', async ({ name, content }) => {
  const json = JSON.parse(content.toString()) as Bisection
  const isRefused = json.expected_output === 'error'
  const expected = isRefused ? EXPECTED_CODES[name] : json.expected_num_of_bisections
  expect(await bisect(json)).toBe(expected)
  count(isRefused ? 'bisections refused' : 'bisections verified')
})

afterAll(() => {
  if (steps.length === 0) return
  console.warn('light client:', { files: steps.length + bisections.length, ...counts })
})
