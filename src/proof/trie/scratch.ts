/**
 * Memory of a Keccak-256 module that the trie has for itself: nodes are encoded straight into it and hashed where they
 * stand. What stands in it is valid until the next node is made.
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

/** Where the free part of the memory starts. */
export const SCRATCH: number = wasm.input()

/** The memory, with room for at least `size` bytes from SCRATCH on. Ask anew for each node: growing replaces it. */
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
