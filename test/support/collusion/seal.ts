/**
 * Dispatcher and operator collude: after changing values of a bundle they derive every hash, draw, signature and evidence
 * again, and anchor the receipt again, so that all fits. What the chain, hardware or somebody else decides they cannot change.
 */
import { concatBytes } from '../../../src/base/bytes.ts'
import { fromHex, toHex, toHexDigits } from '../../../src/base/hex.ts'
import { sha256 } from '../../../src/base/sha256.ts'
import { evidenceSubject } from '../../../src/jobs/evidence.ts'
import { signDigest } from '../../../src/jobs/signature.ts'
import type { Evidence, EvidenceExpectation } from '../../../src/proof/attestation.ts'
import { formatOf, type BundleJson } from '../../../src/proof/bundle/format.ts'
import { clockHash, outputHash, paramsHash, vrfProofHash } from '../../../src/proof/job/hashes.ts'
import { evidenceHash, NO_HASH, receiptDigest } from '../../../src/proof/job/receipt.ts'
import { statementDigest } from '../../../src/proof/job/statement.ts'
import { proveVrf, vrfAlpha } from '../../../src/proof/vrf.ts'
import { proveAnchor, signAgain, type ChainFacts } from './chain.ts'
import { setAt, valueAt, type Path } from './shape.ts'

export type Colluders = {
  readonly dispatcherKey: Uint8Array
  readonly operatorKey: Uint8Array
  readonly facts: ChainFacts
  readonly end: 'header' | 'state root' | 'none'
  /** Evidence of software, which the operator makes; that of hardware stays as it is. */
  readonly attest?: (subject: EvidenceExpectation) => Promise<Evidence>
  /** Whether they can sign headers, for a verifier that named no validators. */
  readonly hasOwnChain: boolean
}

export type Change = readonly [path: Path, value: unknown]

type Answer = BundleJson['answers'][number]
type Set = (name: string, derive: () => unknown) => void

/** Fields that are one value in several places, each with what stands before its digits. */
const TIES = [
  [
    ['receipt.seed', ''],
    ['statement.seed', ''],
  ],
  [
    ['receipt.operator', ''],
    ['statement.operator', ''],
  ],
  [
    ['receipt.drawBlockHash', ''],
    ['statement.drawBlockHash', ''],
  ],
  [
    ['statement.promptHash', '0x'],
    ['vrf.vrf_prompt_hash', ''],
  ],
] as const

function tie(answer: Answer, isPinned: (name: string) => boolean): void {
  for (const places of TIES) {
    const [name, prefix] = places.find(([each]) => isPinned(each)) ?? places[0]
    const digits = String(valueAt(answer, name.split('.'))).slice(prefix.length)
    for (const [other, before] of places)
      if (!isPinned(other) && valueAt(answer, other.split('.')) !== undefined)
        setAt(answer, other.split('.'), `${before}${digits}`)
  }
}

function draw(answer: Answer, key: Uint8Array, set: Set): void {
  const { receipt, statement, vrf } = answer
  const { proof, beta } = proveVrf(
    key,
    vrfAlpha({
      jobId: fromHex(receipt.jobId),
      seed: fromHex(receipt.seed),
      promptHash: fromHex(statement.promptHash),
      ...(receipt.drawBlock > 0 && { blockHash: fromHex(receipt.drawBlockHash) }),
    }),
  )
  set('vrf.vrf_proof', () => toHexDigits(proof))
  set('vrf.vrf_random_value', () => toHexDigits(beta))
  set('statement.vrfProofHash', () => vrfProofHash(fromHex(`0x${vrf.vrf_proof}`)))
}

async function sealAnswer(
  bundle: BundleJson,
  at: number,
  changes: readonly Change[],
  colluders: Colluders,
): Promise<void> {
  const answer = bundle.answers[at] as Answer
  const pinned = new Map(
    changes
      .filter(([[list, index]]) => list === 'answers' && index === at)
      .map(([path, value]) => [path.slice(2).join('.'), value]),
  )
  const set: Set = (name, derive) => {
    if (!pinned.has(name)) setAt(answer, name.split('.'), derive())
  }
  const { receipt, statement } = answer
  const domain = { chainId: BigInt(bundle.chainId), dispatcher: bundle.dispatcher }
  tie(answer, (name) => pinned.has(name))
  set('receipt.jobId', () => `0x${bundle.jobId}`)
  set('statement.jobId', () => `0x${bundle.jobId}`)
  draw(answer, colluders.operatorKey, set)
  set('statement.outputHash', () => outputHash(answer.output))
  set('statement.paramsHash', () => paramsHash(answer.params))
  set('statement.clockHash', () => clockHash(answer.clock))
  if (colluders.attest !== undefined) {
    const own = await colluders.attest(evidenceSubject(statement, domain))
    for (const name of ['level', 'format', 'document'] as const)
      set(`evidence.${name}`, () => own[name])
  }
  const digest = statementDigest(statement, domain)
  set('operatorSignature', () => signDigest(digest, colluders.operatorKey))
  set('receipt.statementHash', () => toHex(digest))
  set('receipt.jobClockHash', () => clockHash(answer.jobClock))
  set('receipt.evidenceHash', () => evidenceHash(answer.evidence))
  const leaf = receiptDigest(receipt, domain)
  set('dispatcherSignature', () => signDigest(leaf, colluders.dispatcherKey))
  if (colluders.end === 'none') return
  const anchor = await proveAnchor(colluders.facts, leaf, colluders.end)
  answer.anchor = anchor
  const below = [...pinned].filter(([name]) => name.startsWith('anchor.'))
  for (const [name, value] of below) setAt(answer, name.split('.'), value)
  const header = anchor.proof?.signedHeader
  if (!colluders.hasOwnChain || header === undefined || anchor.proof === undefined) return
  if (!below.some(([name]) => name.startsWith('anchor.proof.signedHeader.header'))) return
  anchor.proof.signedHeader = signAgain(header)
  for (const [name, value] of below) setAt(answer, name.split('.'), value)
}

/** The bundle with these changes, and with everything that the colluders can fit to them. */
export async function seal(
  base: BundleJson,
  changes: readonly Change[],
  colluders: Colluders,
): Promise<BundleJson> {
  const bundle = structuredClone(base)
  for (const [path, value] of changes) setAt(bundle, path, value)
  const [first] = bundle.answers
  const isJobPinned = changes.some(([path]) => path.at(-1) === 'jobId')
  if (first !== undefined && !isJobPinned) {
    const named = changes.find(([path]) => path.at(-1) === 'seed')
    const seed = named === undefined ? first.receipt.seed : String(named[1])
    if (first.receipt.requestHash !== NO_HASH && first.receipt.round === 0)
      bundle.jobId = toHexDigits(
        sha256(concatBytes(fromHex(seed), fromHex(first.receipt.requestHash))),
      )
  } else {
    const named = changes.find(([path]) => path.at(-1) === 'jobId')
    if (named !== undefined) bundle.jobId = String(named[1]).replace(/^0x/, '')
  }
  for (const at of bundle.answers.keys()) await sealAnswer(bundle, at, changes, colluders)
  if (!changes.some(([path]) => path[0] === 'format')) bundle.format = formatOf(bundle.answers)
  return bundle
}
