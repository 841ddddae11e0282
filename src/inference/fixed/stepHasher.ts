/** Hashes the results of an execution's steps. */
import { sha256 } from '../../base/sha256.ts'
import type { Kernels } from './kernels.ts'
import { TAG } from './merkle.ts'

/** Sizes of a token's step results in bytes, see LayerObserver; and the number of layers. */
export type StepSizes = {
  readonly layers: number
  readonly residual: number
  readonly entry: number
  readonly logits: number
}

/**
 * Buffers steps and hashes them later, many at once. Between two matrices the processor's caches hold none of the data
 * that hashing needs, so hashing each step on its own takes twice the time. For the same reason the kernels buffer them
 * in their own memory: that is one call and no allocation. Parts are given by their addresses.
 */
export type StepHasher = {
  /** Copies a layer's results; its hash will be appended to `to`. */
  addLayer(position: number, layer: number, residual: number, entry: number, to: Uint8Array[]): void
  /** Copies the logits; their hash will be appended to `to`. */
  addLogits(position: number, logits: number, to: Uint8Array[]): void
  /** Appends the hash of each step that was added since the last call. */
  flush(): void
}

/** Bytes before a step's results. */
const HEAD = 9

/** Bytes of what is hashed for one token. */
export function stepBytes({ layers, residual, entry, logits }: StepSizes): number {
  return layers * (HEAD + residual + entry) + HEAD + logits
}

/**
 * A hasher: SHA-256 over tag (1 byte), position and layer (4 bytes each, big-endian; 0 for the logits) and the results.
 * It allocates memory of the kernels for the steps of `tokens` tokens, the maximum between two flushes.
 */
export function createStepHasher(kernels: Kernels, sizes: StepSizes, tokens: number): StepHasher {
  const { residual, entry, logits } = sizes
  const start = kernels.allocate(tokens * stepBytes(sizes))
  /** Ends of the steps, and the arrays for their hashes. */
  const ends: number[] = []
  const targets: Uint8Array[][] = []
  let end = start
  const keep = (address: number, to: Uint8Array[]): void => {
    end = address
    ends.push(address)
    targets.push(to)
  }
  return {
    addLayer(position, layer, x, cached, to) {
      keep(kernels.writeStep(end, TAG.layer, position, layer, x, residual, cached, entry), to)
    },
    addLogits(position, address, to) {
      keep(kernels.writeStep(end, TAG.logits, position, 0, address, logits, 0, 0), to)
    },
    flush() {
      const bytes = kernels.bytes()
      let from = start
      targets.forEach((to, at) => {
        const until = ends[at] as number
        to.push(sha256(bytes.subarray(from, until)))
        from = until
      })
      ends.length = 0
      targets.length = 0
      end = start
    },
  }
}
