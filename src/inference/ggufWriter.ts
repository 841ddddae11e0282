/** Writes GGUF version 3, the model file format of llama.cpp (specification: ggml-org/ggml, docs/gguf.md). */
import { concatBytes, utf8 } from '../base/bytes.ts'

const MAGIC = 'GGUF'
const VERSION = 3
const ALIGNMENT = 32

/** Numbers of the value types that metadata may have. */
const VALUE_TYPE = { uint32: 4, int32: 5, float32: 6, bool: 7, string: 8, array: 9 } as const

/** One metadata value with its type. */
export type GgufValue =
  | { readonly type: 'uint32' | 'int32' | 'float32'; readonly value: number }
  | { readonly type: 'bool'; readonly value: boolean }
  | { readonly type: 'string'; readonly value: string }
  | { readonly type: 'strings'; readonly value: readonly string[] }
  | { readonly type: 'float32s' | 'int32s'; readonly value: readonly number[] }

/** Numbers of the tensor encodings that are used here. */
export const GGML_TYPE = { F32: 0, F16: 1, Q4_0: 2, Q8_0: 8 } as const

/** A tensor: sizes with the fastest-changing dimension first, its encoding (by name, or by its number in GGML) and its bytes. */
export type GgufTensor = {
  readonly name: string
  readonly dimensions: readonly number[]
  readonly type: keyof typeof GGML_TYPE | number
  readonly data: Uint8Array
}

/** The bytes of a model file. */
export function encodeGguf(
  metadata: Readonly<Record<string, GgufValue>>,
  tensors: readonly GgufTensor[],
): Uint8Array {
  const head = encodeGgufHead(
    metadata,
    tensors.map(({ data, ...tensor }) => ({ ...tensor, size: data.length })),
  )
  const body = tensors.flatMap(({ data }) => [data, new Uint8Array(padding(data.length))])
  return concatBytes(head, ...body)
}

/**
 * What precedes the tensors' bytes, padded. Each tensor of `size` bytes follows the one before at the next multiple of 32: a file
 * of zeros need not be written.
 */
export function encodeGgufHead(
  metadata: Readonly<Record<string, GgufValue>>,
  tensors: readonly (Omit<GgufTensor, 'data'> & { readonly size: number })[],
): Uint8Array {
  const entries = Object.entries(metadata)
  const parts = [utf8(MAGIC), uint32(VERSION), uint64(tensors.length), uint64(entries.length)]
  for (const [key, value] of entries) parts.push(string(key), encodeValue(value))
  let offset = 0
  for (const { name, dimensions, type, size } of tensors) {
    parts.push(string(name), uint32(dimensions.length), ...dimensions.map(uint64))
    parts.push(uint32(typeof type === 'number' ? type : GGML_TYPE[type]), uint64(offset))
    offset += size + padding(size)
  }
  const head = concatBytes(...parts)
  return concatBytes(head, new Uint8Array(padding(head.length)))
}

function encodeValue(value: GgufValue): Uint8Array {
  switch (value.type) {
    case 'string':
      return concatBytes(uint32(VALUE_TYPE.string), string(value.value))
    case 'bool':
      return concatBytes(uint32(VALUE_TYPE.bool), Uint8Array.of(value.value ? 1 : 0))
    case 'strings':
      return array(VALUE_TYPE.string, value.value.map(string))
    case 'float32s':
      return array(VALUE_TYPE.float32, value.value.map(float32))
    case 'int32s':
      return array(VALUE_TYPE.int32, value.value.map(uint32))
    case 'float32':
      return concatBytes(uint32(VALUE_TYPE.float32), float32(value.value))
    default:
      return concatBytes(uint32(VALUE_TYPE[value.type]), uint32(value.value))
  }
}

function array(elementType: number, elements: readonly Uint8Array[]): Uint8Array {
  const head = [uint32(VALUE_TYPE.array), uint32(elementType), uint64(elements.length)]
  return concatBytes(...head, ...elements)
}

function string(text: string): Uint8Array {
  const bytes = utf8(text)
  return concatBytes(uint64(bytes.length), bytes)
}

function uint32(value: number): Uint8Array {
  const out = new Uint8Array(4)
  new DataView(out.buffer).setUint32(0, value, true)
  return out
}

function uint64(value: number): Uint8Array {
  const out = new Uint8Array(8)
  new DataView(out.buffer).setBigUint64(0, BigInt(value), true)
  return out
}

function float32(value: number): Uint8Array {
  const out = new Uint8Array(4)
  new DataView(out.buffer).setFloat32(0, value, true)
  return out
}

function padding(length: number): number {
  return (ALIGNMENT - (length % ALIGNMENT)) % ALIGNMENT
}
