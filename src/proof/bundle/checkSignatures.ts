/** The signatures: the dispatcher's over its receipt, the operator's over its statement, both about the same job. */
import { concatBytes, equalBytes } from '../../base/bytes.ts'
import { fromHex, toHex } from '../../base/hex.ts'
import type { Sha256 } from '../comet/crypto.ts'
import { clockHash, outputHash, paramsHash } from '../job/hashes.ts'
import { evidenceHash, NO_HASH, receiptDigest } from '../job/receipt.ts'
import { signerOf } from '../job/recover.ts'
import { statementDigest, statementVersion } from '../job/statement.ts'
import type { RecordDomain } from '../job/typedStruct.ts'
import { time } from './checkTimes.ts'
import type { BundleAnswer } from './format.ts'
import type { Findings } from './report.ts'

/** The dispatcher's receipt: its signature, its job, and that the job id was not chosen later than the seed. */
export function checkReceipt(
  findings: Findings,
  { receipt, dispatcherSignature }: BundleAnswer,
  job: { readonly id: string; readonly domain: RecordDomain; readonly sha256: Sha256 },
): void {
  const { id, domain, sha256 } = job
  const signer = signerOf(receiptDigest(receipt, domain), dispatcherSignature)
  findings.check(
    signer === domain.dispatcher,
    `dispatcher ${domain.dispatcher} signed the receipt: round ${receipt.round} to operator ${receipt.operator}, recorded ${time(receipt.recordedAt)}`,
    `the receipt is not signed by the dispatcher ${domain.dispatcher}`,
  )
  findings.check(
    receipt.jobId === `0x${id}`,
    `the receipt is for job ${id}`,
    `the receipt is for another job, ${receipt.jobId.slice(2)}`,
  )
  if (receipt.requestHash === NO_HASH)
    findings.unchecked('job id: it is older than ids that commit to request and seed')
  else if (receipt.round === 0) {
    const committed = sha256(concatBytes(fromHex(receipt.seed), fromHex(receipt.requestHash)))
    findings.check(
      equalBytes(committed, fromHex(receipt.jobId)),
      'the job id commits to the hash of the request and to the seed of the draw',
      'the job id does not commit to this request hash and seed',
    )
  }
}

/** The operator's statement: its signature, and that it is about this job, these parameters, this output and these clocks. */
export function checkStatement(
  findings: Findings,
  {
    receipt,
    statement,
    operatorSignature,
    output,
    params,
    clock,
    jobClock,
    evidence,
  }: BundleAnswer,
  domain: RecordDomain,
): void {
  const digest = statementDigest(statement, domain)
  findings.check(
    signerOf(digest, operatorSignature) === statement.operator,
    `operator ${statement.operator} signed the statement: a ${statement.jobType} job, version ${statementVersion(statement)}`,
    'the statement is not signed by the operator it names',
  )
  findings.check(
    toHex(digest) === receipt.statementHash &&
      statement.operator === receipt.operator &&
      statement.jobId === receipt.jobId &&
      statement.seed === receipt.seed &&
      (statement.drawBlockHash ?? receipt.drawBlockHash) === receipt.drawBlockHash,
    'the receipt is for this statement, with the same operator, job, seed and block',
    'the receipt is for another statement',
  )
  findings.check(
    outputHash(output) === statement.outputHash,
    'the output matches the statement',
    'the output does not match the statement',
  )
  findings.check(
    paramsHash(params) === statement.paramsHash && statement.tokens <= params.max_tokens,
    `the parameters match the statement: temperature ${params.temperature}, top_p ${params.top_p}, at most ${params.max_tokens} tokens`,
    'the parameters do not match the statement',
  )
  findings.check(
    clockHash(clock) === statement.clockHash && clockHash(jobClock) === receipt.jobClockHash,
    'both clocks match their signed hashes',
    'a clock does not match its signed hash',
  )
  findings.check(
    evidenceHash(evidence) === receipt.evidenceHash,
    evidence === undefined
      ? 'no evidence was recorded, and the bundle has none'
      : 'the evidence matches the recorded hash',
    'the evidence does not match the recorded hash',
  )
}
