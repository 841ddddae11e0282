/** The protocol between sender recovery and its worker threads: batches as flat bytes, transferred without copying. */
import { EMPTY_BYTES } from '../../base/bytes.ts'
import type { SenderSignature } from '../../chain/transaction.ts'

/** Message of a worker that has loaded. */
export const READY = 'ready'

const DIGEST_SIZE = 32
const COMPACT_SIZE = 64
const SIGNATURE_SIZE = DIGEST_SIZE + COMPACT_SIZE + 1
const ADDRESS_SIZE = 20

/** Signatures as digest, r, s and parity, one after the other. */
export function packSignatures(signatures: readonly SenderSignature[]): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(signatures.length * SIGNATURE_SIZE)
  for (const [index, { digest, compact, yParity }] of signatures.entries()) {
    const at = index * SIGNATURE_SIZE
    bytes.set(digest, at)
    bytes.set(compact, at + DIGEST_SIZE)
    bytes[at + DIGEST_SIZE + COMPACT_SIZE] = yParity
  }
  return bytes
}

/** The reverse of `packSignatures`; digests and numbers are views. */
export function unpackSignatures(bytes: Uint8Array): readonly SenderSignature[] {
  const count = bytes.length / SIGNATURE_SIZE
  return Array.from({ length: count }, (_, index) => {
    const at = index * SIGNATURE_SIZE
    const compactAt = at + DIGEST_SIZE
    return {
      digest: bytes.subarray(at, compactAt),
      compact: bytes.subarray(compactAt, compactAt + COMPACT_SIZE),
      yParity: bytes[compactAt + COMPACT_SIZE] as number,
    }
  })
}

/** Addresses, each after a byte that is 0 where the signature was invalid. */
export function packSenders(senders: readonly (Uint8Array | undefined)[]): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(senders.length * (1 + ADDRESS_SIZE))
  for (const [index, sender] of senders.entries()) {
    const at = index * (1 + ADDRESS_SIZE)
    bytes[at] = sender === undefined ? 0 : 1
    bytes.set(sender ?? EMPTY_BYTES, at + 1)
  }
  return bytes
}

/** The reverse of `packSenders`. Each address is a copy: keeping one must not keep the whole batch. */
export function unpackSenders(bytes: Uint8Array): readonly (Uint8Array | undefined)[] {
  const senders: (Uint8Array | undefined)[] = []
  for (let at = 0; at < bytes.length; at += 1 + ADDRESS_SIZE)
    senders.push(bytes[at] === 0 ? undefined : bytes.slice(at + 1, at + 1 + ADDRESS_SIZE))
  return senders
}
