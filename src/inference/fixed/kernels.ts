/** The WebAssembly module of the integer engine, and its memory. The functions are documented in kernels/*.as.ts. */
import {
  compileWasm,
  createSharedWasmMemory,
  instantiateWasm,
  type WasmMemory,
  type WasmModule,
} from '../../base/wasm.ts'
import { FIXED_WASM } from '../../generated/fixed.ts'
import { InferenceError } from '../errors.ts'

/** Addresses, counts and shifts are numbers; 64-bit values are bigint. */
type FixedModule = {
  readonly memory: WasmMemory
  heap(): number
  grow(pages: number): number
  unpackNumbers(
    kind: number,
    source: number,
    first: number,
    rows: number,
    blocks: number,
    plane: number,
    matrix: number,
  ): number
  countPlanes(kind: number, source: number, rows: number, blocks: number): number
  unpackBlocks(
    form: number,
    kind: number,
    source: number,
    rowBytes: number,
    first: number,
    rows: number,
    blocks: number,
    matrix: number,
    minima: number,
  ): number
  addMinima(
    form: number,
    minima: number,
    from: number,
    until: number,
    rows: number,
    blocks: number,
    x: number,
    count: number,
    target: number,
    scratch: number,
  ): void
  addRowMinima(form: number, minima: number, row: number, blocks: number, target: number): void
  quantize(x: number, length: number, bits: number, target: number): number
  quantizeActivations(x: number, blocks: number, count: number, target: number): void
  multiplyMatrix(
    form: number,
    matrix: number,
    from: number,
    until: number,
    rows: number,
    blocks: number,
    x: number,
    count: number,
    target: number,
    add: boolean,
    scratch: number,
  ): void
  readRow(
    form: number,
    matrix: number,
    row: number,
    blocks: number,
    target: number,
    add: boolean,
  ): void
  normalize(
    x: number,
    gains: number,
    gainBits: number,
    epsilon: bigint,
    length: number,
    target: number,
  ): void
  rotate(x: number, heads: number, headSize: number, angles: number): void
  rotateHalves(x: number, heads: number, headSize: number, pairs: number, angles: number): void
  gate(gates: number, ups: number, length: number): void
  gateGelu(gates: number, ups: number, length: number): void
  scaleAll(x: number, factor: bigint, length: number): void
  softCapAll(x: number, length: number, cap: bigint): void
  accumulate(x: number, y: number, length: number): void
  storeEntry(keys: number, values: number, keyHeads: number, headSize: number, entry: number): void
  attend(
    queries: number,
    heads: number,
    keyHeads: number,
    headSize: number,
    cache: number,
    count: number,
    factor: bigint,
    scratch: number,
    target: number,
    cap: bigint,
  ): void
  writeStep(
    target: number,
    tag: number,
    position: number,
    index: number,
    first: number,
    firstLength: number,
    second: number,
    secondLength: number,
  ): number
  likeliest(logits: number, length: number): number
  weigh(logits: number, length: number, temperature: bigint, weights: number): void
  draw(weights: number, length: number, least: number, seed: bigint, position: bigint): number
  powerOfHalf(value: bigint): bigint
  negativeLog2(value: bigint): bigint
  squareRoot(value: bigint): bigint
}

/** An instance with a memory of its own. Addresses stay valid; `bytes` must be read again after `allocate`. */
export type Kernels = FixedModule & {
  /** The whole memory. */
  bytes(): Uint8Array
  /** Allocates zeroed memory at a multiple of 16. Throws InferenceError `unsupported-model` beyond 4 GiB. */
  allocate(length: number): number
  /** The current allocation mark: `release` frees everything allocated after it. */
  mark(): number
  release(mark: number): void
}

const PAGE = 65_536
const MAX_PAGES = 65_536

let module: WasmModule | undefined

/** The compiled module, which imports its memory. */
export function kernelsModule(): WasmModule {
  module ??= compileWasm(FIXED_WASM)
  return module
}

/** Pages that the module's own data take at most. */
const FIRST_PAGES = 1

/** A new instance, whose memory grows up to a number of bytes, at most 4 GiB. */
export function openKernels(limit = MAX_PAGES * PAGE): Kernels {
  const memory = createSharedWasmMemory(FIRST_PAGES, MAX_PAGES)
  const wasm = instantiateWasm(kernelsModule(), { env: { memory } }) as FixedModule
  let next = align(wasm.heap())
  let view = new Uint8Array(wasm.memory.buffer)
  const bytes = (): Uint8Array => {
    if (view.buffer !== wasm.memory.buffer) view = new Uint8Array(wasm.memory.buffer)
    return view
  }
  return {
    ...wasm,
    bytes,
    allocate(length) {
      const address = next
      const end = align(address + length)
      const missing = Math.ceil((end - bytes().length) / PAGE)
      const isTooLarge = end > limit || (missing > 0 && wasm.grow(missing) < 0)
      if (isTooLarge)
        throw new InferenceError(
          'unsupported-model',
          `a part of the model needs more than the ${limit / 1024 ** 2} MiB of memory that one part can have`,
        )
      bytes().fill(0, address, end)
      next = end
      return address
    },
    mark: () => next,
    release(mark) {
      next = mark
    },
  }
}

function align(address: number): number {
  return Math.ceil(address / 16) * 16
}
