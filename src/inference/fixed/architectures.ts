/**
 * The architectures that the integer engine runs, one row each: what a layer of it does that one of Llama does not (D127).
 * Names are those of `general.architecture`; what rows leave out is as in Llama.
 */

export type Architecture = {
  readonly name: string
  /** Families of models that use it, for the documentation. */
  readonly models: string
  /** Which two numbers of a head make a pair that is rotated: neighbours, or number i of both halves. */
  readonly pairs: 'neighbours' | 'halves'
  readonly activation: 'silu' | 'gelu'
  /** Vectors that are added to queries, keys and values. */
  readonly hasBiases?: boolean
  /** Each head of the queries and keys passes a norm of its own. */
  readonly hasHeadNorms?: boolean
  /** The results of attention and of the hidden part pass a norm before they are added. */
  readonly hasPostNorms?: boolean
  /** Queries, keys and values are one tensor, and so are gate and up. */
  readonly isFused?: boolean
  /** Embeddings are multiplied by the square root of their width. */
  readonly scalesEmbedding?: boolean
  /** There is no output matrix, always: the embeddings take its place. */
  readonly isTied?: boolean
  /**
   * The residual stream is held divided by two to this power. Gemma's grows beyond 2^16, the bound of the engine's numbers; every
   * norm takes the factor out again. Only with post norms, which put it in.
   */
  readonly residualShift?: number
  /** Every N-th layer sees all positions, the others a window. Without it all layers have the window, if there is one. */
  readonly windowPeriod?: number
  /** The window of a file that names none. */
  readonly window?: number
  /** The base of the rotary angles in layers with a window, where the file names none; otherwise that of all layers. */
  readonly windowRopeBase?: number
  /** Bounds of scores and logits (cap * tanh(x / cap)), where the file names none. */
  readonly attentionCap?: number
  readonly logitCap?: number
  /** With so many layers, scores are divided by the root of width / heads instead of the head's size. */
  readonly layersOfLargest?: number
}

const GEMMA = {
  pairs: 'halves',
  activation: 'gelu',
  scalesEmbedding: true,
} as const

/** The rows, by name. */
export const ARCHITECTURES: Readonly<Record<string, Architecture>> = byName([
  {
    name: 'llama',
    models: 'Llama 2, 3.x; Mistral; SmolLM2; TinyLlama',
    pairs: 'neighbours',
    activation: 'silu',
  },
  {
    name: 'qwen2',
    models: 'Qwen2, Qwen2.5; DeepSeek-R1-Distill-Qwen',
    pairs: 'halves',
    activation: 'silu',
    hasBiases: true,
  },
  {
    name: 'qwen3',
    models: 'Qwen3 (dense)',
    pairs: 'halves',
    activation: 'silu',
    hasHeadNorms: true,
  },
  {
    name: 'phi3',
    models: 'Phi-3, Phi-3.5-mini; Phi-4',
    pairs: 'halves',
    activation: 'silu',
    isFused: true,
  },
  { ...GEMMA, name: 'gemma', models: 'Gemma 1', isTied: true },
  {
    ...GEMMA,
    name: 'gemma2',
    models: 'Gemma 2',
    isTied: true,
    hasPostNorms: true,
    residualShift: 6,
    windowPeriod: 2,
    window: 4096,
    attentionCap: 50,
    logitCap: 30,
    layersOfLargest: 46,
  },
  {
    ...GEMMA,
    name: 'gemma3',
    models: 'Gemma 3 (text)',
    hasHeadNorms: true,
    hasPostNorms: true,
    residualShift: 6,
    windowPeriod: 6,
    windowRopeBase: 10_000,
    layersOfLargest: 62,
  },
])

function byName(rows: readonly Architecture[]): Readonly<Record<string, Architecture>> {
  return Object.fromEntries(rows.map((row) => [row.name, row]))
}
