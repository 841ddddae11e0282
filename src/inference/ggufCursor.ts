/** Walks over the bytes of a GGUF file. */

/** The file is not a model that can be run. The message says what is wrong with it. */
export class GgufError extends Error {
  override readonly name = 'GgufError'
}

/** The bytes end before the value does: more of them are needed. */
export class Truncated extends Error {}

/** Walks over little-endian bytes. */
export class GgufCursor {
  readonly #bytes: Uint8Array
  readonly #view: DataView
  #offset = 0

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes
    this.#view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  }

  skip(length: number): void {
    if (this.#offset + length > this.#bytes.length) throw new Truncated()
    this.#offset += length
  }

  /** The bytes that were read so far. */
  get offset(): number {
    return this.#offset
  }

  uint8(): number {
    this.skip(1)
    return this.#view.getUint8(this.#offset - 1)
  }

  float32(): number {
    this.skip(4)
    return this.#view.getFloat32(this.#offset - 4, true)
  }

  uint32(): number {
    this.skip(4)
    return this.#view.getUint32(this.#offset - 4, true)
  }

  /** A 64-bit count; `what` names it in errors. */
  length(limit: number, what = 'a length'): number {
    this.skip(8)
    const at = this.#offset - 8
    const value = this.#view.getUint32(at + 4, true) * 2 ** 32 + this.#view.getUint32(at, true)
    if (value > limit)
      throw new GgufError(`${what} is ${this.#view.getBigUint64(at, true)}, more than ${limit}`)
    return value
  }

  text(length: number): string {
    this.skip(length)
    return new TextDecoder('utf-8', { ignoreBOM: true }).decode(
      this.#bytes.subarray(this.#offset - length, this.#offset),
    )
  }
}
