/** Tensor encodings of GGML. All arithmetic is IEEE 754 and explicitly rounded, so the bytes are the same everywhere. */

/** Values per block of Q8_0 and Q4_0. */
const BLOCK = 32

const single = new Float32Array(1)
const singleBits = new Uint32Array(single.buffer)

/** The bits of the nearest half-precision number, ties to even. Too large values become infinite. */
export function toHalfBits(value: number): number {
  single[0] = value
  const bits = singleBits[0] as number
  const sign = (bits >>> 16) & 0x8000
  const exponent = ((bits >>> 23) & 0xff) - 112
  const fraction = bits & 0x7fffff
  if (exponent >= 31) return sign | 0x7c00 | (exponent === 143 && fraction !== 0 ? 0x200 : 0)
  if (exponent > 0) return sign | roundShift((exponent << 23) | fraction, 13)
  // Subnormal, or too small for anything but zero.
  return exponent < -10 ? sign : sign | roundShift(fraction | 0x800000, 14 - exponent)
}

/** value / 2^shift, rounded to the nearest integer, ties to even. */
function roundShift(value: number, shift: number): number {
  const floor = value >>> shift
  const rest = value & ((1 << shift) - 1)
  const half = 1 << (shift - 1)
  return rest > half || (rest === half && (floor & 1) === 1) ? floor + 1 : floor
}

/** F32: four bytes per value, little-endian. */
export function encodeF32(values: Float32Array): Uint8Array {
  const out = new Uint8Array(values.length * 4)
  const view = new DataView(out.buffer)
  values.forEach((value, i) => view.setFloat32(i * 4, value, true))
  return out
}

/** Q8_0: per 32 values a half-precision scale and 32 signed bytes. The number of values is a multiple of 32. */
export function encodeQ8(values: Float32Array): Uint8Array {
  const out = new Uint8Array((values.length / BLOCK) * (BLOCK + 2))
  const view = new DataView(out.buffer)
  for (let block = 0; block * BLOCK < values.length; block++) {
    const part = values.subarray(block * BLOCK, (block + 1) * BLOCK)
    const offset = block * (BLOCK + 2)
    const scale = Math.fround(part.reduce((max, value) => Math.max(max, Math.abs(value)), 0) / 127)
    const inverse = scale === 0 ? 0 : Math.fround(1 / scale)
    view.setUint16(offset, toHalfBits(scale), true)
    part.forEach((value, i) => {
      const scaled = Math.fround(value * inverse)
      view.setInt8(offset + 2 + i, Math.sign(scaled) * Math.floor(Math.abs(scaled) + 0.5))
    })
  }
  return out
}

/** F16: two bytes per value, little-endian, each rounded to the nearest. */
export function encodeF16(values: Float32Array): Uint8Array {
  const out = new Uint8Array(values.length * 2)
  const view = new DataView(out.buffer)
  values.forEach((value, i) => view.setUint16(i * 2, toHalfBits(value), true))
  return out
}

/**
 * Q4_0: per 32 values a half-precision scale and 32 values of 4 bits, less 8; the low halves of the 16 bytes come first. The
 * value of the largest magnitude becomes -8. The number of values is a multiple of 32.
 */
export function encodeQ4(values: Float32Array): Uint8Array {
  const out = new Uint8Array((values.length / BLOCK) * (BLOCK / 2 + 2))
  const view = new DataView(out.buffer)
  for (let block = 0; block * BLOCK < values.length; block++) {
    const part = values.subarray(block * BLOCK, (block + 1) * BLOCK)
    const offset = block * (BLOCK / 2 + 2)
    const extreme = part.reduce(
      (most, value) => (Math.abs(value) > Math.abs(most) ? value : most),
      0,
    )
    const scale = Math.fround(extreme / -8)
    const inverse = scale === 0 ? 0 : Math.fround(1 / scale)
    view.setUint16(offset, toHalfBits(scale), true)
    part.forEach((value, i) => {
      const nibble = Math.min(15, Math.floor(Math.fround(value * inverse) + 8.5))
      const at = offset + 2 + (i % 16)
      out[at] = (out[at] as number) | (i < 16 ? nibble : nibble << 4)
    })
  }
  return out
}
