/** Integers that are the same in every layer of a model, from its sizes. */
import type { ModelShape } from './shape.ts'

export type LayerConstants = {
  /** log2(e) / sqrt(scoreDivisor) with 28 fractional bits. */
  readonly factor: bigint
  /** Of norms over the residual stream, which may be held divided by a power of two; with 48 fractional bits. */
  readonly epsilon: bigint
  /** With 24 fractional bits; undefined where embeddings are used as they are. */
  readonly embeddingScale: bigint | undefined
  /** Of the scores times log2(e), with 20 fractional bits; 0 without. */
  readonly attentionCap: bigint
  /** With 24 fractional bits; 0 without. */
  readonly logitCap: bigint
}

/** log2(e) with 28 fractional bits. */
const LOG2_E = 387_270_501n

/** The constants of a model, all rounded down. */
export function layerConstants(shape: ModelShape): LayerConstants {
  const { architecture, epsilon, width, scoreDivisor } = shape
  const shift = BigInt(architecture.residualShift ?? 0)
  return {
    factor: squareRoot((LOG2_E * LOG2_E) / BigInt(scoreDivisor)),
    epsilon: epsilon >> (2n * shift),
    embeddingScale:
      architecture.scalesEmbedding === true
        ? squareRoot(BigInt(width) << (48n - 2n * shift))
        : undefined,
    attentionCap: (fixed(shape.attentionCap) * LOG2_E) >> 32n,
    logitCap: fixed(shape.logitCap),
  }
}

/** With 24 fractional bits. */
function fixed(value: number): bigint {
  return BigInt(Math.round(value * 2 ** 24))
}

/** The largest integer whose square does not exceed the value. */
function squareRoot(value: bigint): bigint {
  let root = 1n << BigInt((value.toString(2).length + 1) >> 1)
  while (root * root > value) root = (root + value / root) >> 1n
  return root
}
