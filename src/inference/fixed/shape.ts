/** Which models the integer engine runs, and their sizes. */
import { InferenceError } from '../errors.ts'
import type { MetadataValue, ModelHead } from './modelFile.ts'

/** Architectures that run. */
export const SUPPORTED_ARCHITECTURES: readonly string[] = ['llama']

/** Sizes of a model of the Llama architecture; all counts. */
export type LlamaShape = {
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
}

const MAX_WIDTH = 32_768
const MAX_LAYERS = 1024
const MAX_HEAD_SIZE = 128
const MAX_CONTEXT = 1 << 24

/** The error for a valid model that this engine cannot run. */
export function unsupported(reason: string): InferenceError {
  return new InferenceError(
    'unsupported-model',
    `the fixed engine cannot run this model: ${reason}`,
  )
}

/** Reads the sizes. Throws InferenceError `unsupported-model`, which says what is not supported and what is. */
export function readShape({ metadata }: ModelHead): LlamaShape {
  const architecture = metadata.get('general.architecture')
  if (typeof architecture !== 'string' || !SUPPORTED_ARCHITECTURES.includes(architecture))
    throw unsupported(
      `its architecture is ${JSON.stringify(architecture)?.slice(0, 100)}; supported: ${SUPPORTED_ARCHITECTURES.join(', ')}`,
    )
  const key = (name: string): string => `${architecture}.${name}`
  const count = (name: string, most: number, otherwise?: number): number =>
    readCount(key(name), metadata.get(key(name)) ?? otherwise, most)
  const width = count('embedding_length', MAX_WIDTH)
  const heads = count('attention.head_count', MAX_WIDTH)
  const keyHeads = count('attention.head_count_kv', MAX_WIDTH, heads)
  const headSize = width / heads
  const hidden = count('feed_forward_length', MAX_WIDTH)
  const tokens = metadata.get('tokenizer.ggml.tokens')
  const shape: LlamaShape = {
    width,
    layers: count('block_count', MAX_LAYERS),
    heads,
    keyHeads,
    headSize,
    hidden,
    vocabulary: Array.isArray(tokens) ? tokens.length : 0,
    contextLength: count('context_length', MAX_CONTEXT),
    epsilon: BigInt(
      Math.round(
        readFraction(key('attention.layer_norm_rms_epsilon'), metadata, 1e-5, 0, 1) * 2 ** 48,
      ),
    ),
    ropeBase: readFraction(key('rope.freq_base'), metadata, 10_000, 1, 2 ** 39),
  }
  const same = (name: string): boolean => count(name, MAX_WIDTH, headSize) === headSize
  const problems: readonly (readonly [boolean, string])[] = [
    [width % 32 !== 0 || hidden % 32 !== 0, 'a width is not a multiple of 32'],
    [
      headSize % 8 !== 0 || headSize > MAX_HEAD_SIZE,
      `a head has ${headSize} numbers, not a multiple of 8 up to ${MAX_HEAD_SIZE}`,
    ],
    [heads % keyHeads !== 0, 'the heads cannot be shared among the key heads'],
    [shape.vocabulary === 0, 'it has no tokens'],
    [(metadata.get(key('expert_count')) ?? 0) !== 0, 'it has experts'],
    [(metadata.get(key('rope.scaling.type')) ?? 'none') !== 'none', 'its rotary angles are scaled'],
  ]
  const problem = problems.find(([isProblem]) => isProblem)
  if (problem !== undefined) throw unsupported(problem[1])
  if (
    !['rope.dimension_count', 'attention.key_length', 'attention.value_length'].every((name) =>
      same(name),
    )
  )
    throw unsupported('its heads are not as wide as its rotary angles')
  return shape
}

function readCount(key: string, value: MetadataValue | undefined, most: number): number {
  if (typeof value === 'number' && Number.isInteger(value) && value >= 1 && value <= most)
    return value
  throw unsupported(`${key} is not an integer from 1 to ${most}`)
}

function readFraction(
  key: string,
  metadata: ModelHead['metadata'],
  otherwise: number,
  least: number,
  most: number,
): number {
  const value = metadata.get(key) ?? otherwise
  if (typeof value === 'number' && value >= least && value <= most) return value
  throw unsupported(`${key} is not between ${least} and ${most}`)
}
