/** The tensors that a model has, and their encodings. */
import { GgufError } from '../ggufCursor.ts'
import type { ModelHead, TensorInfo } from './modelFile.ts'
import { unsupported, type ModelShape } from './shape.ts'

/** Values per block of weights. */
export const BLOCK = 32

/**
 * An encoding of matrices: `bytes` for each block of so many values. How they are kept in memory: matrixForms.ts.
 */
export type Encoding = {
  readonly name: string
  readonly block: number
  readonly bytes: number
  readonly isNumbers?: boolean
  readonly hasMinima?: boolean
}

/** Encodings that run, by their numbers in GGML (D119). */
export const ENCODINGS: Readonly<Record<number, Encoding>> = {
  0: { name: 'F32', block: 1, bytes: 4, isNumbers: true },
  1: { name: 'F16', block: 1, bytes: 2, isNumbers: true },
  2: { name: 'Q4_0', block: 32, bytes: 18 },
  3: { name: 'Q4_1', block: 32, bytes: 20, hasMinima: true },
  6: { name: 'Q5_0', block: 32, bytes: 22 },
  7: { name: 'Q5_1', block: 32, bytes: 24, hasMinima: true },
  8: { name: 'Q8_0', block: 32, bytes: 34 },
  12: { name: 'Q4_K', block: 256, bytes: 144, hasMinima: true },
  13: { name: 'Q5_K', block: 256, bytes: 176, hasMinima: true },
  14: { name: 'Q6_K', block: 256, bytes: 210 },
  30: { name: 'BF16', block: 1, bytes: 2, isNumbers: true },
}

/** Names of the others, for refusals. */
const REFUSED: Readonly<Record<number, string>> = {
  10: 'Q2_K',
  11: 'Q3_K',
  16: 'IQ2_XXS',
  17: 'IQ2_XS',
  18: 'IQ3_XXS',
  19: 'IQ1_S',
  20: 'IQ4_NL',
  21: 'IQ3_S',
  22: 'IQ2_S',
  23: 'IQ4_XS',
  29: 'IQ1_M',
  34: 'TQ1_0',
  35: 'TQ2_0',
  39: 'MXFP4',
}

const F32 = 0

/** What the angles of each pair are divided by, in Llama 3.1 and later. */
export const ROPE_FACTORS = 'rope_freqs.weight'

/** The same for Phi-3: up to the original length of the context, and beyond. */
export const SHORT_FACTORS = 'rope_factors_short.weight'
export const LONG_FACTORS = 'rope_factors_long.weight'

const FACTORS: readonly string[] = [ROPE_FACTORS, SHORT_FACTORS, LONG_FACTORS]

/** A model without an output matrix uses its embeddings. */
const OPTIONAL: ReadonlySet<string> = new Set(['output.weight', ...FACTORS])
const SUPPORTED = Object.values(ENCODINGS)
  .map(({ name }) => name)
  .join(', ')

/** Bytes of one row of a matrix, or of a whole vector. */
export function rowBytes({ type, columns }: TensorInfo): number {
  const encoding = ENCODINGS[type]
  return encoding === undefined ? 0 : (columns / encoding.block) * encoding.bytes
}

/**
 * Checks that a file holds exactly the tensors of its shape. Throws InferenceError `unsupported-model` for tensors that are
 * missing, unknown, of another size or encoding, and GgufError for those outside the file.
 */
export function checkTensors(head: ModelHead, shape: ModelShape): void {
  const expected = expectedTensors(shape)
  for (const tensor of head.tensors.values())
    if (!expected.has(tensor.name))
      throw unsupported(
        `it has the tensor ${tensor.name.slice(0, 100)}, which has no place in its architecture, ${shape.architecture.name}`,
      )
  for (const [name, [rows, columns]] of expected) {
    const tensor = head.tensors.get(name)
    if (tensor === undefined && OPTIONAL.has(name)) continue
    if (tensor === undefined) throw unsupported(`it has no tensor ${name}`)
    checkTensor(tensor, rows, columns, head.size)
  }
}

