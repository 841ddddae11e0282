/**
 * Reads the whole head of a GGUF file: every metadata value, and the position of each tensor (ggml-org/ggml,
 * docs/gguf.md).
 */
import type { FileHandle } from 'node:fs/promises'
import { GgufCursor, GgufError, Truncated } from '../ggufCursor.ts'

/** A metadata value. 64-bit integers beyond 2^53 are errors. */
export type MetadataValue = number | boolean | string | readonly MetadataValue[]

/** Position of a tensor. `offset` counts from the beginning of the file. */
export type TensorInfo = {
  readonly name: string
  readonly columns: number
  /** 1 for a vector. */
  readonly rows: number
  /** Number of the encoding in GGML. */
  readonly type: number
  readonly offset: number
}

export type ModelHead = {
  readonly metadata: ReadonlyMap<string, MetadataValue>
  readonly tensors: ReadonlyMap<string, TensorInfo>
  /** Of the file, in bytes. */
  readonly size: number
}

const FIRST_READ = 64 * 1024
const MAX_HEAD = 64 * 1024 * 1024
const MAX_ENTRIES = 100_000
const MAX_KEY = 65_535
const MAX_TEXT = 1024 * 1024
const MAX_ELEMENTS = 1 << 20
/** Of all arrays together: a vocabulary of 262,144 tokens with scores, types and merges has 1.3 million. */
const MAX_ALL_ELEMENTS = 2 << 20
const MAX_DIMENSION = 1 << 24
const MAX_DEPTH = 2

/** Reads the head of an open file. Rejects with GgufError. */
export async function readModelHead(file: FileHandle): Promise<ModelHead> {
  const { size } = await file.stat()
  for (let length = FIRST_READ; ; length *= 8) {
    const end = Math.min(length, size, MAX_HEAD)
    const { buffer, bytesRead } = await file.read(Buffer.alloc(end), 0, end, 0)
    try {
      return parseModelHead(buffer.subarray(0, bytesRead), size)
    } catch (error) {
      if (!(error instanceof Truncated)) throw error
      if (end < length) throw new GgufError('the file ends within its header')
    }
  }
}

/** Parses the beginning of a file of `size` bytes. Throws Truncated when more of it is needed, and GgufError. */
export function parseModelHead(bytes: Uint8Array, size: number): ModelHead {
  const cursor = new GgufCursor(bytes)
  if (cursor.text(4) !== 'GGUF') throw new GgufError('the file does not start with "GGUF"')
  const version = cursor.uint32()
  if (version !== 2 && version !== 3)
    throw new GgufError(`GGUF version ${version} is not supported, only 2 and 3`)
  const tensorCount = cursor.length(MAX_ENTRIES, 'its number of tensors')
  const keyCount = cursor.length(MAX_ENTRIES, 'its number of metadata keys')
  const metadata = new Map<string, MetadataValue>()
  const budget = { elements: MAX_ALL_ELEMENTS }
  for (let i = 0; i < keyCount; i++) {
    const key = cursor.text(cursor.length(MAX_KEY))
    if (metadata.has(key)) throw new GgufError(`the key ${key.slice(0, 64)} is given twice`)
    metadata.set(key, readValue(cursor, cursor.uint32(), 0, budget))
  }
  const found = Array.from({ length: tensorCount }, () => readTensor(cursor))
  const alignment = metadata.get('general.alignment') ?? 32
  if (typeof alignment !== 'number' || !(alignment >= 1 && alignment <= 65_536))
    throw new GgufError('general.alignment is not between 1 and 65536')
  const start = Math.ceil(cursor.offset / alignment) * alignment
  const tensors = new Map<string, TensorInfo>()
  for (const tensor of found) {
    if (tensors.has(tensor.name)) throw new GgufError(`duplicate tensor ${tensor.name}`)
    tensors.set(tensor.name, { ...tensor, offset: start + tensor.offset })
  }
  return { metadata, tensors, size }
}

function readTensor(cursor: GgufCursor): TensorInfo {
  const name = cursor.text(cursor.length(MAX_TEXT))
  const dimensions = cursor.uint32()
  if (dimensions < 1 || dimensions > 4)
    throw new GgufError(`the tensor ${name} has ${dimensions} dimensions`)
  const sizes = Array.from({ length: dimensions }, () => cursor.length(MAX_DIMENSION))
  const [columns = 0, ...others] = sizes
  const rows = others.reduce((product, size) => product * size, 1)
  const type = cursor.uint32()
  const offset = cursor.length(2 ** 52)
  return { name, columns, rows, type, offset }
}

type Budget = { elements: number }

function readValue(cursor: GgufCursor, type: number, depth: number, budget: Budget): MetadataValue {
  switch (type) {
    case 0:
      return cursor.uint8()
    case 1:
      return (cursor.uint8() << 24) >> 24
    case 2:
      return cursor.uint8() | (cursor.uint8() << 8)
    case 3:
      return ((cursor.uint8() | (cursor.uint8() << 8)) << 16) >> 16
    case 4:
      return cursor.uint32()
    case 5:
      return cursor.uint32() | 0
    case 6:
      return cursor.float32()
    case 7:
      return cursor.uint8() !== 0
    case 8:
      return cursor.text(cursor.length(MAX_TEXT))
    case 9:
      return readArray(cursor, depth, budget)
    case 10:
      return cursor.length(Number.MAX_SAFE_INTEGER)
    case 11:
    case 12:
      // No key that is read here has a signed 64-bit integer or a double.
      cursor.skip(8)
      return 0
    default:
      throw new GgufError(`a value has the unknown type ${type}`)
  }
}

function readArray(cursor: GgufCursor, depth: number, budget: Budget): readonly MetadataValue[] {
  const type = cursor.uint32()
  const count = cursor.length(MAX_ELEMENTS)
  if (depth >= MAX_DEPTH) throw new GgufError('arrays are nested too deeply')
  budget.elements -= count
  if (budget.elements < 0)
    throw new GgufError(`its arrays have more than ${MAX_ALL_ELEMENTS} elements`)
  const values: MetadataValue[] = []
  for (let i = 0; i < count; i++) values.push(readValue(cursor, type, depth + 1, budget))
  return values
}
