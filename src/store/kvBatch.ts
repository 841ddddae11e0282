/**
 * Writes as flat bytes, so that another thread can apply them: per write the number of its table, the lengths of key
 * and value, and both. A value length of all ones removes the key.
 */

/** One write; `value` undefined removes. Key and value are views into the batch. */
export type KvWrite = {
  readonly table: number
  readonly key: Uint8Array
  readonly value: Uint8Array | undefined
}

export type KvBatch = {
  put(table: number, key: Uint8Array, value: Uint8Array): void
  remove(table: number, key: Uint8Array): void
  /** All writes, in order, in a buffer of their own. */
  bytes(): Uint8Array<ArrayBuffer>
}

const HEADER_SIZE = 7
const REMOVED = 0xffff_ffff
const FIRST_CAPACITY = 1 << 16

/** An empty batch. Tables have numbers below 256, keys fewer than 65,536 bytes. */
export function createKvBatch(): KvBatch {
  let buffer = new Uint8Array(FIRST_CAPACITY)
  let view = new DataView(buffer.buffer)
  let size = 0

  function reserve(more: number): void {
    if (size + more <= buffer.length) return
    const larger = new Uint8Array(Math.max(buffer.length * 2, size + more))
    larger.set(buffer.subarray(0, size))
    buffer = larger
    view = new DataView(buffer.buffer)
  }

  function append(table: number, key: Uint8Array, valueLength: number): void {
    buffer[size] = table
    view.setUint16(size + 1, key.length)
    view.setUint32(size + 3, valueLength)
    buffer.set(key, size + HEADER_SIZE)
    size += HEADER_SIZE + key.length
  }

  return {
    put(table, key, value) {
      reserve(HEADER_SIZE + key.length + value.length)
      append(table, key, value.length)
      buffer.set(value, size)
      size += value.length
    },
    remove(table, key) {
      reserve(HEADER_SIZE + key.length)
      append(table, key, REMOVED)
    },
    bytes: () => buffer.slice(0, size),
  }
}

/** The writes of a batch, in order. */
export function* readKvBatch(bytes: Uint8Array): Generator<KvWrite> {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length)
  for (let at = 0; at < bytes.length;) {
    const keyStart = at + HEADER_SIZE
    const valueStart = keyStart + view.getUint16(at + 1)
    const valueLength = view.getUint32(at + 3)
    const isRemoval = valueLength === REMOVED
    const end = isRemoval ? valueStart : valueStart + valueLength
    yield {
      table: bytes[at] as number,
      key: bytes.subarray(keyStart, valueStart),
      value: isRemoval ? undefined : bytes.subarray(valueStart, end),
    }
    at = end
  }
}
