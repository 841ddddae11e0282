/** Loads the weights of a model into the memory of the kernels. Every scale becomes an integer here, once and without loss. */
import type { FileHandle } from 'node:fs/promises'
import type { Kernels } from './kernels.ts'
import { openKernels } from './kernels.ts'
import type { Matrix } from './matrix.ts'
import { formOf, minimaBytes, planeBytes } from './matrixForms.ts'
import { planMemories } from './memoryPlan.ts'
import type { ModelHead, TensorInfo } from './modelFile.ts'
import type { RopeFactors } from './ropeTables.ts'
import { unsupported, type ModelShape } from './shape.ts'
import { BLOCK, ENCODINGS, LONG_FACTORS, ROPE_FACTORS, rowBytes, SHORT_FACTORS } from './tensors.ts'

/**
 * The gains of a norm: an address of integers (i32), which are the gains times 2^bits. With fewer than 24 bits the largest gain
 * would not fit otherwise; with more the result is divided, as the residual stream is that it is added to.
 */
export type Norm = { readonly gains: number; readonly bits: number }

/** Biases are addresses of Q24 numbers (i64). What the architecture does not have is undefined. */
export type Layer = {
  /** The memory that it is in. */
  readonly kernels: Kernels
  readonly attentionNorm: Norm
  readonly query: Matrix
  readonly key: Matrix
  readonly value: Matrix
  readonly biases: Record<'query' | 'key' | 'value', number> | undefined
  readonly headNorms: Record<'query' | 'key', Norm> | undefined
  readonly attentionOutput: Matrix
  readonly hiddenNorm: Norm
  readonly gate: Matrix
  readonly up: Matrix
  readonly down: Matrix
  /** Of the results of attention and of the hidden part. */
  readonly postNorms: Record<'attention' | 'hidden', Norm> | undefined
}

/** A model in memory, or in several of at most 4 GiB each. */
export type Weights = {
  /** The memory of what is not in `layers`. */
  readonly kernels: Kernels
  readonly shape: ModelShape
  readonly embedding: Matrix
  readonly layers: readonly Layer[]
  readonly outputNorm: Norm
  readonly output: Matrix
}

const CHUNK = 4 * 1024 * 1024
const MAX_GAIN = 65_536
const MAX_BIAS = 65_536
const MAX_FACTOR = 65_536

/**
 * Loads a model whose tensors were checked. Layers that would not fit go into further memories of `limit` bytes at most. Rejects
 * with InferenceError `unsupported-model`.
 */
export async function loadWeights(
  file: FileHandle,
  head: ModelHead,
  shape: ModelShape,
  limit?: number,
): Promise<Weights> {
  const open = (): Reader => {
    const kernels = openKernels(limit)
    // At least one row: a row of F32 has at most 128 KiB.
    return { file, kernels, scratch: kernels.allocate(CHUNK) }
  }
  const home = open()
  const tensor = (name: string): TensorInfo => {
    const info = head.tensors.get(name)
    if (info === undefined) throw unsupported(`it has no tensor ${name}`)
    return info
  }
  const matrix = (name: string): Promise<Matrix> => loadMatrix(home, tensor(name))
  const embedding = await matrix('token_embd.weight')
  const outputNorm = await loadNorm(home, tensor('output_norm.weight'))
  const output = head.tensors.has('output.weight') ? await matrix('output.weight') : embedding
  const layers: Layer[] = []
  let reader = home
  for (const [index, startsMemory] of planMemories(head, shape, limit).entries()) {
    if (startsMemory) reader = open()
    layers.push(await loadLayer(reader, shape, (name) => tensor(`blk.${index}.${name}`)))
  }
  return { kernels: home.kernels, shape, embedding, layers, outputNorm, output }
}

async function loadLayer(
  reader: Reader,
  { architecture, hidden, heads, keyHeads, headSize }: ModelShape,
  tensor: (name: string) => TensorInfo,
): Promise<Layer> {
  const { isFused, hasBiases, hasHeadNorms, hasPostNorms, residualShift } = architecture
  const matrix = (name: string): Promise<Matrix> => loadMatrix(reader, tensor(`${name}.weight`))
  const norm = (name: string, shift?: number): Promise<Norm> =>
    loadNorm(reader, tensor(`${name}.weight`), shift)
  const bias = (name: string): Promise<number> => loadBias(reader, tensor(`${name}.bias`))
  /** Some rows of a tensor that holds several matrices. */
  const rows = (name: string, first: number, count: number): Promise<Matrix> => {
    const whole = tensor(`${name}.weight`)
    const offset = whole.offset + first * rowBytes(whole)
    return loadMatrix(reader, { ...whole, offset, rows: count })
  }
  const queryWidth = heads * headSize
  const keyWidth = keyHeads * headSize
  const attention =
    isFused === true
      ? {
          query: await rows('attn_qkv', 0, queryWidth),
          key: await rows('attn_qkv', queryWidth, keyWidth),
          value: await rows('attn_qkv', queryWidth + keyWidth, keyWidth),
        }
      : {
          query: await matrix('attn_q'),
          key: await matrix('attn_k'),
          value: await matrix('attn_v'),
        }
  const gates =
    isFused === true
      ? { gate: await rows('ffn_up', 0, hidden), up: await rows('ffn_up', hidden, hidden) }
      : { gate: await matrix('ffn_gate'), up: await matrix('ffn_up') }
  return {
    kernels: reader.kernels,
    attentionNorm: await norm('attn_norm'),
    ...attention,
    biases:
      hasBiases === true
        ? { query: await bias('attn_q'), key: await bias('attn_k'), value: await bias('attn_v') }
        : undefined,
    headNorms:
      hasHeadNorms === true
        ? { query: await norm('attn_q_norm'), key: await norm('attn_k_norm') }
        : undefined,
    attentionOutput: await matrix('attn_output'),
    hiddenNorm: await norm('ffn_norm'),
    ...gates,
    down: await matrix('ffn_down'),
    postNorms:
      hasPostNorms === true
        ? {
            attention: await norm('post_attention_norm', residualShift),
            hidden: await norm('post_ffw_norm', residualShift),
          }
        : undefined,
  }
}

