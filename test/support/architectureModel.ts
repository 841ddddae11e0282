/** Small models of random weights, one for each architecture of the integer engine, as files and as numbers for a reference. */
import { encodeGguf, type GgufTensor, type GgufValue } from '../../src/inference/ggufWriter.ts'
import { encodeF32 } from '../../src/inference/quantize.ts'
import { randomStream } from '../../src/inference/random.ts'
import { TOKEN_TYPES, TOKENS } from '../../src/inference/tinyVocabulary.ts'

/** What a reference needs to know. Bounds, windows and divisors are 0, and factors empty, where there are none. */
export type ModelPlan = {
  readonly architecture: string
  readonly width: number
  readonly layers: number
  readonly heads: number
  readonly keyHeads: number
  readonly headSize: number
  readonly hidden: number
  readonly neighbours: boolean
  readonly gelu: boolean
  readonly fused: boolean
  readonly biases: boolean
  readonly headNorms: boolean
  readonly postNorms: boolean
  readonly embeddingScale: number
  readonly ropeSize: number
  readonly ropeBase: number
  readonly ropeGain: number
  readonly ropeDivisor: number
  readonly windowRopeBase: number
  readonly shortFactors: readonly number[]
  readonly longFactors: readonly number[]
  /** Up to which length the short factors hold. */
  readonly shortContext: number
  readonly window: number
  /** Every N-th layer sees all positions; 0 if none does. */
  readonly windowPeriod: number
  readonly attentionCap: number
  readonly logitCap: number
  readonly tied: boolean
}

const PLAIN: ModelPlan = {
  architecture: 'llama',
  width: 64,
  layers: 3,
  heads: 4,
  keyHeads: 2,
  headSize: 16,
  hidden: 160,
  neighbours: true,
  gelu: false,
  fused: false,
  biases: false,
  headNorms: false,
  postNorms: false,
  embeddingScale: 1,
  ropeSize: 16,
  ropeBase: 10_000,
  ropeGain: 1,
  ropeDivisor: 1,
  windowRopeBase: 10_000,
  shortFactors: [],
  longFactors: [],
  shortContext: 512,
  window: 0,
  windowPeriod: 0,
  attentionCap: 0,
  logitCap: 0,
  tied: false,
}

const HALVES: ModelPlan = { ...PLAIN, neighbours: false }
const PHI3: ModelPlan = { ...HALVES, architecture: 'phi3', fused: true, keyHeads: 4 }
const GEMMA: ModelPlan = {
  ...HALVES,
  architecture: 'gemma',
  gelu: true,
  tied: true,
  embeddingScale: 8,
  // As wide as the engine's kernels go.
  headSize: 256,
  ropeSize: 256,
  keyHeads: 1,
}

/** By what is special about them. */
export const PLANS: Readonly<Record<string, ModelPlan>> = {
  'llama, as in Llama 2': PLAIN,
  'llama with heads of another width, as in Mistral Nemo': { ...PLAIN, headSize: 24, ropeSize: 24 },
  'llama with a window, as in Mistral 0.1': { ...PLAIN, window: 8 },
  'llama with linear angles': { ...PLAIN, ropeDivisor: 4 },
  qwen2: { ...HALVES, architecture: 'qwen2', biases: true, tied: true, ropeBase: 1e6 },
  qwen3: { ...HALVES, architecture: 'qwen3', headNorms: true, headSize: 32, ropeSize: 32 },
  phi3: PHI3,
  'phi3 with a window': { ...PHI3, window: 8 },
  'phi3 with part of each head rotated, and factors': {
    ...PHI3,
    ropeSize: 12,
    ropeGain: Math.fround(1.19),
    shortContext: 32,
    shortFactors: [1, 1.0625, 1.125, 1.25, 1.5, 2],
    longFactors: [1, 2, 4, 8, 16, 32],
  },
  gemma: GEMMA,
  gemma2: {
    ...GEMMA,
    architecture: 'gemma2',
    postNorms: true,
    window: 8,
    windowPeriod: 2,
    attentionCap: 50,
    logitCap: 30,
  },
  gemma3: {
    ...GEMMA,
    architecture: 'gemma3',
    headNorms: true,
    postNorms: true,
    layers: 7,
    window: 8,
    windowPeriod: 6,
    ropeBase: 1e6,
    ropeDivisor: 8,
  },
}

export type ArchitectureModel = {
  readonly file: Uint8Array
  /** By the names of the tensors, row after row. */
  readonly weights: ReadonlyMap<string, Float32Array>
}

