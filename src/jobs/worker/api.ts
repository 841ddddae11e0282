/** The API between operator and worker: HTTP with JSON, the shared secret as a bearer token. */
import { z } from 'zod'
import { list, scalarText, text, within } from '../../base/boundedSchema.ts'
import { BOUNDS } from '../../base/bounds.ts'
import { answerRequest } from '../answer.ts'
import { MAX_IDENTITIES, modelIdentity } from '../protocol.ts'
import { statement } from '../../proof/job/statement.ts'
import { address, chainId, evidence, evidenceLevel } from '../../proof/job/shapes.ts'

/** Computes one answer and attests it. */
export const ANSWER_PATH = '/answer'
/** Describes the worker. */
export const STATUS_PATH = '/status'

/** Content type of a response that is lines of JSON: pieces of text, then the answer or the failure. */
export const LINES_TYPE = 'application/x-ndjson'

/**
 * Body of a request for an answer: the request, and the domain of its statement. With `stream`, workers that know it send the text
 * as they generate it; those of former releases answer as ever.
 */
export const workerRequest = answerRequest.extend({
  jobType: z.literal('tee'),
  chainId,
  dispatcher: address,
  stream: z.literal(true).exactOptional(),
})

/** A line with text, which is not attested to. */
export const workerText = z.object({ text: text(BOUNDS.prompt) })

/** Body of an answer. */
export const workerAnswer = z.object({
  output: text(BOUNDS.prompt),
  statement: within(statement, { values: 64, characters: 16 * 1024 }),
  evidence: within(evidence, { values: 16, characters: BOUNDS.evidence }),
})

/** Body of every response that is not an answer. `retry`: whether another operator may succeed. */
export const workerFailure = z.object({ message: text(16 * 1024), retry: z.boolean() })

/** Body of a status: the level of its evidence, the available models, and what they are. */
export const workerStatus = z.object({
  level: evidenceLevel,
  models: list(scalarText(), 16 * 1024),
  /** What the names mean, as far as it is known (D144); absent in former releases. */
  identities: z.array(modelIdentity).max(MAX_IDENTITIES).exactOptional(),
})

export type WorkerRequest = z.infer<typeof workerRequest>
export type WorkerAnswer = z.infer<typeof workerAnswer>
export type WorkerStatus = z.infer<typeof workerStatus>
export type WorkerFailure = z.infer<typeof workerFailure>
