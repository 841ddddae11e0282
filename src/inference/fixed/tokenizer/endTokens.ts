/** Which tokens end a generation. Files name one; llama.cpp knows the others by their texts, and so does this engine (D118). */

const ENDS = [
  '<|eot_id|>',
  '<|im_end|>',
  '<|end|>',
  '<end_of_turn>',
  '<|endoftext|>',
  '</s>',
  '<|eom_id|>',
  '<EOT>',
  '_<EOT>',
  '[EOT]',
  '[EOS]',
  '<|end_of_text|>',
  '<end_of_utterance>',
  '<eos>',
]

/** By kind: the first of the list that a vocabulary has. Those of the kinds `pad`, `rep` and `sep` end a text. */
const FILL_IN = {
  pre: ['<|fim_prefix|>', '<fim-prefix>', '<fim_prefix>', '<PRE>', '▁<PRE>'],
  suf: ['<|fim_suffix|>', '<fim-suffix>', '<fim_suffix>', '<SUF>', '▁<SUF>'],
  mid: ['<|fim_middle|>', '<fim-middle>', '<fim_middle>', '<MID>', '▁<MID>'],
  pad: ['<|fim_pad|>', '<fim-pad>', '<fim_pad>', '<PAD>', '[PAD]'],
  rep: ['<|fim_repo|>', '<|repo_name|>', '<fim-repo>', '<REPO>', '<reponame>'],
  sep: ['<|file_sep|>'],
} as const

/** Tokens that end a generation, and those that are control tokens whatever type their file gives them. */
export type EndTokens = {
  readonly ends: ReadonlySet<number>
  readonly controls: ReadonlySet<number>
}

/** Finds them by the ids that a file names (`eos`, `eot`, `eom`, `fim_…`), and by text. */
export function endTokens(
  ids: ReadonlyMap<string, number>,
  idOf: (name: string) => number | undefined,
): EndTokens {
  const find = (texts: readonly string[]): readonly number[] =>
    texts.flatMap((text) => ids.get(text) ?? [])
  const byText = find(ENDS)
  const ends = new Set(byText)
  const controls = new Set(byText)
  for (const name of ['eos', 'eot', 'eom']) {
    const id = idOf(name)
    if (id !== undefined) ends.add(id)
  }
  for (const [kind, texts] of Object.entries(FILL_IN)) {
    const named = idOf(`fim_${kind}`)
    const [found] = named === undefined ? find(texts) : []
    if (found !== undefined) controls.add(found)
    const id = named ?? found
    if (id !== undefined && ['pad', 'rep', 'sep'].includes(kind)) ends.add(id)
  }
  return { ends, controls }
}
