/** Hashes what the steps of an execution leave behind. */
import { sha256 } from '../../base/sha256.ts'

/**
 * Keeps steps and hashes them later, many at once. Between two matrices the processor's caches hold nothing of what hashing
 * needs, so that each step on its own takes twice the time.
 */
export type StepHasher = {
  /** Takes a copy of the parts of a step, and where its hash will go. */
  add(step: Step, to: Uint8Array[]): void
  /** Appends the hash of each step that was added since the last call. */
  flush(): void
}

/** A step: what kind it is of, the token's position, the layer (0 for what is no layer), and what it leaves behind. */
export type Step = {
  readonly tag: number
  readonly position: number
  readonly index: number
  readonly parts: readonly Uint8Array[]
}

const HEAD = 9

/** A hasher: SHA-256 over tag (1 byte), position and index (4 bytes each, big-endian) and the parts. */
export function createStepHasher(): StepHasher {
  const buffers: Uint8Array[] = []
  const pending: { readonly bytes: Uint8Array; readonly to: Uint8Array[] }[] = []
  return {
    add({ tag, position, index, parts }, to) {
      const length = parts.reduce((sum, part) => sum + part.length, HEAD)
      let bytes = buffers[pending.length]
      if (bytes?.length !== length) bytes = buffers[pending.length] = new Uint8Array(length)
      const head = new DataView(bytes.buffer)
      head.setUint8(0, tag)
      head.setUint32(1, position)
      head.setUint32(5, index)
      let offset = HEAD
      for (const part of parts) {
        bytes.set(part, offset)
        offset += part.length
      }
      pending.push({ bytes, to })
    },
    flush() {
      for (const { bytes, to } of pending) to.push(sha256(bytes))
      pending.length = 0
    },
  }
}
