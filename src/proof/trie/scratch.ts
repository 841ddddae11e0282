/**
 * Memory of a Keccak-256 module of the trie's own: nodes are encoded directly into it and hashed in place. Its contents
 * are valid until the next node is encoded.
 */
import { compileWasm, instantiateWasm, type WasmMemory } from '../../base/wasm.ts'
import { KECCAK_WASM } from '../../generated/keccak.ts'

type HasherModule = {
  readonly memory: WasmMemory
  input(): number
  reserve(length: number): void
  hashAt(bytes: number, length: number, target: number): void
}

const wasm = instantiateWasm(compileWasm(KECCAK_WASM)) as HasherModule
let bytes = new Uint8Array(wasm.memory.buffer)

/** Start of the free part of the memory. */
export const SCRATCH: number = wasm.input()

/**
 * The memory, with room for at least `size` bytes from SCRATCH on. Call it again for each node: growing replaces the
 * memory.
 */
export function scratchOf(size: number): Uint8Array {
  if (SCRATCH + size > bytes.length) {
    wasm.reserve(size)
    bytes = new Uint8Array(wasm.memory.buffer)
  }
  return bytes
}

/** Writes the Keccak-256 digest of the bytes start…end of the memory at `target`. */
export function hashScratch(start: number, end: number, target: number): void {
  wasm.hashAt(start, end - start, target)
}
