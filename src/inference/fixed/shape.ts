/** Which models the integer engine runs, and their sizes. */
import { InferenceError } from '../errors.ts'
import { ARCHITECTURES, type Architecture } from './architectures.ts'
import { createKeys, type Keys } from './metadataKeys.ts'
import type { ModelHead } from './modelFile.ts'

/** Sizes of a model; all counts unless noted. */
export type ModelShape = {
  readonly architecture: Architecture
  readonly width: number
  readonly layers: number
  readonly heads: number
  readonly keyHeads: number
  readonly headSize: number
  readonly hidden: number
  readonly vocabulary: number
  readonly contextLength: number
  /** Of the norms: with 48 fractional bits. */
  readonly epsilon: bigint
  /** Base of the rotary angles, an integer or fraction as the file gives it. */
  readonly ropeBase: number
  /** Numbers of a head that are rotated, the first ones. */
  readonly ropeSize: number
  /** What angles are divided by, where the file says so ("linear" scaling); 1 otherwise. Not in layers with a window of Gemma 3. */
  readonly ropeDivisor: number
  /** What sines and cosines are multiplied by: 1 but for Phi-3 with a long context. */
  readonly ropeGain: number
  /** Positions up to which the short factors of the angles hold (Phi-3). */
  readonly shortContext: number
  /** Base of the angles in layers with a window. */
  readonly windowRopeBase: number
  /** Number of positions that a layer with a window sees, itself included. */
  readonly window: number
  /** Which layers have a window. */
  readonly windowed: readonly boolean[]
  /** Scores are divided by the square root of this. */
  readonly scoreDivisor: number
  /** Bounds of scores and logits; 0 without. */
  readonly attentionCap: number
  readonly logitCap: number
}

const MAX_WIDTH = 32_768
const MAX_LAYERS = 1024
const MAX_HEAD_SIZE = 256
const MAX_CONTEXT = 1 << 24
const MAX_CAP = 127

/** The error for a valid model that this engine cannot run. */
export function unsupported(reason: string): InferenceError {
  return new InferenceError(
    'unsupported-model',
    `the fixed engine cannot run this model: ${reason}`,
  )
}

/** Reads the sizes. Throws InferenceError `unsupported-model`, which says what is not supported and what is. */
export function readShape({ metadata }: ModelHead): ModelShape {
  const architecture = readArchitecture(metadata.get('general.architecture'))
  const keys = createKeys(metadata, architecture.name, unsupported)
  const width = keys.count('embedding_length', MAX_WIDTH)
  const heads = keys.count('attention.head_count', MAX_WIDTH)
  const layers = keys.count('block_count', MAX_LAYERS)
  const contextLength = keys.count('context_length', MAX_CONTEXT)
  const headSize = keys.count('attention.key_length', MAX_WIDTH, width / heads)
  const ropeBase = keys.fraction('rope.freq_base', 1, 2 ** 39, 10_000)
  const tokens = metadata.get('tokenizer.ggml.tokens')
  const shape: ModelShape = {
    architecture,
    width,
    layers,
    heads,
    keyHeads: keys.count('attention.head_count_kv', MAX_WIDTH, heads),
    headSize,
    hidden: keys.count('feed_forward_length', MAX_WIDTH),
    vocabulary: Array.isArray(tokens) ? tokens.length : 0,
    contextLength,
    epsilon: BigInt(
      Math.round(keys.fraction('attention.layer_norm_rms_epsilon', 0, 1, 1e-5) * 2 ** 48),
    ),
    ropeBase,
    ropeSize: keys.count('rope.dimension_count', MAX_WIDTH, headSize),
    ropeDivisor: readRopeDivisor(keys),
    ropeGain: keys.fraction('rope.scaling.attn_factor', 1, 16, 1),
    shortContext: keys.count('rope.scaling.original_context_length', MAX_CONTEXT, contextLength),
    windowRopeBase: keys.fraction(
      'rope.freq_base_swa',
      1,
      2 ** 39,
      architecture.windowRopeBase ?? ropeBase,
    ),
    ...readWindow(keys, architecture, layers, contextLength),
    scoreDivisor: architecture.layersOfLargest === layers ? Math.floor(width / heads) : headSize,
    attentionCap: keys.fraction(
      'attn_logit_softcapping',
      0,
      MAX_CAP,
      architecture.attentionCap ?? 0,
    ),
    logitCap: keys.fraction('final_logit_softcapping', 0, MAX_CAP, architecture.logitCap ?? 0),
  }
  checkShape(shape, keys)
  return shape
}

