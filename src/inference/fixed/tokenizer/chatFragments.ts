/** The text of a chat template as control tokens and the text between them. */
import type { ModelHead } from '../modelFile.ts'
import { createSpecialTokens, type Fragment, type SpecialTokens } from './specialTokens.ts'
import { readVocabulary, TOKEN_TYPE, type Vocabulary } from './vocabulary.ts'

/** The named tokens of a file, whatever kind its tokenizer is. Throws InferenceError `unsupported-model`. */
export function readSpecialTokens(head: ModelHead): SpecialTokens {
  return specialTokensOf(head, readVocabulary(head))
}

/** The named tokens of a vocabulary. */
export function specialTokensOf(head: ModelHead, vocabulary: Vocabulary): SpecialTokens {
  return createSpecialTokens(vocabulary, stripsAfter(head, vocabulary))
}

/** Cuts a rendered text. The guard, which breaks the names that a user wrote, is dropped afterwards (D118). */
export function chatFragments(
  special: SpecialTokens,
  text: string,
  guard: string,
): readonly Fragment[] {
  return special
    .cut(text, true)
    .flatMap((fragment) =>
      'token' in fragment ? [fragment] : special.cut(fragment.text.replaceAll(guard, ''), false),
    )
}

/** Phi-3's vocabulary drops white space after its named tokens, which its file does not say (llama.cpp, llama-vocab.cpp). */
function stripsAfter(
  { metadata }: ModelHead,
  { texts, types }: Vocabulary,
): (token: number) => boolean {
  const name = metadata.get('general.name')
  const isPhi3 = typeof name === 'string' && /phi-?3/i.test(name)
  const exceptions = new Set(['<unk>', '<s>', '<|endoftext|>'])
  return (token) =>
    isPhi3 && types[token] !== TOKEN_TYPE.normal && !exceptions.has(texts[token] ?? '')
}
