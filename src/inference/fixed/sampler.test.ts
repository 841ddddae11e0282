import { expect, test } from 'vitest'
import { openKernels } from './kernels.ts'
import { createSampler, nucleusThreshold, toSampling } from './sampler.ts'

const kernels = openKernels()

/** Writes logits as Q24 and returns their address. */
function put(logits: readonly number[]): number {
  const address = kernels.allocate(logits.length * 8)
  const view = new BigInt64Array(kernels.bytes().buffer, address, logits.length)
  logits.forEach((logit, i) => (view[i] = BigInt(Math.round(logit * 2 ** 24))))
  return address
}

function frequencies(logits: readonly number[], temperature: number, topP: number, draws: number) {
  const sample = createSampler(
    kernels,
    logits.length,
    toSampling(temperature, topP, 3n),
    kernels.allocate(logits.length * 4),
  )
  const address = put(logits)
  const counts = logits.map(() => 0)
  for (let position = 0; position < draws; position++) {
    const token = sample(address, position)
    counts[token] = (counts[token] ?? 0) + 1
  }
  return counts.map((count) => count / draws)
}

test('at temperature 0 the first of the likeliest tokens is taken', () => {
  expect(frequencies([1, 5, 5, -3], 0, 1, 3)).toEqual([0, 1, 0, 0])
})

test.each([0.5, 1, 2])('at temperature %d tokens are drawn in proportion', (temperature) => {
  const logits = [0, 1, 2, 0.5, -1]
  const weights = logits.map((logit) => Math.exp(logit / temperature))
  const total = weights.reduce((sum, weight) => sum + weight, 0)
  frequencies(logits, temperature, 1, 40_000).forEach((share, i) => {
    const expected = (weights[i] as number) / total
    // Five deviations of the mean of 40,000 draws.
    expect(Math.abs(share - expected)).toBeLessThan(5 * Math.sqrt(expected / 40_000))
  })
})

test('top_p keeps the least set of likely tokens that holds the share', () => {
  const logits = [Math.log(0.5), Math.log(0.3), Math.log(0.15), Math.log(0.05)]
  const shares = frequencies(logits, 1, 0.7, 10_000)
  expect(shares.slice(2)).toEqual([0, 0])
  expect(Math.abs((shares[0] as number) - 5 / 8)).toBeLessThan(0.025)
})

test.each([
  [[5, 4, 3, 2], 1, 5],
  [[5, 4, 3, 2], 500_000, 4],
  [[5, 5, 5], 1, 5],
  [[5, 0, 1], 999_999, 1],
  [[7], 500_000, 7],
])('of the weights %j the share %d begins at %d', (weights, topP, least) => {
  expect(nucleusThreshold(Uint32Array.from(weights), topP)).toBe(least)
})

test('tokens far below the likeliest are never drawn, at any top_p', () => {
  expect(frequencies([0, -1000, 0], 1, 1, 2000)[1]).toBe(0)
})
