/** The pre-tokenizers that `tokenizer.ggml.pre` names: how a text is cut before any merge (D117; llama.cpp, llama-vocab.cpp). */
import { textOf, toCodePoints } from './codePoints.ts'
import { splitCased } from './splitCased.ts'
import {
  splitEachNumber,
  splitFalconPunctuation,
  splitNumbers,
  splitPunctuation,
  splitThreeDigits,
  type Split,
} from './splitRuns.ts'
import { splitWords } from './splitWords.ts'

/** A pre-tokenizer: steps that each cut the pieces of the one before, and defaults of its vocabularies. */
export type PreTokenizer = {
  readonly steps: readonly Split[]
  /** Whether a piece that is a token needs no merges. */
  readonly ignoresMerges?: boolean
  /** Whether a text begins with the beginning-of-sequence token if the file does not say. */
  readonly addsBos?: boolean
}

const gpt2 = splitWords({ lead: 'gpt2', contractions: 'lower', digits: Infinity })
const llama3 = splitWords({ lead: 'any', contractions: 'any', digits: 3 })
const qwen2 = splitWords({ lead: 'any', contractions: 'any', digits: 1 })
const qwen35 = splitWords({ lead: 'any', contractions: 'any', digits: 1, marks: true })

const LLAMA3: PreTokenizer = { steps: [llama3], ignoresMerges: true, addsBos: true }
const GPT2: PreTokenizer = { steps: [gpt2] }
const SMOLLM: PreTokenizer = { steps: [splitEachNumber, gpt2] }
const QWEN2: PreTokenizer = { steps: [qwen2] }
const GPT4O: PreTokenizer = { steps: [splitCased({ hasContractions: true, digits: 3 })] }

const FAMILIES: readonly (readonly [PreTokenizer, string])[] = [
  [LLAMA3, 'llama3 llama-v3 llama-bpe falcon3 falcon-h1 pixtral midm-2.0 lfm2'],
  [{ steps: [llama3] }, 'dbrx smaug-bpe'],
  [GPT2, 'gpt-2 phi-2 mpt olmo jais trillion mellum a.x-4.0 gigachat modern-bert granite-docling'],
  [SMOLLM, 'smollm starcoder refact command-r codeshell exaone minerva-7b'],
  [QWEN2, 'qwen2 deepseek-r1-qwen stablelm2 hunyuan megrez kormo f2llmv2'],
  [{ steps: [qwen35] }, 'qwen35'],
  [GPT4O, 'gpt-4o llama4 kanana2'],
  [
    {
      steps: [splitCased({ hasContractions: false, digits: 1 })],
      ignoresMerges: true,
      addsBos: true,
    },
    'tekken',
  ],
  [{ steps: [splitFalconPunctuation, gpt2, splitThreeDigits] }, 'falcon'],
  [{ steps: [splitPunctuation, gpt2, splitNumbers, splitThreeDigits] }, 'default'],
]

/** All pre-tokenizers by name. */
export const PRE_TOKENIZERS: ReadonlyMap<string, PreTokenizer> = new Map(
  FAMILIES.flatMap(([preTokenizer, names]) =>
    names.split(' ').map((name) => [name, preTokenizer] as const),
  ),
)

/** The pieces of a text, in order. */
export function splitText(steps: readonly Split[], text: string): readonly string[] {
  const all = toCodePoints(text)
  let ends: number[] = all.points.length === 0 ? [] : [all.points.length]
  for (const step of steps) {
    const cuts: number[] = []
    let start = 0
    for (const end of ends) {
      step(all, start, end, (cut) => cuts.push(cut))
      start = end
    }
    ends = cuts
  }
  return ends.map((end, i) => textOf(all, i === 0 ? 0 : (ends[i - 1] as number), end))
}
