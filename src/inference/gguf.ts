/** Reads the head of a GGUF model file: enough to refuse invalid files before llama.cpp maps them into memory. */
import type { FileHandle } from 'node:fs/promises'
import { GgufCursor, GgufError, Truncated } from './ggufCursor.ts'

/** What is read: `contextLength` in tokens. */
export type GgufHeader = {
  readonly version: number
  readonly architecture: string
  readonly contextLength: number
}

const MAX_KEYS = 10_000
const MAX_KEY_LENGTH = 65_535
const FIRST_READ = 64 * 1024
/** Vocabularies of 256,000 tokens take about 10 MB. */
const MAX_HEAD = 64 * 1024 * 1024

/** Sizes of the scalar value types, by type number; strings (8) and arrays (9) include their own lengths. */
const SCALAR_SIZE: Readonly<Record<number, number>> = {
  0: 1,
  1: 1,
  2: 2,
  3: 2,
  4: 4,
  5: 4,
  6: 4,
  7: 1,
  10: 8,
  11: 8,
  12: 8,
}
const STRING = 8
const ARRAY = 9

/** Reads the head of an open file. Rejects with GgufError if it is not a usable model. */
export async function readGgufHeader(file: FileHandle): Promise<GgufHeader> {
  const { size } = await file.stat()
  for (let length = FIRST_READ; ; length *= 8) {
    const end = Math.min(length, size, MAX_HEAD)
    const { buffer, bytesRead } = await file.read(Buffer.alloc(end), 0, end, 0)
    const header = parseGgufHeader(buffer.subarray(0, bytesRead))
    if (header !== undefined) return header
    if (end < length) throw new GgufError('the file ends within its metadata')
  }
}

/** Parses the first bytes of a file; undefined when more of them are needed. Throws GgufError. */
export function parseGgufHeader(bytes: Uint8Array): GgufHeader | undefined {
  try {
    return parse(new GgufCursor(bytes))
  } catch (error) {
    if (error instanceof Truncated) return undefined
    throw error
  }
}

function parse(cursor: GgufCursor): GgufHeader {
  if (cursor.text(4) !== 'GGUF') throw new GgufError('the file does not start with "GGUF"')
  const version = cursor.uint32()
  if (version !== 2 && version !== 3)
    throw new GgufError(`GGUF version ${version} is not supported, only 2 and 3`)
  cursor.length(Number.MAX_SAFE_INTEGER, 'its number of tensors')
  const keys = cursor.length(MAX_KEYS, 'its number of metadata keys')
  let architecture: string | undefined
  const contextLengths = new Map<string, number>()
  for (let i = 0; i < keys; i++) {
    const key = cursor.text(cursor.length(MAX_KEY_LENGTH))
    const type = cursor.uint32()
    if (key === 'general.architecture') architecture = readString(cursor, key, type)
    else if (key.endsWith('.context_length')) contextLengths.set(key, readUint(cursor, key, type))
    else skipValue(cursor, type, 0)
    const contextLength = contextLengths.get(`${architecture}.context_length`)
    if (architecture !== undefined && contextLength !== undefined)
      return { version, architecture, contextLength }
  }
  throw new GgufError('the file does not state its architecture or context length')
}

function readString(cursor: GgufCursor, key: string, type: number): string {
  if (type !== STRING) throw new GgufError(`${key} is not a string`)
  return cursor.text(cursor.length(MAX_KEY_LENGTH))
}

function readUint(cursor: GgufCursor, key: string, type: number): number {
  const value = type === 4 ? cursor.uint32() : type === 10 ? cursor.length(2 ** 32) : 0
  if (value === 0) throw new GgufError(`${key} is not a positive integer`)
  return value
}

function skipValue(cursor: GgufCursor, type: number, depth: number): void {
  const size = SCALAR_SIZE[type]
  if (size !== undefined) return cursor.skip(size)
  if (type === STRING) return cursor.skip(cursor.length(MAX_HEAD))
  if (type !== ARRAY || depth > 2) throw new GgufError(`a value has the unknown type ${type}`)
  const elementType = cursor.uint32()
  const count = cursor.length(MAX_HEAD)
  const elementSize = SCALAR_SIZE[elementType]
  if (elementSize !== undefined) return cursor.skip(count * elementSize)
  for (let i = 0; i < count; i++) skipValue(cursor, elementType, depth + 1)
}
