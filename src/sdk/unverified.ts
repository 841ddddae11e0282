/** What a client gets in the place of an answer that does not verify. */
import type { Confirmation } from './confirm.ts'

const STATUS = 422
const KIND = 'unverified_answer'

/** An error in the form of OpenAI's API. */
export function unverifiedError(message: string): { readonly error: object } {
  return { error: { message, type: KIND, param: null, code: KIND } }
}

/** Such an error as a response. */
export function refusal(message: string, jobId?: string): Response {
  const job = jobId === undefined ? {} : { 'x-assay-job': jobId }
  return new Response(JSON.stringify(unverifiedError(message)), {
    status: STATUS,
    // Another try would be another job.
    headers: { 'content-type': 'application/json', 'x-should-retry': 'false', ...job },
  })
}

/** Why an answer is not given; undefined if it is. */
export function reasonOf({ lines, verdict }: Confirmation): string | undefined {
  if (verdict === 'holds') return undefined
  const failure = lines.find(({ status }) => status === 'fails')
  if (failure !== undefined) return `the answer does not verify: ${failure.text}`
  const open = lines.filter(({ status }) => status === 'unchecked').map(({ text }) => text)
  return `what you require of the answer is not established: ${open.join('; ')}`
}
