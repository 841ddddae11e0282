/** Chooses tokens by integer arithmetic alone. Every number here is an integer below 2^53, so sums are exact. */
import type { Kernels } from './kernels.ts'

/** How to choose; temperature and top_p in millionths. Temperature 0 selects the likeliest token. */
export type Sampling = {
  readonly temperature: number
  readonly topP: number
  readonly seed: bigint
}

const MILLION = 1_000_000

/** Rounds the parameters of a job to millionths, as the hash of its parameters does. */
export function toSampling(temperature: number, topP: number, seed: bigint): Sampling {
  return {
    temperature: Math.round(temperature * MILLION),
    topP: Math.round(topP * MILLION),
    seed,
  }
}

/** Chooses the token after a position from the logits at an address. */
export type Sampler = (logits: number, position: number) => number

/** A sampler over a vocabulary. `weights` is the address of room for one i32 per token, which samplers may share. */
export function createSampler(
  kernels: Kernels,
  vocabulary: number,
  { temperature, topP, seed }: Sampling,
  weights: number,
): Sampler {
  if (temperature === 0) return (logits) => kernels.likeliest(logits, vocabulary)
  return (logits, position) => {
    kernels.weigh(logits, vocabulary, BigInt(temperature), weights)
    const view = new Uint32Array(kernels.bytes().buffer, weights, vocabulary)
    const least = topP >= MILLION ? 1 : nucleusThreshold(view, topP)
    return kernels.draw(weights, vocabulary, least, seed, BigInt(position))
  }
}

/**
 * The minimum weight of the nucleus: the largest one such that all weights from it upwards make up at least the share
 * `topP` (millionths) of the total. Equal weights are in or out together, so the order of the tokens does not matter.
 */
export function nucleusThreshold(weights: Uint32Array, topP: number): number {
  const sorted = weights.filter((weight) => weight > 0).sort()
  const total = sorted.reduce((sum, weight) => sum + weight, 0)
  // Rounded up; beyond 2^53 only here.
  const share = Number((BigInt(total) * BigInt(topP) + BigInt(MILLION - 1)) / BigInt(MILLION))
  let sum = 0
  let last = sorted.length
  do {
    last--
    sum += sorted[last] ?? 0
  } while (last > 0 && sum < share)
  return sorted[last] ?? 1
}
