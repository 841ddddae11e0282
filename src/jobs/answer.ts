/** Computing an answer together with the statement about it. Operators do it for opml jobs, workers for tee jobs. */
import { z } from 'zod'
import { text } from '../base/boundedSchema.ts'
import { BOUNDS } from '../base/bounds.ts'
import { parseModelReference } from '../base/modelName.ts'
import type { Engine } from '../inference/engine.ts'
import { InferenceError } from '../inference/errors.ts'
import type { ModelFile, ModelFolder } from '../inference/models.ts'
import { paramsHash, promptHash } from '../proof/job/hashes.ts'
import type { Trace } from '../inference/fixed/trace.ts'
import { NO_HASH } from '../proof/job/receipt.ts'
import { samplerSeed } from '../proof/job/samplerSeed.ts'
import type { Statement } from '../proof/job/statement.ts'
import { address, bytes32, digits32, jobParams, jobType } from '../proof/job/shapes.ts'
import { enginePrompt } from './enginePrompt.ts'
import { executionClaims } from './executionClaims.ts'
import { otherFile } from './otherFile.ts'
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
  /** Zeros when the draw is bound to no block. Both are sent since version 3. */
  drawBlockHash: bytes32.default(NO_HASH),
  createdAt: z.number().int().min(0).default(0),
  /** Version of the statement. Version 1 when absent, which is what operators of the first protocol request. */
  statementVersion: z.union([z.literal(1), z.literal(2), z.literal(3)]).default(1),
})

export type AnswerRequest = z.infer<typeof answerRequest>

/** The generated text and the statement about it, not signed yet, with the steps that the statement commits to. */
export type Answer = {
  readonly output: string
  readonly statement: Statement
  readonly trace?: Trace
}

type RequestedFields = Pick<
  Statement,
  | 'jobId'
  | 'operator'
  | 'jobType'
  | 'promptHash'
  | 'paramsHash'
  | 'seed'
  | 'vrfProofHash'
  | 'clockHash'
  | 'drawBlockHash'
  | 'createdAt'
>

/** What the sampler's seed is made of, in the version of the request. */
function seedsOf({
  seed,
  drawBlockHash,
  statementVersion,
}: AnswerRequest): Pick<Statement, 'seed' | 'drawBlockHash'> {
  return { seed: toBytes32(seed), ...(statementVersion >= 3 && { drawBlockHash }) }
}

/** The fields of a statement that follow from the request alone. */
export function requestedFields(request: AnswerRequest): RequestedFields {
  return {
    jobId: toBytes32(request.jobId),
    operator: request.operator,
    jobType: request.jobType,
    promptHash: promptHash(request.prompt),
    paramsHash: paramsHash(request.params),
    ...seedsOf(request),
    vrfProofHash: request.vrfProofHash,
    clockHash: request.clockHash,
    ...(request.statementVersion >= 3 && { createdAt: request.createdAt }),
  }
}

/** The statement of the requested version about an execution. Times are in seconds since 1970. */
export function statementAbout(
  request: AnswerRequest,
  execution: ReturnType<typeof executionClaims> & {
    readonly engine: string
    readonly startedAt: number
    readonly finishedAt: number
  },
): Statement {
  const { modelRoot, traceRoot, promptTokens, commitment, ...rest } = execution
  const { rowsRoot, templateHash, renderer, tokenListHash, ...first } = rest
  const second = { modelRoot, traceRoot }
  const third = { promptTokens, commitment, rowsRoot, templateHash, renderer, tokenListHash }
  return {
    ...requestedFields(request),
    ...first,
    ...(request.statementVersion >= 2 && second),
    ...(request.statementVersion >= 3 && third),
  }
}

/** Opens the model that a job names. Rejects as `ModelFolder.open` does, and where its file is not the pinned one (D58). */
export async function openPinned(models: ModelFolder, reference: string): Promise<ModelFile> {
  const wanted = parseModelReference(reference)
  if (wanted === undefined)
    throw new InferenceError('unknown-model', `${reference} cannot be the name of a model`)
  const model = await models.open(wanted.name)
  if (wanted.sha256 !== undefined && model.sha256 !== wanted.sha256)
    throw new InferenceError(
      'other-model',
      otherFile(wanted.name, { sha256: wanted.sha256 }, { sha256: model.sha256 }) ?? '',
    )
  return model
}

/** Runs the model and states what was run. Rejects as `ModelFolder.open` and `Engine.generate` do. */
export async function computeAnswer(
  request: AnswerRequest,
  using: {
    readonly engine: Engine
    readonly models: ModelFolder
    readonly signal: AbortSignal
    /** Receives the output piece by piece, as it is generated. */
    readonly onText?: ((text: string) => void) | undefined
  },
): Promise<Answer> {
  const model = await openPinned(using.models, request.model)
  const startedAt = Math.floor(Date.now() / 1000)
  const generation = await using.engine.generate({
    model,
    ...enginePrompt(request.prompt, request.params),
    // Earlier statements have no room for a template.
    raw: request.params.raw === true || request.statementVersion < 3,
    createdAt: request.createdAt,
    temperature: request.params.temperature,
    topP: request.params.top_p,
    maxTokens: request.params.max_tokens,
    stop: request.params.stop ?? [],
    seed: samplerSeed(seedsOf(request), request.params.seed),
    signal: using.signal,
    ...(using.onText !== undefined && { onText: using.onText }),
  })
  const statement = statementAbout(request, {
    engine: using.engine.id,
    ...executionClaims(model, generation),
    startedAt,
    finishedAt: Math.floor(Date.now() / 1000),
  })
  const { output, commitment } = generation
  return { output, statement, ...(commitment !== undefined && { trace: commitment.trace }) }
}