type Reader = { readonly file: FileHandle; readonly kernels: Kernels; readonly scratch: number }

async function loadMatrix(reader: Reader, tensor: TensorInfo): Promise<Matrix> {
  const { kernels, scratch } = reader
  const { type, rows } = tensor
  const encoding = ENCODINGS[type]
  if (encoding === undefined) throw unsupported(`the tensor ${tensor.name} has no known encoding`)
  const blocks = tensor.columns / BLOCK
  const form = formOf(type)
  const isNumbers = encoding.isNumbers === true
  const planeCount = isNumbers ? await countPlanes(reader, tensor) : 1
  const size = planeBytes(form, rows, blocks)
  const planes = Array.from({ length: planeCount }, () => kernels.allocate(size))
  const minima =
    encoding.hasMinima === true ? kernels.allocate(minimaBytes(form, rows, blocks)) : undefined
  const perRow = rowBytes(tensor)
  await eachChunk(reader, tensor, (first, count) => {
    planes.forEach((matrix, plane) => {
      const isUsable = isNumbers
        ? kernels.unpackNumbers(type, scratch, first, count, blocks, plane, matrix)
        : kernels.unpackBlocks(
            form,
            type,
            scratch,
            perRow,
            first,
            count,
            blocks,
            matrix,
            minima ?? 0,
          )
      if (isUsable === 0)
        throw unsupported(`the tensor ${tensor.name} has weights that are too large, or no numbers`)
    })
  })
  return { form, rows, blocks, planes, ...(minima === undefined ? {} : { minima }) }
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

/** The result of the norm is divided by 2^shift. */
async function loadNorm({ file, kernels }: Reader, tensor: TensorInfo, shift = 0): Promise<Norm> {
  const values = await readNumbers(file, tensor)
  const most = values.reduce((largest, value) => Math.max(largest, Math.abs(value)), 0)
  if (!(most < MAX_GAIN))
    throw unsupported(`the tensor ${tensor.name} has a gain that is not below ${MAX_GAIN}`)
  let bits = 24
  while (most >= 2 ** (31 - bits)) bits--
  const address = kernels.allocate(values.length * 4)
  const gains = new DataView(kernels.bytes().buffer, address, values.length * 4)
  values.forEach((value, i) =>
    // Scaling by a power of two is exact, so this rounds once, to the nearest integer.
    gains.setInt32(i * 4, Math.min(Math.round(value * 2 ** bits), 0x7fffffff), true),
  )
  return { gains: address, bits: bits + shift }
}

async function loadBias({ file, kernels }: Reader, tensor: TensorInfo): Promise<number> {
  const values = await readNumbers(file, tensor)
  const address = kernels.allocate(values.length * 8)
  const biases = new DataView(kernels.bytes().buffer, address, values.length * 8)
  values.forEach((value, i) => {
    if (!(Math.abs(value) < MAX_BIAS))
      throw unsupported(`the tensor ${tensor.name} has a number that is not below ${MAX_BIAS}`)
    biases.setBigInt64(i * 8, BigInt(Math.round(value * 2 ** 24)), true)
  })
  return address
}

/** What angles are divided by, see ropeTables.ts. Rejects with InferenceError `unsupported-model`. */
export async function loadRopeFactors(file: FileHandle, head: ModelHead): Promise<RopeFactors> {
  const read = async (name: string): Promise<readonly number[] | undefined> => {
    const tensor = head.tensors.get(name)
    if (tensor === undefined) return undefined
    const factors = await readNumbers(file, tensor)
    if (factors.every((factor) => factor >= 1 && factor <= MAX_FACTOR)) return factors
    throw unsupported(`the tensor ${name} has a number that is not from 1 to ${MAX_FACTOR}`)
  }
  const always = await read(ROPE_FACTORS)
  const short = await read(SHORT_FACTORS)
  const long = await read(LONG_FACTORS)
  return { ...(always && { always }), ...(short && { short }), ...(long && { long }) }
}

/** A vector of F32. */
async function readNumbers(file: FileHandle, tensor: TensorInfo): Promise<readonly number[]> {
  const buffer = Buffer.alloc(tensor.columns * 4)
  await readFully(file, buffer, tensor.offset)
  return Array.from({ length: tensor.columns }, (_, i) => buffer.readFloatLE(i * 4))
}

async function readFully(file: FileHandle, target: Buffer, position: number): Promise<void> {
  for (let done = 0; done < target.length;) {
    const { bytesRead } = await file.read(target, done, target.length - done, position + done)
    if (bytesRead === 0) throw unsupported('its file shrank while being read')
    done += bytesRead
  }
}