/** A model whose matrices are F32, so that a reference has the same weights. */
export function architectureModel(plan: ModelPlan, seed: number): ArchitectureModel {
  const random = randomStream(seed)
  const weights = new Map<string, Float32Array>()
  const tensors: GgufTensor[] = []
  const add = (name: string, dimensions: readonly number[], next: () => number): void => {
    const length = dimensions.reduce((product, size) => product * size, 1)
    const values = Float32Array.from({ length }, next)
    weights.set(name, values)
    tensors.push({ name, dimensions, type: 'F32', data: encodeF32(values) })
  }
  const matrix = (name: string, rows: number, columns: number): void =>
    add(name, [columns, rows], () => random.normal() / Math.sqrt(columns))
  const vector = (name: string, length: number, mean: number, deviation: number): void =>
    add(name, [length], () => mean + random.normal() * deviation)
  const { width, hidden, heads, keyHeads, headSize } = plan
  const queryWidth = heads * headSize
  const keyWidth = keyHeads * headSize
  const fixed = (name: string, values: readonly number[]): void => {
    const left = values.values()
    if (values.length > 0) add(name, [values.length], () => left.next().value as number)
  }

  fixed('rope_factors_short.weight', plan.shortFactors)
  fixed('rope_factors_long.weight', plan.longFactors)
  add('token_embd.weight', [width, TOKENS.length], () => random.normal() / plan.embeddingScale)
  for (let i = 0; i < plan.layers; i++) {
    const at = (name: string): string => `blk.${i}.${name}`
    vector(at('attn_norm.weight'), width, 1, 0.1)
    if (plan.fused) matrix(at('attn_qkv.weight'), queryWidth + 2 * keyWidth, width)
    else {
      matrix(at('attn_q.weight'), queryWidth, width)
      matrix(at('attn_k.weight'), keyWidth, width)
      matrix(at('attn_v.weight'), keyWidth, width)
    }
    if (plan.biases) {
      vector(at('attn_q.bias'), queryWidth, 0, 1)
      vector(at('attn_k.bias'), keyWidth, 0, 4)
      vector(at('attn_v.bias'), keyWidth, 0, 0.5)
    }
    if (plan.headNorms) {
      vector(at('attn_q_norm.weight'), headSize, 1, 0.3)
      vector(at('attn_k_norm.weight'), headSize, 1, 0.3)
    }
    matrix(at('attn_output.weight'), width, queryWidth)
    if (plan.postNorms) vector(at('post_attention_norm.weight'), width, 1, 0.3)
    vector(at('ffn_norm.weight'), width, 1, 0.1)
    if (plan.fused) matrix(at('ffn_up.weight'), 2 * hidden, width)
    else {
      matrix(at('ffn_gate.weight'), hidden, width)
      matrix(at('ffn_up.weight'), hidden, width)
    }
    matrix(at('ffn_down.weight'), width, hidden)
    if (plan.postNorms) vector(at('post_ffw_norm.weight'), width, 1, 0.3)
  }
  // Gains beyond 128, as Gemma 3 has them; and logits that reach into the bend of their bound.
  vector('output_norm.weight', width, plan.logitCap > 0 ? 8 : plan.postNorms ? 200 : 1, 0.1)
  if (!plan.tied) matrix('output.weight', TOKENS.length, width)
  return { file: encodeGguf(metadata(plan), tensors), weights }
}

function metadata(plan: ModelPlan): Readonly<Record<string, GgufValue>> {
  const { architecture } = plan
  const keys: readonly (readonly [string, GgufValue['type'], number, boolean?])[] = [
    ['vocab_size', 'uint32', TOKENS.length],
    ['context_length', 'uint32', 512],
    ['embedding_length', 'uint32', plan.width],
    ['block_count', 'uint32', plan.layers],
    ['feed_forward_length', 'uint32', plan.hidden],
    ['attention.head_count', 'uint32', plan.heads],
    ['attention.head_count_kv', 'uint32', plan.keyHeads],
    ['attention.key_length', 'uint32', plan.headSize],
    ['attention.value_length', 'uint32', plan.headSize],
    ['attention.layer_norm_rms_epsilon', 'float32', 1e-6],
    ['rope.dimension_count', 'uint32', plan.ropeSize],
    ['rope.freq_base', 'float32', plan.ropeBase],
    ['rope.scaling.factor', 'float32', plan.ropeDivisor, plan.ropeDivisor !== 1],
    ['rope.scaling.attn_factor', 'float32', plan.ropeGain, plan.ropeGain !== 1],
    [
      'rope.scaling.original_context_length',
      'uint32',
      plan.shortContext,
      plan.longFactors.length > 0,
    ],
    ['attention.sliding_window', 'uint32', plan.window, plan.window > 0],
    ['attn_logit_softcapping', 'float32', plan.attentionCap, plan.attentionCap > 0],
    ['final_logit_softcapping', 'float32', plan.logitCap, plan.logitCap > 0],
  ]
  return {
    'general.architecture': { type: 'string', value: architecture },
    ...Object.fromEntries(
      keys
        .filter(([, , , isWanted]) => isWanted !== false)
        .map(([key, type, value]) => [`${architecture}.${key}`, { type, value } as GgufValue]),
    ),
    ...(plan.ropeDivisor === 1
      ? {}
      : { [`${architecture}.rope.scaling.type`]: { type: 'string', value: 'linear' } as const }),
    'tokenizer.ggml.model': { type: 'string', value: 'llama' },
    'tokenizer.ggml.pre': { type: 'string', value: 'default' },
    'tokenizer.ggml.tokens': { type: 'strings', value: TOKENS },
    'tokenizer.ggml.scores': { type: 'float32s', value: TOKENS.map(() => 0) },
    'tokenizer.ggml.token_type': { type: 'int32s', value: TOKEN_TYPES },
    'tokenizer.ggml.unknown_token_id': { type: 'uint32', value: 0 },
    'tokenizer.ggml.bos_token_id': { type: 'uint32', value: 1 },
    'tokenizer.ggml.eos_token_id': { type: 'uint32', value: 2 },
    'tokenizer.ggml.add_bos_token': { type: 'bool', value: true },
    'tokenizer.ggml.add_space_prefix': { type: 'bool', value: false },
  }
}
