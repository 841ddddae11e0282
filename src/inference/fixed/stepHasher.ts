/** Hashes what the steps of an execution leave behind. */
import { sha256 } from '../../base/sha256.ts'
import type { Kernels } from './kernels.ts'
import { TAG } from './merkle.ts'

/** Bytes that steps leave behind for a token, see LayerObserver; and the number of layers. */
export type StepSizes = {
  readonly layers: number
  readonly residual: number
  readonly entry: number
  readonly logits: number
}

/**
 * Keeps steps and hashes them later, many at once. Between two matrices the processor's caches hold nothing of what hashing
 * needs, so that each step on its own takes twice the time. For the same reason the kernels keep them, in their own memory:
 * that is one call and no object. Parts are given by their addresses.
 */
export type StepHasher = {
  /** Takes a copy of what a layer left behind, and where its hash will go. */
  addLayer(position: number, layer: number, residual: number, entry: number, to: Uint8Array[]): void
  /** Takes a copy of the logits, and where their hash will go. */
  addLogits(position: number, logits: number, to: Uint8Array[]): void
  /** Appends the hash of each step that was added since the last call. */
  flush(): void
}

/** Bytes before what a step leaves behind. */
const HEAD = 9

/**
 * A hasher: SHA-256 over tag (1 byte), position and layer (4 bytes each, big-endian; 0 for the logits) and what is left behind.
 * It takes memory of the kernels for the steps of `tokens` tokens: there must be no more between two flushes.
 */
export function createStepHasher(
  kernels: Kernels,
  { layers, residual, entry, logits }: StepSizes,
  tokens: number,
): StepHasher {
  const tokenBytes = layers * (HEAD + residual + entry) + HEAD + logits
  const start = kernels.allocate(tokens * tokenBytes)
  /** Where the steps end, and where their hashes go. */
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
