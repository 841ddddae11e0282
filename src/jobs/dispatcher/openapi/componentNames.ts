/** Which schemas are components of the OpenAPI document, by name, with an example of each. */
import { bundle } from '../../../proof/bundle/format.ts'
import { openaiFailure } from '../openai/errorBody.ts'
import { chatCompletion, textCompletion } from '../openai/reply.ts'
import { chatBody, completionBody } from '../openai/request.ts'
import { listedJob } from '../listJobs.ts'
import {
  batchEntry,
  batchSubmission,
  deadLetter,
  deadLetterQuery,
  detailRecord,
  failure,
  modelEntry,
  operatorEntry,
  query,
  resultRecord,
  submission,
  submittedJob,
  traceRecord,
} from '../schemas.ts'
import {
  EXAMPLE_CHAT,
  EXAMPLE_DEAD_LETTER,
  EXAMPLE_DETAIL,
  EXAMPLE_ERROR,
  EXAMPLE_ID,
  EXAMPLE_JOB,
  EXAMPLE_LISTED_JOB,
  EXAMPLE_OPERATOR,
  EXAMPLE_RESULT,
  EXAMPLE_SERVED_MODEL,
  EXAMPLE_SERVING_OPERATOR,
} from './examples.ts'
import { named } from './named.ts'

/** Gives the schemas their names. Again is the same. */
export function nameComponents(): void {
  named('ApiError', failure, EXAMPLE_ERROR)
  named('Job', submittedJob, EXAMPLE_JOB)
  named('Submission', submission, { from: 'my-project', user: 'user-1', job: EXAMPLE_JOB })
  named('BatchSubmission', batchSubmission, { from: 'my-project', jobs: [{ job: EXAMPLE_JOB }] })
  named('BatchEntry', batchEntry, { code: 200, job_id: EXAMPLE_ID })
  named('JobQuery', query, { job_id: EXAMPLE_ID })
  named('JobResult', resultRecord, EXAMPLE_RESULT)
  named('JobTrace', traceRecord, { operator: EXAMPLE_OPERATOR, round: 0, trace: 'AAAA' })
  named('JobDetail', detailRecord, EXAMPLE_DETAIL)
  named('ListedJob', listedJob, EXAMPLE_LISTED_JOB)
  named('DeadLetterQuery', deadLetterQuery, { limit: 100 })
  named('DeadLetter', deadLetter, EXAMPLE_DEAD_LETTER)
  named('Operator', operatorEntry, EXAMPLE_SERVING_OPERATOR)
  named('ServedModel', modelEntry, EXAMPLE_SERVED_MODEL)
  named('ReceiptBundle', bundle)
  named('OpenaiError', openaiFailure)
  named('ChatRequest', chatBody, EXAMPLE_CHAT)
  named('CompletionRequest', completionBody, { model: EXAMPLE_JOB.model, prompt: 'Once upon' })
  named('ChatCompletion', chatCompletion)
  named('TextCompletion', textCompletion)
}
