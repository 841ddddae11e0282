/** Loads the weights of a model into the memory of the kernels. Every scale becomes an integer here, once and without loss. */
import type { FileHandle } from 'node:fs/promises'
import type { Kernels } from './kernels.ts'
import { openKernels } from './kernels.ts'
import type { ModelHead, TensorInfo } from './modelFile.ts'
import { unsupported, type LlamaShape } from './shape.ts'
import { BLOCK, ENCODINGS, ROPE_FACTORS, rowBytes } from './tensors.ts'

/**
 * A matrix: the sum of its planes, and of the minimum of each block. Most encodings have one plane, Q6_K two, plain numbers
 * as many as their digits. A plane is an address; its layout is in kernels/layout.as.ts. Minima are Q24 (i32), row by row.
 */
export type Matrix = {
  readonly rows: number
  readonly blocks: number
  readonly planes: readonly number[]
  readonly minima?: number
}

export type Layer = {
  readonly attentionNorm: number
  readonly query: Matrix
  readonly key: Matrix
  readonly value: Matrix
  readonly attentionOutput: Matrix
  readonly hiddenNorm: number
  readonly gate: Matrix
  readonly up: Matrix
  readonly down: Matrix
}

/** A model in memory. Norms are addresses of Q24 gains. */
export type Weights = {
  readonly kernels: Kernels
  readonly shape: LlamaShape
  readonly embedding: Matrix
  readonly layers: readonly Layer[]
  readonly outputNorm: number
  readonly output: Matrix
}

const CHUNK = 4 * 1024 * 1024
/** Bytes of a block of eight rows, see kernels/layout.as.ts. */
const GROUP = 288
const Q8_0 = 8
const Q4_0 = 2
const MAX_GAIN = 128
const MAX_FACTOR = 65_536

/** Loads a model whose tensors were checked. Rejects with InferenceError `unsupported-model`. */
export async function loadWeights(
  file: FileHandle,
  head: ModelHead,
  shape: LlamaShape,
): Promise<Weights> {
  const kernels = openKernels()
  // At least one row: a row of F32 has at most 128 KiB.
  const reader: Reader = { file, kernels, scratch: kernels.allocate(CHUNK) }
  const tensor = (name: string): TensorInfo => {
    const info = head.tensors.get(name)
    if (info === undefined) throw unsupported(`it has no tensor ${name}`)
    return info
  }
  const matrix = (name: string): Promise<Matrix> => loadMatrix(reader, tensor(name))
  const norm = (name: string): Promise<number> => loadNorm(reader, tensor(name))
  const embedding = await matrix('token_embd.weight')
  const layers: Layer[] = []
  for (let i = 0; i < shape.layers; i++)
    layers.push({
      attentionNorm: await norm(`blk.${i}.attn_norm.weight`),
      query: await matrix(`blk.${i}.attn_q.weight`),
      key: await matrix(`blk.${i}.attn_k.weight`),
      value: await matrix(`blk.${i}.attn_v.weight`),
      attentionOutput: await matrix(`blk.${i}.attn_output.weight`),
      hiddenNorm: await norm(`blk.${i}.ffn_norm.weight`),
      gate: await matrix(`blk.${i}.ffn_gate.weight`),
      up: await matrix(`blk.${i}.ffn_up.weight`),
      down: await matrix(`blk.${i}.ffn_down.weight`),
    })
  const outputNorm = await norm('output_norm.weight')
  const output = head.tensors.has('output.weight') ? await matrix('output.weight') : embedding
  return { kernels, shape, embedding, layers, outputNorm, output }
}

type Reader = { readonly file: FileHandle; readonly kernels: Kernels; readonly scratch: number }

