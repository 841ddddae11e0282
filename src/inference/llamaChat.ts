/** Chat templates for llama.cpp: the integer engine's reading of the file's tokens decides what is a control token (D118). */
import fs from 'node:fs/promises'
import { messageOf } from '../base/errors.ts'
import { readChatTemplate, type ChatTemplate, type RenderedChat } from './chat/chatTemplate.ts'
import { InferenceError } from './errors.ts'
import { readModelHead } from './fixed/modelFile.ts'
import { chatFragments, readSpecialTokens } from './fixed/tokenizer/chatFragments.ts'
import type { Fragment } from './fixed/tokenizer/specialTokens.ts'
import type { LlamaModel } from './llamaRuntime.ts'
import type { ModelFile } from './models.ts'

export type LlamaChat = {
  readonly template: ChatTemplate
  /** The rendered text: control tokens, and the text between them. */
  fragments(chat: RenderedChat): readonly Fragment[]
}

/** Reads the template of a file; undefined if it has none. Rejects with InferenceError `unsupported-model`. */
export async function readLlamaChat(model: ModelFile): Promise<LlamaChat | undefined> {
  const file = await fs.open(model.path, 'r')
  try {
    const head = await readModelHead(file)
    if (typeof head.metadata.get('tokenizer.chat_template') !== 'string') return undefined
    const special = readSpecialTokens(head)
    const template = readChatTemplate(head, (text) => special.controlsIn(text))
    if (template === undefined) return undefined
    return { template, fragments: ({ text, guard }) => chatFragments(special, text, guard) }
  } catch (error) {
    throw new InferenceError('unsupported-model', `model "${model.name}": ${messageOf(error)}`, {
      cause: error,
    })
  } finally {
    await file.close()
  }
}

/** Tokens of a prompt, or of a rendered chat. Special tokens are never parsed from text: it cannot pass for a control token. */
export function promptTokens(
  model: LlamaModel,
  prompt: string,
  fragments: readonly Fragment[] = [{ text: prompt }],
): readonly number[] {
  const text = fragments.flatMap((fragment) =>
    'token' in fragment ? [fragment.token] : [...model.tokenize(fragment.text, false)],
  )
  const { bos, shouldPrependBosToken } = model.tokens
  if (bos === null || text[0] === bos) return text
  // An empty input cannot be evaluated, so it always starts with a token.
  return shouldPrependBosToken || text.length === 0 ? [bos, ...text] : text
}
