/**
 * Conversations in jobs (D136): the prompt of the job is the list of messages in the canonical form of RFC 8785, so that
 * the hash of the prompt in a statement binds every role and every text.
 */
import { z } from 'zod'
import { BOUNDS } from '../../base/bounds.ts'
import { list, text } from '../../base/boundedSchema.ts'
import type { JobParams } from './job.ts'

/** Maximum number of messages of a conversation. */
export const MAX_MESSAGES = 1024

/** A conversation: at least one message. */
export const messageList = list(
  z.object({
    role: z.enum(['system', 'user', 'assistant']),
    content: text(BOUNDS.prompt),
  }),
  MAX_MESSAGES,
).min(1, 'a conversation has at least one message')

/** One message. */
export type JobMessage = Readonly<z.infer<typeof messageList>[number]>

/** The list as canonical JSON: members in the order of their names, no white space. Other members are left out. */
export function canonicalMessages(messages: readonly JobMessage[]): string {
  return JSON.stringify(messages.map(({ role, content }) => ({ content, role })))
}

/** The messages of a prompt in that form. Throws SyntaxError if it is not. */
export function readMessages(prompt: string): readonly JobMessage[] {
  const parsed = messageList.safeParse(parseJson(prompt))
  if (!parsed.success || canonicalMessages(parsed.data) !== prompt)
    throw new SyntaxError('the prompt is not a canonical list of messages')
  return parsed.data
}

/**
 * A prompt as statements hash it: of a conversation the canonical form, however its list of messages is laid out. A text that is no
 * such list is the only message of a user, as `assay run` sends it.
 */
export function promptText(text: string, { messages }: Pick<JobParams, 'messages'>): string {
  if (messages !== true) return text
  const list = messageList.safeParse(parseJson(text)).data
  return canonicalMessages(list ?? [{ role: 'user', content: text }])
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
