/** What the model reads for a request: the prompt as it is, or a conversation in the model's own form (D57). */
import type { GenerateRequest, PromptForm } from '../engine.ts'
import type { ChatTemplate, RenderedChat } from './chatTemplate.ts'
import { RENDERER } from './render.ts'

/** The conversation, and what a statement says about it; `chat` is absent where the prompt is read as it is. */
export type ChatPrompt = { readonly chat?: RenderedChat; readonly form: PromptForm }

/** Renders the conversation if the model has a template and the request is not raw. Rejects as `renderTemplate` does. */
export async function chatPrompt(
  template: ChatTemplate | undefined,
  { prompt, messages, raw = false, createdAt = 0, signal }: GenerateRequest,
): Promise<ChatPrompt> {
  if (template === undefined || raw) return { form: {} }
  const said = messages ?? [{ role: 'user', content: prompt } as const]
  const chat = await template.render(said, createdAt, signal)
  return { chat, form: { templateHash: template.hash, renderer: RENDERER } }
}
