/** Verifies what an operator sends about a job. Everything is checked, nothing is trusted (D32, D34). */
import { fromBase64 } from '../../base/base64.ts'
import { equalBytes } from '../../base/bytes.ts'
import { fromHex, toHex, tryFromAnyHex } from '../../base/hex.ts'
import { traceRoot } from '../../inference/fixed/trace.ts'
import { decodeTrace } from '../../inference/fixed/traceBytes.ts'
import type { EvidenceTrust } from '../../proof/attestation.ts'
import { vrfAlpha } from '../../proof/vrf.ts'
import { isSelected } from '../../proof/vrfSelection.ts'
import type { ReviewPosition, ReviewTag, SelectionRange } from '../../proof/vrfSelection.ts'
import { requestedFields } from '../answer.ts'
import { judgeEvidence } from '../evidence.ts'
import { clockHash, outputHash, promptHash, vrfProofHash } from '../../proof/job/hashes.ts'
import type { DrawBlock, JobSpec, VectorClock } from '../../proof/job/job.ts'
import { areTimesInOrder } from '../../proof/bundle/checkTimes.ts'
import { NO_HASH } from '../../proof/job/receipt.ts'
import { addressOfCompressedKey } from '../../proof/job/recover.ts'
import { statementDigest, statementMismatch, statementVersion } from '../../proof/job/statement.ts'
import type { RecordDomain } from '../../proof/job/typedStruct.ts'
import type { Protocol, Result } from '../protocol.ts'
import { recoverStatementSigner } from '../statement.ts'
import { vrf as draws } from '../vrf.ts'
import { clockFault, type ClockCounts } from './clockFault.ts'

/** What the dispatcher knows about a hand-out. */
export type Known = {
  readonly jobId: string
  readonly operator: string
  readonly job: JobSpec
  /** SHA-256 of the request, 64 digits; zeros in older jobs. */
  readonly requestHash: string
  readonly round: number
  readonly seed: string
  /** Protocol version of the hand-out; the statement must have the same version. */
  readonly protocol: Protocol
  /** The block that the draw is bound to. */
  readonly block: DrawBlock | undefined
  /** When the job was submitted, in seconds since 1970. */
  readonly createdAt: number
  readonly tag: ReviewTag
  readonly position: ReviewPosition
  readonly range: SelectionRange
  /** The vector clock that was sent with the job. */
  readonly clock: VectorClock
}

export type Trust = { readonly domain: RecordDomain; readonly evidence: EvidenceTrust }

/** A verified draw, and the answer if the draw selected the operator. */
export type Checked = {
  readonly selected: boolean
  readonly answer:
    | {
        /** Digest of the signed statement, 64 hex digits. */
        readonly verifyId: string
        readonly evidenceLevel: 'none' | 'hardware' | 'software-insecure'
      }
    | undefined
}

const PRINTABLE = /^[\x20-\x7e]*$/

/**
 * Verifies a result. Returns what was verified, or a sentence that says why it is invalid. `seen` has the greatest counts
 * that this dispatcher has ever handed out (clocks.ts), for participants that the hand-out does not name.
 */
export async function checkResult(
  result: Result,
  known: Known,
  trust: Trust,
  seen: ClockCounts = new Map(),
): Promise<Checked | string> {
  const { vrf, clock, answer } = result
  const proof = tryFromAnyHex(vrf.vrf_proof)
  const publicKey = tryFromAnyHex(vrf.vrf_verify_pubkey)
  if (proof === undefined || publicKey === undefined) return 'the draw is not hexadecimal'
  if (addressOfCompressedKey(publicKey) !== known.operator)
    return "the draw was not made with the operator's key"
  const hash = fromHex(promptHash(known.job.prompt))
  if (!sameBytes(vrf.vrf_prompt_hash, hash)) return 'the draw is for a different prompt'
  const alpha = vrfAlpha({
    jobId: fromHex(known.jobId),
    seed: fromHex(known.seed),
    promptHash: hash,
    ...(known.block !== undefined && { blockHash: fromHex(`0x${known.block.hash}`) }),
  })
  const beta = draws.verify(publicKey, alpha, proof)
  if (beta === undefined) return 'the VRF proof of the draw is invalid'
  if (!sameBytes(vrf.vrf_random_value, beta)) return 'the drawn value is not the proven one'
  const selected = isSelected(beta, known.range, known.tag, known.position)
  if (vrf.selected !== selected || result.selected !== selected)
    return `the draw ${selected ? 'selects' : 'does not select'} the operator, but it claims otherwise`

  const fault = clockFault(clock, known, seen)
  if (fault !== undefined) return fault

  if (!selected)
    return answer === undefined
      ? { selected, answer: undefined }
      : 'the operator was not selected but sent an answer'
  if (answer === undefined) return 'the operator was selected but sent no answer'
  return checkAnswer(answer, known, trust, {
    vrfProofHash: vrfProofHash(proof),
    clockHash: clockHash(clock),
  })
}

async function checkAnswer(
  { output, statement, signature, evidence, trace }: NonNullable<Result['answer']>,
  { jobId, operator, job, seed, protocol, block, createdAt }: Known,
  { domain, evidence: evidenceTrust }: Trust,
  hashes: { readonly vrfProofHash: string; readonly clockHash: string },
): Promise<Checked | string> {
  const { tag: jobType, prompt, model, params } = job
  if (statementVersion(statement) !== protocol)
    return `the statement is not of version ${protocol}, the protocol of its hand-out`
  const mismatch = statementMismatch(statement, {
    ...requestedFields({
      jobId,
      operator,
      seed,
      jobType,
      prompt,
      model,
      params,
      ...hashes,
      drawBlockHash: block === undefined ? NO_HASH : `0x${block.hash}`,
      createdAt,
      statementVersion: protocol,
    }),
    outputHash: outputHash(output),
  })
  if (mismatch !== undefined) return `the statement's ${mismatch} is not that of the job`
  // PostgreSQL could not read it any more.
  if (!PRINTABLE.test(statement.engine)) return "the statement's engine is not printable"
  if (statement.tokens > params.max_tokens) return 'the answer is longer than max_tokens'
  const isInOrder = areTimesInOrder({ ...statement, recordedAt: Math.floor(Date.now() / 1000) })
  if (!isInOrder) return "the statement's times are not in order: check the operator's clock"
  if (recoverStatementSigner(statement, domain, signature) !== operator)
    return 'the statement is not signed by the operator'
  if (trace !== undefined && !hasRoot(trace, statement.traceRoot))
    return "the trace does not have the statement's traceRoot"
  const verifyId = toHex(statementDigest(statement, domain)).slice(2)
  if (jobType === 'opml')
    return evidence === undefined
      ? { selected: true, answer: { verifyId, evidenceLevel: 'none' } }
      : 'an opml answer came with evidence'
  if (evidence === undefined) return 'a tee answer came without evidence'
  const verdict = await judgeEvidence(evidence, statement, domain, evidenceTrust)
  return verdict.ok
    ? { selected: true, answer: { verifyId, evidenceLevel: verdict.level } }
    : `the evidence is invalid: ${verdict.reason}`
}

function hasRoot(trace: string, root: string | undefined): boolean {
  const bytes = fromBase64(trace)
  const steps = bytes && decodeTrace(bytes)
  return steps !== undefined && toHex(traceRoot(steps)) === root
}

function sameBytes(text: string, expected: Uint8Array): boolean {
  const bytes = tryFromAnyHex(text)
  return bytes !== undefined && equalBytes(bytes, expected)
}