function checkTensor(tensor: TensorInfo, rows: number, columns: number, size: number): void {
  const { name, type } = tensor
  if (tensor.rows !== rows || tensor.columns !== columns)
    throw unsupported(
      `the tensor ${name} has ${tensor.rows} rows of ${tensor.columns}, not ${rows} of ${columns}`,
    )
  const isVector = rows === 1 && (/norm\.weight$|\.bias$/.test(name) || FACTORS.includes(name))
  const encoding = ENCODINGS[type]
  if (isVector ? type !== F32 : encoding === undefined)
    throw unsupported(
      `the tensor ${name} has the encoding ${encoding?.name ?? REFUSED[type] ?? type}; supported: ${isVector ? 'F32' : SUPPORTED}`,
    )
  if (encoding !== undefined && columns % encoding.block !== 0)
    throw unsupported(
      `the tensor ${name} has rows of ${columns}, not a multiple of ${encoding.block} as ${encoding.name} needs`,
    )
  if (tensor.offset + rows * rowBytes(tensor) > size)
    throw new GgufError(`the file ends before the tensor ${name} does`)
}

type Expected = readonly (readonly [name: string, size: readonly [rows: number, columns: number]])[]

/** Rows and columns of every tensor, by name, in the order of the computation. */
function expectedTensors(
  shape: ModelShape,
): ReadonlyMap<string, readonly [rows: number, columns: number]> {
  const { architecture, width, vocabulary, ropeSize } = shape
  const factors = architecture.isFused === true ? [SHORT_FACTORS, LONG_FACTORS] : [ROPE_FACTORS]
  return new Map([
    ...factors.map((name) => [name, [1, ropeSize / 2]] as const),
    ['token_embd.weight', [vocabulary, width]],
    ...Array.from({ length: shape.layers }, (_, i) =>
      layerTensors(shape).map(([name, size]) => [`blk.${i}.${name}`, size] as const),
    ).flat(),
    ['output_norm.weight', [1, width]],
    ...(architecture.isTied === true ? [] : [['output.weight', [vocabulary, width]] as const]),
  ])
}

function layerTensors({
  architecture,
  width,
  hidden,
  heads,
  keyHeads,
  headSize,
}: ModelShape): Expected {
  const queryWidth = heads * headSize
  const keyWidth = keyHeads * headSize
  const { isFused, hasBiases, hasHeadNorms, hasPostNorms } = architecture
  const only = (condition: boolean | undefined, ...tensors: Expected): Expected =>
    condition === true ? tensors : []
  return [
    ['attn_norm.weight', [1, width]],
    ...only(isFused, ['attn_qkv.weight', [queryWidth + 2 * keyWidth, width]]),
    ...only(
      isFused !== true,
      ['attn_q.weight', [queryWidth, width]],
      ['attn_k.weight', [keyWidth, width]],
      ['attn_v.weight', [keyWidth, width]],
    ),
    ...only(
      hasBiases,
      ['attn_q.bias', [1, queryWidth]],
      ['attn_k.bias', [1, keyWidth]],
      ['attn_v.bias', [1, keyWidth]],
    ),
    ...only(
      hasHeadNorms,
      ['attn_q_norm.weight', [1, headSize]],
      ['attn_k_norm.weight', [1, headSize]],
    ),
    ['attn_output.weight', [width, queryWidth]],
    ...only(hasPostNorms, ['post_attention_norm.weight', [1, width]]),
    ['ffn_norm.weight', [1, width]],
    ...only(isFused !== true, ['ffn_gate.weight', [hidden, width]]),
    ['ffn_up.weight', [isFused === true ? 2 * hidden : hidden, width]],
    ['ffn_down.weight', [width, hidden]],
    ...only(hasPostNorms, ['post_ffw_norm.weight', [1, width]]),
  ]
}
