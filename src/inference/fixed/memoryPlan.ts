/** Which layers share a memory: WebAssembly addresses 4 GiB, and a model of seven billion weights needs more (D132). */
import { matrixBytes } from './matrixForms.ts'
import type { ModelHead, TensorInfo } from './modelFile.ts'
import type { ModelShape } from './shape.ts'

/** Bytes that one memory can have. */
export const MEMORY_LIMIT = 4 * 1024 ** 3

/** Tokens for which each layer's memory has room besides the weights; the context of the model if that is less. */
const PLANNED_TOKENS = 8192

/** Buffers of the first layer's size that a memory needs for a batch, its hashes and the loader. */
const BATCH_TOKENS = 64

/** Bytes of a cache's entry for one position in one layer, see kernels/layout.as.ts. */
export function entryBytes({
  keyHeads,
  headSize,
}: Pick<ModelShape, 'keyHeads' | 'headSize'>): number {
  return Math.ceil((4 * keyHeads * headSize + 8 * keyHeads) / 16) * 16
}

/** For each layer, whether it begins a further memory of `limit` bytes. */
export function planMemories(
  head: ModelHead,
  shape: ModelShape,
  limit = MEMORY_LIMIT,
): readonly boolean[] {
  const { width, hidden, heads, headSize, vocabulary, contextLength } = shape
  const tokens = Math.min(contextLength, PLANNED_TOKENS)
  const perLayer = tokens * entryBytes(shape) + BATCH_TOKENS * (width * 8 + entryBytes(shape))
  const buffers =
    BATCH_TOKENS * 8 * (3 * width + 3 * heads * headSize + 2 * hidden) + 16 * 1024 ** 2
  const sizes = Array.from({ length: shape.layers }, () => 0)
  let used = buffers + BATCH_TOKENS * vocabulary * 8
  for (const tensor of head.tensors.values()) {
    const layer = /^blk\.([0-9]+)\./.exec(tensor.name)?.[1]
    if (layer === undefined) used += tensorBytes(tensor)
    else sizes[Number(layer)] = (sizes[Number(layer)] ?? 0) + tensorBytes(tensor)
  }
  return sizes.map((size) => {
    const needed = size + perLayer
    const startsMemory = used + needed > limit
    used = (startsMemory ? buffers : used) + needed
    return startsMemory
  })
}

/** Bytes of a tensor in memory; of plain numbers an estimate. */
export function tensorBytes({ type, rows, columns }: TensorInfo): number {
  return rows === 1 ? columns * 8 : matrixBytes(type, rows, columns)
}
