/** Computing an answer together with the statement about it. Operators do it for opml jobs, workers for tee jobs. */
import { z } from 'zod'
import { text } from '../base/boundedSchema.ts'
import { BOUNDS } from '../base/bounds.ts'
import { parseModelReference } from '../base/modelName.ts'
import type { GenerateRequest, Generation } from '../inference/engine.ts'
import { InferenceError } from '../inference/errors.ts'
import type { ModelFile } from '../inference/models.ts'
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

/** What an engine is asked for an answer, of which only the model's kind differs from engine to engine. */
type AnswerJob<Model> = Omit<GenerateRequest, 'model'> & { readonly model: Model }

/** What computes answers. */
export type AnswerEngine<Model> = {
  /** Names implementation and version in statements, at most 128 printable characters. */
  readonly id: string
  /** The same for engines that name the model, too. */
  idOf?(model: Model): string
  generate(request: AnswerJob<Model>): Promise<Generation>
}

/** The models that it knows by name. */
export type AnswerModels<Model> = {
  list(): Promise<readonly string[]>
  open(name: string): Promise<Model>
}

/** Opens the model that a job names. Rejects as `ModelFolder.open` does, and where its file is not the pinned one (D58). */
export async function openPinned<Model extends Pick<ModelFile, 'sha256'>>(
  models: Pick<AnswerModels<Model>, 'open'>,
  reference: string,
): Promise<Model> {
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

/** Runs the model and states what was run. Rejects as the models' `open` and the engine's `generate` do. */
export async function computeAnswer<Model extends Pick<ModelFile, 'sha256'>>(
  request: AnswerRequest,
  using: {
    readonly engine: AnswerEngine<Model>
    readonly models: Pick<AnswerModels<Model>, 'open'>
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
    engine: using.engine.idOf?.(model) ?? using.engine.id,
    ...executionClaims(model, generation),
    startedAt,
    finishedAt: Math.floor(Date.now() / 1000),
  })
  const { output, commitment } = generation
  return { output, statement, ...(commitment !== undefined && { trace: commitment.trace }) }
}
