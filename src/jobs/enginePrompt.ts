/** What an engine is asked for a job. */
import type { GenerateRequest } from '../inference/engine.ts'
import { InferenceError } from '../inference/errors.ts'
import { readMessages } from '../proof/job/canonicalMessages.ts'
import type { JobParams } from '../proof/job/job.ts'

/**
 * The prompt of a job, or its conversation (D136). A model without a chat template reads what was said, with an empty line in
 * between. Throws InferenceError `bad-parameters` where the prompt should be a conversation and is none.
 */
export function enginePrompt(
  prompt: string,
  { messages: isConversation }: Pick<JobParams, 'messages'>,
): Pick<GenerateRequest, 'prompt' | 'messages'> {
  if (isConversation !== true) return { prompt }
  try {
    const messages = readMessages(prompt)
    return { prompt: messages.map(({ content }) => content).join('\n\n'), messages }
  } catch {
    throw new InferenceError('bad-parameters', 'the prompt is not a conversation in canonical form')
  }
}