function readArchitecture(name: unknown): Architecture {
  const known = typeof name === 'string' && Object.hasOwn(ARCHITECTURES, name)
  const architecture = known ? ARCHITECTURES[name] : undefined
  if (architecture !== undefined) return architecture
  throw unsupported(
    `its architecture is ${JSON.stringify(name)?.slice(0, 100)}; supported: ${Object.keys(ARCHITECTURES).join(', ')}`,
  )
}

/** Throws InferenceError for sizes that do not go together, or that the kernels have no room for. */
function checkShape(shape: ModelShape, keys: Keys): void {
  const { architecture, width, hidden, heads, keyHeads, headSize, ropeSize } = shape
  const valueSize = keys.count('attention.value_length', MAX_WIDTH, headSize)
  const isWhole = ropeSize === headSize
  const problems: readonly (readonly [boolean, string])[] = [
    [
      [width, hidden, heads * headSize].some((size) => size % 32 !== 0),
      'a width is not a multiple of 32',
    ],
    [
      headSize % 8 !== 0 || headSize > MAX_HEAD_SIZE,
      `a head has ${headSize} numbers, not a multiple of 8 up to ${MAX_HEAD_SIZE}`,
    ],
    [heads % keyHeads !== 0, 'the heads cannot be shared among the key heads'],
    [shape.vocabulary === 0, 'it has no tokens'],
    [
      (keys.get('expert_count') ?? 0) !== 0,
      `it has ${JSON.stringify(keys.get('expert_count'))} experts; supported: models without`,
    ],
    [
      valueSize !== headSize,
      `a head has ${headSize} numbers for keys and ${valueSize} for values; supported: as many`,
    ],
    [
      ropeSize > headSize || ropeSize % 2 !== 0 || (!isWhole && architecture.pairs !== 'halves'),
      `it rotates ${ropeSize} of the ${headSize} numbers of a head; supported: all of them${architecture.pairs === 'halves' ? ', or an even part' : ''}`,
    ],
  ]
  const problem = problems.find(([isProblem]) => isProblem)
  if (problem !== undefined) throw unsupported(problem[1])
}

function readRopeDivisor(keys: Keys): number {
  const type = keys.get('rope.scaling.type') ?? 'none'
  // Phi-3's factors are tensors.
  if (type === 'none' || type === 'longrope') return 1
  if (type === 'linear') return keys.fraction('rope.scaling.factor', 1, 65_536)
  throw unsupported(
    `its rotary angles are scaled by ${JSON.stringify(type).slice(0, 40)}; supported: none, linear, longrope`,
  )
}

function readWindow(
  keys: Keys,
  { window: otherwise = 0, windowPeriod = 0 }: Architecture,
  layers: number,
  contextLength: number,
): Pick<ModelShape, 'window' | 'windowed'> {
  // Zero means none, in files too.
  const window =
    (keys.get('attention.sliding_window') ?? otherwise) === 0
      ? 0
      : keys.count('attention.sliding_window', MAX_CONTEXT, otherwise)
  const hasWindow = window > 0 && window < contextLength
  const pattern = keys.get('attention.sliding_window_pattern') ?? windowPeriod
  if (Array.isArray(pattern) ? pattern.length < layers : typeof pattern !== 'number')
    throw unsupported(
      'its attention.sliding_window_pattern does not say which layers have a window',
    )
  const isWindowed = (layer: number): boolean =>
    Array.isArray(pattern)
      ? Boolean(pattern[layer])
      : pattern === 0 || layer % Number(pattern) < Number(pattern) - 1
  return {
    window: hasWindow ? window : 0,
    windowed: Array.from({ length: layers }, (_, layer) => hasWindow && isWindowed(layer)),
  }
}