async function loadMatrix(reader: Reader, tensor: TensorInfo): Promise<Matrix> {
  const { kernels, scratch } = reader
  const blocks = tensor.columns / BLOCK
  // The kernels process 32 rows at a time, in groups of eight; missing rows are zero.
  const size = Math.ceil(tensor.rows / 32) * 4 * blocks * GROUP
  const encoding = ENCODINGS[tensor.type]
  if (encoding === undefined) throw unsupported(`the tensor ${tensor.name} has no known encoding`)
  const planeCount =
    encoding.planes === 'numbers' ? await countPlanes(reader, tensor) : encoding.planes
  const planes = Array.from({ length: planeCount }, () => kernels.allocate(size))
  const minima =
    encoding.hasMinima === true ? kernels.allocate(tensor.rows * blocks * 4) : undefined
  await eachChunk(reader, tensor, (first, count) => {
    planes.forEach((matrix, plane) => {
      const isUsable =
        tensor.type === Q8_0
          ? kernels.unpackQ8(scratch, first, count, blocks, matrix)
          : tensor.type === Q4_0
            ? kernels.unpackQ4(scratch, first, count, blocks, matrix)
            : encoding.planes === 'numbers'
              ? kernels.unpackNumbers(tensor.type, scratch, first, count, blocks, plane, matrix)
              : kernels.unpackBlocks(
                  tensor.type,
                  scratch,
                  rowBytes(tensor),
                  first,
                  count,
                  blocks,
                  plane,
                  matrix,
                  minima ?? 0,
                )
      if (isUsable === 0)
        throw unsupported(`the tensor ${tensor.name} has weights that are too large, or no numbers`)
    })
  })
  return { rows: tensor.rows, blocks, planes, ...(minima === undefined ? {} : { minima }) }
}

async function countPlanes(reader: Reader, tensor: TensorInfo): Promise<number> {
  let most = 0
  await eachChunk(reader, tensor, (_, rows) => {
    const blocks = tensor.columns / BLOCK
    const planes = reader.kernels.countPlanes(tensor.type, reader.scratch, rows, blocks)
    if (planes === 0) throw unsupported(`the tensor ${tensor.name} has values that are no numbers`)
    most = Math.max(most, planes)
  })
  return most
}

/** Reads rows of a tensor into the scratch memory, as many as fit. */
async function eachChunk(
  { file, kernels, scratch }: Reader,
  tensor: TensorInfo,
  use: (first: number, rows: number) => void,
): Promise<void> {
  const perRow = rowBytes(tensor)
  const most = Math.floor(CHUNK / perRow)
  const buffer = Buffer.alloc(Math.min(most, tensor.rows) * perRow)
  for (let first = 0; first < tensor.rows; first += most) {
    const rows = Math.min(most, tensor.rows - first)
    await readFully(file, buffer.subarray(0, rows * perRow), tensor.offset + first * perRow)
    kernels.bytes().set(buffer.subarray(0, rows * perRow), scratch)
    use(first, rows)
  }
}

async function loadNorm({ file, kernels }: Reader, tensor: TensorInfo): Promise<number> {
  const buffer = Buffer.alloc(tensor.columns * 4)
  await readFully(file, buffer, tensor.offset)
  const address = kernels.allocate(tensor.columns * 4)
  const gains = new DataView(kernels.bytes().buffer, address, tensor.columns * 4)
  for (let i = 0; i < tensor.columns; i++) {
    const gain = buffer.readFloatLE(i * 4)
    if (!(Math.abs(gain) < MAX_GAIN))
      throw unsupported(`the tensor ${tensor.name} has a gain that is not below ${MAX_GAIN}`)
    // Scaling by a power of two is exact, so this rounds once, to the nearest integer.
    gains.setInt32(i * 4, Math.min(Math.round(gain * 2 ** 24), 0x7fffffff), true)
  }
  return address
}

/** What angles are divided by, see rope.ts; empty if the file has none. Rejects with InferenceError `unsupported-model`. */
export async function loadRopeFactors(
  file: FileHandle,
  head: ModelHead,
): Promise<readonly number[]> {
  const tensor = head.tensors.get(ROPE_FACTORS)
  if (tensor === undefined) return []
  const buffer = Buffer.alloc(tensor.columns * 4)
  await readFully(file, buffer, tensor.offset)
  const factors = Array.from({ length: tensor.columns }, (_, i) => buffer.readFloatLE(i * 4))
  if (!factors.every((factor) => factor >= 1 && factor <= MAX_FACTOR))
    throw unsupported(`the tensor ${ROPE_FACTORS} has a number that is not from 1 to ${MAX_FACTOR}`)
  return factors
}

async function readFully(file: FileHandle, target: Buffer, position: number): Promise<void> {
  for (let done = 0; done < target.length;) {
    const { bytesRead } = await file.read(target, done, target.length - done, position + done)
    if (bytesRead === 0) throw unsupported('its file shrank while being read')
    done += bytesRead
  }
}
