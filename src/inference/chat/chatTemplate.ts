/** The chat template of a model file. */
import { toHex, type Hex } from '../../base/hex.ts'
import { sha256 } from '../../base/sha256.ts'
import { utf8 } from '../../base/bytes.ts'
import { InferenceError } from '../errors.ts'
import type { ModelHead } from '../fixed/modelFile.ts'
import type { ChatMessage } from './messages.ts'
import { renderTemplate } from './render.ts'

/** A rendered conversation. `guard` breaks the names of control tokens in what was said; it is dropped from the text (D118). */
export type RenderedChat = { readonly text: string; readonly guard: string }

export type ChatTemplate = {
  /** SHA-256 over its UTF-8 bytes. */
  readonly hash: Hex
  /** Renders a conversation. Rejects as `renderTemplate` does. */
  render(
    messages: readonly ChatMessage[],
    createdAt: number,
    signal: AbortSignal,
  ): Promise<RenderedChat>
}

/** Characters that no text contains: Unicode reserves them for use within a program. */
const GUARDS = Array.from({ length: 32 }, (_, i) => String.fromCharCode(0xfdd0 + i))

/** Reads the template; undefined if there is none. `controlsIn` finds the names of control tokens in a text. */
export function readChatTemplate(
  { metadata }: ModelHead,
  controlsIn: (text: string) => readonly number[],
): ChatTemplate | undefined {
  const template = metadata.get('tokenizer.chat_template')
  if (typeof template !== 'string' || template.trim() === '') return undefined
  const tokens = metadata.get('tokenizer.ggml.tokens')
  const textOf = (name: string): string => {
    const id = metadata.get(`tokenizer.ggml.${name}_token_id`)
    const text = Array.isArray(tokens) && typeof id === 'number' ? tokens[id] : undefined
    return typeof text === 'string' ? text : ''
  }
  return {
    hash: toHex(sha256(utf8(template))),
    async render(messages, createdAt, signal) {
      const guard = GUARDS.find((character) =>
        [template, ...messages.map(({ content }) => content)].every(
          (text) => !text.includes(character),
        ),
      )
      if (guard === undefined)
        throw new InferenceError(
          'bad-parameters',
          'the messages contain all characters that Unicode reserves for use within a program',
        )
      const guarded = messages.map(({ role, content }) => ({
        role,
        content: guardNames(content, controlsIn(content), guard),
      }))
      const [bos, eos] = [textOf('bos'), textOf('eos')]
      const request = { template, messages: guarded, bos, eos, createdAt }
      return { text: await renderTemplate(request, signal), guard }
    },
  }
}

/** Puts the guard after the first character of each name. */
function guardNames(text: string, beginnings: readonly number[], guard: string): string {
  const ends = [...new Set(beginnings)].map(
    (at) => at + String.fromCodePoint(text.codePointAt(at) ?? 0).length,
  )
  return [0, ...ends].map((from, i) => text.slice(from, ends[i])).join(guard)
}
