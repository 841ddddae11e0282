/** Reads the head of a GGUF model file: enough to refuse invalid files before llama.cpp maps them into memory. */
import type { FileHandle } from 'node:fs/promises'
import { GgufError } from './ggufCursor.ts'
import { bytesWindow, fileWindow, OutOfBytes, type GgufWindow } from './ggufWindow.ts'

/** What is read: `contextLength` in tokens. */
export type GgufHeader = {
  readonly version: number
  readonly architecture: string
  readonly contextLength: number
}

const MAX_KEYS = 10_000
/** Of keys and architectures that are looked at; longer keys are passed over. */
const MAX_TEXT = 256
const MAX_KEY_LENGTH = 65_535
/** Vocabularies of 256,000 tokens take about 10 MB, with half a million merges. */
const MAX_HEAD = 64 * 1024 * 1024
/** Strings and arrays in arrays, over the whole head: each has a length to read. */
const MAX_ELEMENTS = 4_000_000
const ARRAY_COST = 256
const MAX_CONTEXT_LENGTHS = 64

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

/** Reads the head of an open file, holding a small part of it at a time. Rejects with GgufError if it is not a usable model. */
export async function readGgufHeader(file: FileHandle): Promise<GgufHeader> {
  const { size } = await file.stat()
  try {
    return await parse(fileWindow(file, Math.min(size, MAX_HEAD)))
  } catch (error) {
    if (!(error instanceof OutOfBytes)) throw error
    throw new GgufError(
      size > MAX_HEAD
        ? `its metadata is larger than ${MAX_HEAD} bytes`
        : 'the file ends within its metadata',
    )
  }
}

/** Parses the first bytes of a file; undefined when more of them are needed. Rejects with GgufError. */
export async function parseGgufHeader(bytes: Uint8Array): Promise<GgufHeader | undefined> {
  try {
    return await parse(bytesWindow(bytes))
  } catch (error) {
    if (error instanceof OutOfBytes) return undefined
    throw error
  }
}

async function parse(window: GgufWindow): Promise<GgufHeader> {
  await window.need(24)
  if (window.text(4) !== 'GGUF') throw new GgufError('the file does not start with "GGUF"')
  const version = window.uint32()
  if (version !== 2 && version !== 3)
    throw new GgufError(`GGUF version ${version} is not supported, only 2 and 3`)
  window.length(Number.MAX_SAFE_INTEGER, 'its number of tensors')
  const keys = window.length(MAX_KEYS, 'its number of metadata keys')
  const budget = { elements: MAX_ELEMENTS }
  let architecture: string | undefined
  const contextLengths = new Map<string, number>()
  for (let i = 0; i < keys; i++) {
    const key = await readText(window, MAX_KEY_LENGTH)
    await window.need(4)
    const type = window.uint32()
    if (key === 'general.architecture') architecture = await readString(window, key, type)
    else if (key?.endsWith('.context_length') === true) {
      contextLengths.set(key, await readUint(window, key, type))
      if (contextLengths.size > MAX_CONTEXT_LENGTHS)
        throw new GgufError(`it has more than ${MAX_CONTEXT_LENGTHS} context lengths`)
    } else await skipValue(window, type, 0, budget)
    const contextLength = contextLengths.get(`${architecture}.context_length`)
    if (architecture !== undefined && contextLength !== undefined)
      return { version, architecture, contextLength }
  }
  throw new GgufError('the file does not state its architecture or context length')
}

/** A text; undefined, and passed over, if it is longer than any that matters. */
async function readText(window: GgufWindow, limit: number): Promise<string | undefined> {
  await window.need(8)
  const length = window.length(limit)
  if (length > MAX_TEXT) {
    await window.skip(length)
    return undefined
  }
  await window.need(length)
  return window.text(length)
}

async function readString(window: GgufWindow, key: string, type: number): Promise<string> {
  if (type !== STRING) throw new GgufError(`${key} is not a string`)
  const text = await readText(window, MAX_KEY_LENGTH)
  if (text === undefined) throw new GgufError(`${key} is longer than ${MAX_TEXT} bytes`)
  return text
}

async function readUint(window: GgufWindow, key: string, type: number): Promise<number> {
  let value = 0
  if (type === 4 || type === 10) {
    await window.need(type === 4 ? 4 : 8)
    value = type === 4 ? window.uint32() : window.length(2 ** 32)
  }
  if (value === 0) throw new GgufError(`${key} is not a positive integer`)
  return value
}

async function skipValue(
  window: GgufWindow,
  type: number,
  depth: number,
  budget: { elements: number },
): Promise<void> {
  const size = SCALAR_SIZE[type]
  if (size !== undefined) return window.skip(size)
  if (type === STRING) {
    await window.need(8)
    return window.skip(window.length(MAX_HEAD))
  }
  if (type !== ARRAY || depth > 2) throw new GgufError(`a value has the unknown type ${type}`)
  await window.need(12)
  const elementType = window.uint32()
  const count = window.length(MAX_HEAD)
  const elementSize = SCALAR_SIZE[elementType]
  if (elementSize !== undefined) return window.skip(count * elementSize)
  // No model has arrays in arrays; each takes much longer to pass over than a string.
  budget.elements -= elementType === ARRAY ? count * ARRAY_COST : count
  if (budget.elements < 0)
    throw new GgufError(`it has more than ${MAX_ELEMENTS} strings, or too many arrays in arrays`)
  if (elementType === STRING) return skipStrings(window, count)
  for (let i = 0; i < count; i++) await skipValue(window, elementType, depth + 1, budget)
}

/** A vocabulary: nothing is awaited where the bytes are there. */
async function skipStrings(window: GgufWindow, count: number): Promise<void> {
  for (let i = 0; i < count; i++) {
    if (!window.has(8)) await window.need(8)
    const length = window.length(MAX_HEAD)
    if (!window.has(length)) await window.skip(length)
    else window.pass(length)
  }
}
