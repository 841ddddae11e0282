/** The core's linear memory as the host sees it. Its map is core/layout.as.ts, whose addresses and records are repeated here. */

export const EXCHANGE = 0x10000
export const MESSAGE = 0x10400
export const ENVIRONMENT = 0x10800
export const ARENA = 0x1b200000

const U64 = 0xffff_ffff_ffff_ffffn

/** Reads and writes at addresses. Views are recreated when the memory has grown. */
export type WasmMemory = {
  bytes(): Uint8Array
  view(): DataView
  /** A copy of bytes. */
  slice(address: number, length: number): Uint8Array
  /** A word (four u64 limbs, the least significant first). */
  readWord(address: number): bigint
  writeWord(address: number, value: bigint): void
  /** Big-endian bytes, up to 32, as a word: an address, a slot, a hash. */
  writeBytesAsWord(address: number, bytes: Uint8Array): void
}

export function wasmMemory(memory: { readonly buffer: ArrayBuffer }): WasmMemory {
  let bytes = new Uint8Array(0)
  let view = new DataView(new ArrayBuffer(0))
  function refresh(): void {
    // Growing detaches the old buffer, whose views are empty then. Reading the buffer itself costs several times more.
    if (bytes.length > 0) return
    bytes = new Uint8Array(memory.buffer)
    view = new DataView(memory.buffer)
  }
  return {
    bytes() {
      refresh()
      return bytes
    },
    view() {
      refresh()
      return view
    },
    slice(address, length) {
      refresh()
      return bytes.slice(address, address + length)
    },
    readWord(address) {
      refresh()
      const low = view.getBigUint64(address, true)
      const second = view.getBigUint64(address + 8, true)
      const third = view.getBigUint64(address + 16, true)
      const high = view.getBigUint64(address + 24, true)
      if (third === 0n && high === 0n) return second === 0n ? low : (second << 64n) | low
      return (high << 192n) | (third << 128n) | (second << 64n) | low
    },
    writeWord(address, value) {
      refresh()
      if (value <= U64) {
        view.setBigUint64(address, value, true)
        view.setBigUint64(address + 8, 0n, true)
        view.setBigUint64(address + 16, 0n, true)
        view.setBigUint64(address + 24, 0n, true)
        return
      }
      view.setBigUint64(address, value & U64, true)
      view.setBigUint64(address + 8, (value >> 64n) & U64, true)
      view.setBigUint64(address + 16, (value >> 128n) & U64, true)
      view.setBigUint64(address + 24, value >> 192n, true)
    },
    writeBytesAsWord(address, value) {
      refresh()
      const { length } = value
      for (let i = 0; i < length; i++) bytes[address + i] = value[length - 1 - i] as number
      for (let i = length; i < 32; i++) bytes[address + i] = 0
    },
  }
}
