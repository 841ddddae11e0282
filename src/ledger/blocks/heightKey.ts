/** Heights as keys of tables: six bytes, big-endian, so that key order is block order. */

/** Bytes of a height in a key. */
export const HEIGHT_SIZE = 6

/** Writes a height at an offset. */
export function writeHeight(target: Uint8Array, at: number, height: number): void {
  let rest = height
  for (let i = HEIGHT_SIZE - 1; i >= 0; i--) {
    target[at + i] = rest % 256
    rest = Math.floor(rest / 256)
  }
}

/** The key of a height. */
export function heightKey(height: number): Uint8Array {
  const key = new Uint8Array(HEIGHT_SIZE)
  writeHeight(key, 0, height)
  return key
}

/** The height at an offset. */
export function readHeight(bytes: Uint8Array, at = 0): number {
  let height = 0
  for (let i = 0; i < HEIGHT_SIZE; i++) height = height * 256 + (bytes[at + i] as number)
  return height
}
