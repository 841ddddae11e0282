/** Traces as bytes, for sending and storing. */
import { concatAll } from '../../base/bytes.ts'
import type { Trace, TokenTrace } from './trace.ts'

const HASH = 32
const COUNT_LENGTH = 4
const TOKEN_HEAD = 8
const NO_CHOICE = 0xffff_ffff

/**
 * The number of layers, then per token: its number, the chosen one (2^32 - 1 for none; 4 bytes each, big-endian), the hash of
 * the logits (zeros for none) and those of its layers.
 */
export function encodeTrace(trace: Trace): Uint8Array {
  const count = new Uint8Array(COUNT_LENGTH)
  new DataView(count.buffer).setUint32(0, trace[0]?.layers.length ?? 0)
  return concatAll([count, ...trace.flatMap(encodeToken)])
}

function encodeToken({ token, layers, choice }: TokenTrace): readonly Uint8Array[] {
  const head = new Uint8Array(TOKEN_HEAD)
  const view = new DataView(head.buffer)
  view.setUint32(0, token)
  view.setUint32(4, choice?.token ?? NO_CHOICE)
  return [head, choice?.logits ?? new Uint8Array(HASH), ...layers]
}

/** The decoded trace, or undefined if the bytes are not one. */
export function decodeTrace(bytes: Uint8Array): Trace | undefined {
  if (bytes.length < COUNT_LENGTH) return undefined
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length)
  const layers = view.getUint32(0)
  const size = TOKEN_HEAD + HASH * (1 + layers)
  const tokens = (bytes.length - COUNT_LENGTH) / size
  if (!Number.isInteger(tokens)) return undefined
  return Array.from({ length: tokens }, (_, position): TokenTrace => {
    const start = COUNT_LENGTH + position * size
    const hashAt = (index: number): Uint8Array => {
      const from = start + TOKEN_HEAD + HASH * index
      return bytes.slice(from, from + HASH)
    }
    const chosen = view.getUint32(start + 4)
    return {
      position,
      token: view.getUint32(start),
      layers: Array.from({ length: layers }, (_each, layer) => hashAt(1 + layer)),
      ...(chosen !== NO_CHOICE && { choice: { logits: hashAt(0), token: chosen } }),
    }
  })
}
