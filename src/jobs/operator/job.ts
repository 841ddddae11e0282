/** From a hand-out to the result: draw, clock, answer, statement, signature. */
import { toBase64 } from '../../base/base64.ts'
import { messageOf } from '../../base/errors.ts'
import { toHex } from '../../base/hex.ts'
import { InferenceError } from '../../inference/errors.ts'
import type { Trace } from '../../inference/fixed/trace.ts'
import { encodeTrace } from '../../inference/fixed/traceBytes.ts'
import type { SelectionRange } from '../../proof/vrfSelection.ts'
import { clockHash } from '../../proof/job/hashes.ts'
import type { JobType, VectorClock } from '../../proof/job/job.ts'
import { NO_HASH } from '../../proof/job/receipt.ts'
import { MAX_TRACE_BYTES } from '../protocol.ts'
import type { Dispatch, FromOperator, Protocol, Result } from '../protocol.ts'
import { signStatement, toBytes32 } from '../statement.ts'
import { drawFor } from './draw.ts'
import type { Identity } from './login.ts'
import type { Source } from './sources.ts'
import { WorkerError } from './workerClient.ts'

/** Thrown when a job is refused. */
export type Refused = Extract<FromOperator, { type: 'refused' }>

/** What doing a job depends on. `clock` is the operator's clock after this job's dispatch was merged into it. */
export type JobContext = {
  readonly identity: Identity
  readonly range: SelectionRange
  /** Protocol version of the session that the job came from, which is also the statement's version. */
  readonly protocol: Protocol
  readonly clock: VectorClock
  readonly sources: ReadonlyMap<JobType, Source>
  readonly signal: AbortSignal
  /** Receives the output as it is generated. */
  readonly onText?: (text: string) => void
}

const MAX_REASON = 2000

/**
 * Does one job. A job that cannot be done is refused with a reason that its submitter may read. Rejects only when the signal
 * is aborted.
 */
export async function doJob(dispatch: Dispatch, context: JobContext): Promise<Result | Refused> {
  try {
    return await attempt(dispatch, context)
  } catch (error) {
    context.signal.throwIfAborted()
    const isKnown = error instanceof InferenceError || error instanceof WorkerError
    return refusal(
      dispatch,
      isKnown ? error.message : `the operator failed: ${messageOf(error)}`,
      isKnown ? error.retry : true,
      error instanceof WorkerError && error.isAway,
    )
  }
}

async function attempt(dispatch: Dispatch, context: JobContext): Promise<Result | Refused> {
  const { identity, clock, signal } = context
  const source = context.sources.get(dispatch.job.tag)
  if (source === undefined)
    return refusal(dispatch, `this operator takes no ${dispatch.job.tag} jobs`, true)
  const draw = drawFor(dispatch, context.range, identity.privateKey)
  const result: Result = {
    type: 'result',
    jobId: dispatch.jobId,
    lease: dispatch.lease,
    selected: draw.isSelected,
    vrf: draw.record,
    clock,
  }
  if (!draw.isSelected) return result
  const domain = { chainId: BigInt(dispatch.chainId), dispatcher: toHex(identity.dispatcher) }
  const request = {
    jobId: dispatch.jobId,
    seed: dispatch.seed,
    operator: toHex(identity.address),
    jobType: dispatch.job.tag,
    prompt: dispatch.job.prompt,
    model: dispatch.job.model,
    params: dispatch.job.params,
    vrfProofHash: draw.proofHash,
    clockHash: clockHash(clock),
    drawBlockHash: dispatch.block === undefined ? NO_HASH : toBytes32(dispatch.block.hash),
    createdAt: dispatch.createdAt ?? 0,
    statementVersion: context.protocol,
  }
  const sourced = await source.answer(request, domain, signal, context.onText)
  const { output, statement, evidence } = sourced
  const trace = context.protocol === 1 ? undefined : traceText(sourced.trace)
  const answer = {
    output,
    statement,
    signature: signStatement(statement, domain, identity.privateKey),
    ...(evidence !== undefined && { evidence }),
    ...(trace !== undefined && { trace }),
  }
  return { ...result, answer }
}

/** Longer traces are not sent: those who doubt the answer compare roots. */
function traceText(trace: Trace | undefined): string | undefined {
  const bytes = trace && encodeTrace(trace)
  return bytes === undefined || bytes.length > MAX_TRACE_BYTES ? undefined : toBase64(bytes)
}

/** The message that refuses a job; `unavailable` says that the operator did not even begin it (D102). */
export function refusal(
  { jobId, lease }: Pick<Dispatch, 'jobId' | 'lease'>,
  reason: string,
  retry: boolean,
  unavailable = false,
): Refused {
  const said = { jobId, lease, reason: reason.slice(0, MAX_REASON), retry }
  return { type: 'refused', ...said, ...(unavailable && { unavailable }) }
}
