/** The tensors that a model of the Llama architecture has, and their encodings. */
import { GgufError } from '../ggufCursor.ts'
import type { ModelHead, TensorInfo } from './modelFile.ts'
import { unsupported, type LlamaShape } from './shape.ts'

/** Values per block of weights. */
export const BLOCK = 32

/** Encodings of matrices: number in GGML, and bytes per 32 values. */
export const ENCODINGS: Readonly<
  Record<number, { readonly name: string; readonly bytes: number }>
> = {
  1: { name: 'F16', bytes: 64 },
  2: { name: 'Q4_0', bytes: 18 },
  8: { name: 'Q8_0', bytes: 34 },
}

const F32 = 0

/** Bytes of one row of a matrix, or of a whole vector. */
export function rowBytes({ type, columns }: TensorInfo): number {
  return type === F32 ? columns * 4 : (columns / BLOCK) * (ENCODINGS[type]?.bytes ?? 0)
}

/**
 * Checks that a file holds exactly the tensors of its shape. Throws InferenceError `unsupported-model` for tensors that are
 * missing, unknown, of another size or encoding, and GgufError for those outside the file.
 */
export function checkTensors(head: ModelHead, shape: LlamaShape): void {
  const expected = expectedTensors(shape)
  for (const tensor of head.tensors.values())
    if (!expected.has(tensor.name))
      throw unsupported(`it has the tensor ${tensor.name.slice(0, 100)}`)
  for (const [name, [rows, columns]] of expected) {
    const tensor = head.tensors.get(name)
    // A model without an output matrix uses its embeddings.
    if (tensor === undefined && name === 'output.weight') continue
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
  const isVector = rows === 1 && name.endsWith('norm.weight')
  if (isVector ? type !== F32 : ENCODINGS[type] === undefined)
    throw unsupported(
      `the tensor ${name} has the encoding ${type}; supported: ${isVector ? 'F32' : 'Q8_0, Q4_0, F16'}`,
    )
  if (tensor.offset + rows * rowBytes(tensor) > size)
    throw new GgufError(`the file ends before the tensor ${name} does`)
}

/** Rows and columns of every tensor, by name, in the order of the computation. */
function expectedTensors(shape: LlamaShape): ReadonlyMap<string, readonly [number, number]> {
  const { width, hidden, vocabulary } = shape
  const keyWidth = shape.keyHeads * shape.headSize
  const layer = (i: number): readonly (readonly [string, readonly [number, number]])[] => [
    [`blk.${i}.attn_norm.weight`, [1, width]],
    [`blk.${i}.attn_q.weight`, [width, width]],
    [`blk.${i}.attn_k.weight`, [keyWidth, width]],
    [`blk.${i}.attn_v.weight`, [keyWidth, width]],
    [`blk.${i}.attn_output.weight`, [width, width]],
    [`blk.${i}.ffn_norm.weight`, [1, width]],
    [`blk.${i}.ffn_gate.weight`, [hidden, width]],
    [`blk.${i}.ffn_up.weight`, [hidden, width]],
    [`blk.${i}.ffn_down.weight`, [width, hidden]],
  ]
  return new Map([
    ['token_embd.weight', [vocabulary, width]],
    ...Array.from({ length: shape.layers }, (_, i) => layer(i)).flat(),
    ['output_norm.weight', [1, width]],
    ['output.weight', [vocabulary, width]],
  ])
}
