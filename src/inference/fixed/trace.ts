/**
 * The commitment of an execution: a hash per token and layer. If two executions of the same request differ, there is a
 * first differing step whose inputs both agree on; that step alone can be replayed (D35).
 */
import { concatBytes } from '../../base/bytes.ts'
import { sha256 } from '../../base/sha256.ts'
import { merkleRoot, TAG } from './merkle.ts'

/** The steps of one token, in the order of the computation. Hashes have 32 bytes. */
export type TokenTrace = {
  readonly position: number
  readonly token: number
  /** After each layer: residual stream, key and value with their shifts. */
  readonly layers: readonly Uint8Array[]
  /** Of the logits, where a token was chosen from them, and the token. */
  readonly choice?: { readonly logits: Uint8Array; readonly token: number }
}

/** All tokens of a sequence, from position 0 on. */
export type Trace = readonly TokenTrace[]

/** The first step that differs. `end`: one sequence continues where the other ends. */
export type Divergence = {
  readonly position: number
  readonly step: 'token' | 'layer' | 'logits' | 'choice' | 'end'
  readonly layer?: number
}

const NO_LOGITS = new Uint8Array(32)

/**
 * The leaf of a token: SHA-256 over the tag, position, token, chosen token (2^32 - 1 for none; 4 bytes each, big-endian), the
 * hash of the logits (zeros for none), and those of its layers.
 */
export function tokenLeaf({ position, token, layers, choice }: TokenTrace): Uint8Array {
  const head = new Uint8Array(13)
  const view = new DataView(head.buffer)
  view.setUint8(0, TAG.token)
  view.setUint32(1, position)
  view.setUint32(5, token)
  view.setUint32(9, choice?.token ?? 0xffffffff)
  return sha256(concatBytes(head, choice?.logits ?? NO_LOGITS, ...layers))
}

/** The Merkle root over the leaves of all tokens. */
export function traceRoot(trace: Trace): Uint8Array {
  return merkleRoot(trace.map(tokenLeaf))
}

/** The first step at which two traces of a token differ; undefined when they are equal. */
export function compareTokens(a: TokenTrace, b: TokenTrace): Divergence | undefined {
  const { position } = a
  if (a.position !== b.position || a.token !== b.token) return { position, step: 'token' }
  for (let layer = 0; layer < Math.max(a.layers.length, b.layers.length); layer++)
    if (!isSame(a.layers[layer], b.layers[layer])) return { position, step: 'layer', layer }
  if (!isSame(a.choice?.logits, b.choice?.logits)) return { position, step: 'logits' }
  return a.choice?.token === b.choice?.token ? undefined : { position, step: 'choice' }
}

/** The first step at which two traces differ; undefined when they are equal. */
export function compareTraces(a: Trace, b: Trace): Divergence | undefined {
  for (const [position, own] of a.entries()) {
    const other = b[position]
    if (other === undefined) return { position, step: 'end' }
    const difference = compareTokens(own, other)
    if (difference !== undefined) return difference
  }
  return b.length > a.length ? { position: a.length, step: 'end' } : undefined
}

function isSame(a: Uint8Array | undefined, b: Uint8Array | undefined): boolean {
  if (a === undefined || b === undefined) return a === b
  return a.length === b.length && a.every((byte, i) => byte === b[i])
}
