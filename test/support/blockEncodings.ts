/** Encoders of GGML's block encodings for tests: each value is rounded to the nearest, without a search for better scales. */
import { toHalfBits } from '../../src/inference/quantize.ts'

/** A way to encode the values of a matrix: number in GGML, number of the file type, and the bytes. */
export type BlockEncoding = {
  readonly type: number
  readonly fileType: number
  readonly encode: (values: Float32Array) => Uint8Array
}

/** The value of half-precision bits. */
function half(bits: number): number {
  const exponent = (bits >> 10) & 31
  const fraction = bits & 1023
  const size = exponent === 0 ? fraction * 2 ** -24 : (1024 + fraction) * 2 ** (exponent - 25)
  return bits & 0x8000 ? -size : size
}

/** Rounds a scale to half precision: bits and value. */
function toHalf(value: number): { readonly bits: number; readonly value: number } {
  const bits = toHalfBits(value)
  return { bits, value: half(bits) }
}

const quantum = (value: number, scale: number, least: number, most: number): number =>
  scale === 0 ? Math.max(0, least) : Math.min(most, Math.max(least, Math.round(value / scale)))

function eachBlock(
  values: Float32Array,
  length: number,
  bytes: number,
  write: (part: Float32Array, view: DataView) => void,
): Uint8Array {
  const out = new Uint8Array((values.length / length) * bytes)
  for (let i = 0; i * length < values.length; i++)
    write(values.subarray(i * length, (i + 1) * length), new DataView(out.buffer, i * bytes, bytes))
  return out
}

/** Adds bits to a byte. */
function put(view: DataView, at: number, bits: number): void {
  view.setUint8(at, view.getUint8(at) | bits)
}

/** Q4_1, Q5_0 and Q5_1: 32 values with a scale, a minimum or none, and 4 or 5 bits each. */
function small(bits: 4 | 5, hasMinimum: boolean): BlockEncoding['encode'] {
  const head = hasMinimum ? 4 : 2
  const packed = bits === 5 ? head + 4 : head
  const levels = 2 ** bits - 1
  return (values) =>
    eachBlock(values, 32, packed + 16, (part, view) => {
      const low = hasMinimum ? Math.min(...part) : 0
      const size = Math.max(...part.map(Math.abs))
      const scale = toHalf(hasMinimum ? (Math.max(...part) - low) / levels : size / 16)
      view.setUint16(0, scale.bits, true)
      const minimum = toHalf(low)
      if (hasMinimum) view.setUint16(2, minimum.bits, true)
      part.forEach((value, i) => {
        const q = hasMinimum
          ? quantum(value - minimum.value, scale.value, 0, levels)
          : quantum(value, scale.value, -16, 15) + 16
        put(view, packed + (i % 16), (q & 15) << (i < 16 ? 0 : 4))
        if (bits === 5) put(view, head + (i >> 3), (q >> 4) << (i & 7))
      })
    })
}

/** Writes scale and minimum of one of eight blocks as six bits each. */
function putSixBits(view: DataView, block: number, scale: number, minimum: number): void {
  if (block < 4) {
    put(view, 4 + block, scale)
    put(view, 8 + block, minimum)
    return
  }
  put(view, 8 + block, (scale & 15) | ((minimum & 15) << 4))
  put(view, block, (scale >> 4) << 6)
  put(view, 4 + block, (minimum >> 4) << 6)
}

/** Q4_K and Q5_K: 256 values in eight blocks. */
function withMinima(bits: 4 | 5): BlockEncoding['encode'] {
  const levels = 2 ** bits - 1
  const packed = bits === 5 ? 48 : 16
  return (values) =>
    eachBlock(values, 256, packed + 128, (part, view) => {
      const blocks = Array.from({ length: 8 }, (_, i) => part.subarray(i * 32, (i + 1) * 32))
      const lows = blocks.map((block) => Math.max(0, -Math.min(...block)))
      const scales = blocks.map((block, i) => (Math.max(...block) + (lows[i] as number)) / levels)
      const d = toHalf(Math.max(...scales) / 63)
      const dMin = toHalf(Math.max(...lows) / 63)
      view.setUint16(0, d.bits, true)
      view.setUint16(2, dMin.bits, true)
      blocks.forEach((block, j) => {
        const scale = quantum(scales[j] as number, d.value, 0, 63)
        const minimum = quantum(lows[j] as number, dMin.value, 0, 63)
        putSixBits(view, j, scale, minimum)
        block.forEach((value, i) => {
          const q = quantum(value + dMin.value * minimum, d.value * scale, 0, levels)
          put(view, packed + (j >> 1) * 32 + i, (q & 15) << (j & 1 ? 4 : 0))
          if (bits === 5) put(view, 16 + i, (q >> 4) << j)
        })
      })
    })
}

/** Q6_K: 256 values in sixteen blocks. */
function six(values: Float32Array): Uint8Array {
  return eachBlock(values, 256, 210, (part, view) => {
    const sizes = Array.from({ length: 16 }, (_, i) =>
      Math.max(...part.subarray(i * 16, (i + 1) * 16).map(Math.abs)),
    )
    const d = toHalf(Math.max(...sizes) / 31 / 127)
    view.setUint16(208, d.bits, true)
    sizes.forEach((size, i) => view.setInt8(192 + i, quantum(size / 31, d.value, 0, 127)))
    part.forEach((value, i) => {
      const scale = d.value * view.getInt8(192 + (i >> 4))
      const q = quantum(value, scale, -32, 31) + 32
      const [half, place, l] = [i >> 7, (i >> 5) & 3, i & 31]
      put(view, half * 64 + (place & 1) * 32 + l, (q & 15) << (place & 2 ? 4 : 0))
      put(view, 128 + half * 32 + l, (q >> 4) << (2 * place))
    })
  })
}

function f32(values: Float32Array): Uint8Array {
  return eachBlock(values, 1, 4, (part, view) => view.setFloat32(0, part[0] as number, true))
}

/** The upper half of single precision, cut off. */
function bf16(values: Float32Array): Uint8Array {
  const all = f32(values)
  return Uint8Array.from(
    { length: values.length * 2 },
    (_, i) => all[(i >> 1) * 4 + 2 + (i & 1)] as number,
  )
}

/** The encodings, by name. */
export const BLOCK_ENCODINGS = {
  F32: { type: 0, fileType: 0, encode: f32 },
  Q4_1: { type: 3, fileType: 3, encode: small(4, true) },
  Q5_0: { type: 6, fileType: 8, encode: small(5, false) },
  Q5_1: { type: 7, fileType: 9, encode: small(5, true) },
  Q4_K: { type: 12, fileType: 15, encode: withMinima(4) },
  Q5_K: { type: 13, fileType: 17, encode: withMinima(5) },
  Q6_K: { type: 14, fileType: 18, encode: six },
  BF16: { type: 30, fileType: 32, encode: bf16 },
} as const satisfies Readonly<Record<string, BlockEncoding>>
