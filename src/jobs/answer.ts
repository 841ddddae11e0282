/** Computing an answer together with the statement about it. Operators do it for opml jobs, workers for tee jobs. */
import { z } from 'zod'
import { text } from '../base/boundedSchema.ts'
import { BOUNDS } from '../base/bounds.ts'
import type { Engine } from '../inference/engine.ts'
import type { ModelFolder } from '../inference/models.ts'
import { outputHash, paramsHash, promptHash } from '../proof/job/hashes.ts'
import type { Trace } from '../inference/fixed/trace.ts'
import { samplerSeed } from '../proof/job/samplerSeed.ts'
import { NO_ROOT, type Statement } from '../proof/job/statement.ts'
import { address, bytes32, digits32, jobParams, jobType } from '../proof/job/shapes.ts'
import { toBytes32 } from './statement.ts'

/** What to compute, and further fields of the statement. The hashes are those of hashes.ts. */
export const answerRequest = z.object({
  jobId: digits32,
  seed: digits32,
  operator: address,
  jobType,
  prompt: text(BOUNDS.prompt),
  model: text(BOUNDS.scalar),
  params: jobParams,
  vrfProofHash: bytes32,
  clockHash: bytes32,
  /** Version of the statement. Version 1 when absent, which is what operators of the previous protocol request. */
  statementVersion: z.union([z.literal(1), z.literal(2)]).default(1),
})

export type AnswerRequest = z.infer<typeof answerRequest>

/** The generated text and the statement about it, not signed yet, with the steps that the statement commits to. */
export type Answer = {
  readonly output: string
  readonly statement: Statement
  readonly trace?: Trace
}

/** The fields of a statement that follow from the request alone. */
export function requestedFields(
  request: Omit<AnswerRequest, 'statementVersion'>,
): Pick<
  Statement,
  | 'jobId'
  | 'operator'
  | 'jobType'
  | 'promptHash'
  | 'paramsHash'
  | 'seed'
  | 'vrfProofHash'
  | 'clockHash'
> {
  return {
    jobId: toBytes32(request.jobId),
    operator: request.operator,
    jobType: request.jobType,
    promptHash: promptHash(request.prompt),
    paramsHash: paramsHash(request.params),
    seed: toBytes32(request.seed),
    vrfProofHash: request.vrfProofHash,
    clockHash: request.clockHash,
  }
}

/** Runs the model and states what was run. Rejects as `ModelFolder.open` and `Engine.generate` do. */
export async function computeAnswer(
  request: AnswerRequest,
  using: { readonly engine: Engine; readonly models: ModelFolder; readonly signal: AbortSignal },
): Promise<Answer> {
  const model = await using.models.open(request.model)
  const startedAt = Math.floor(Date.now() / 1000)
  const { output, tokens, finishReason, commitment } = await using.engine.generate({
    model,
    prompt: request.prompt,
    temperature: request.params.temperature,
    topP: request.params.top_p,
    maxTokens: request.params.max_tokens,
    seed: samplerSeed({ seed: toBytes32(request.seed) }),
    signal: using.signal,
  })
  const statement: Statement = {
    ...requestedFields(request),
    engine: using.engine.id,
    modelHash: model.sha256,
    outputHash: outputHash(output),
    tokens,
    finishReason,
    startedAt,
    finishedAt: Math.floor(Date.now() / 1000),
    ...(request.statementVersion === 2 && {
      modelRoot: commitment?.modelRoot ?? NO_ROOT,
      traceRoot: commitment?.traceRoot ?? NO_ROOT,
    }),
  }
  return { output, statement, ...(commitment !== undefined && { trace: commitment.trace }) }
}
