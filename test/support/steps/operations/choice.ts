/** The choice of a token. */
import { toHex } from '../../../../src/base/hex.ts'
import { nucleusThreshold } from '../../../../src/inference/fixed/sampler.ts'
import { pick, type Random } from '../../randomProgram.ts'
import { bytesOf } from '../bytesOf.ts'
import { randomBits, randomNumber } from '../randomNumbers.ts'
import type { Operation } from './operation.ts'

const tokenWeight: Operation = {
  name: 'weight of a token',
  compare(random, { kernels, put }, steps) {
    const logits = BigInt64Array.from({ length: 4 }, () =>
      randomNumber(random, pick(random, [26, 28, 40])),
    )
    const temperature = pick(random, [1, 700_000, 1_000_000, 2_000_000, 1 + random(4_000_000)])
    const weights = kernels.allocate(16)
    kernels.weigh(put(logits), 4, BigInt(temperature), weights)
    const index = random(4)
    const top = [...logits].reduce((a, b) => (a > b ? a : b))
    return {
      found: steps.compute('tokenWeight', top, logits[index], temperature),
      expected: [BigInt(new Uint32Array(kernels.bytes().buffer, weights, 4)[index] as number)],
    }
  },
}

/** Weights of tokens, some of them equal or 0; the largest is 2^28. */
function randomWeights(random: Random, length: number): Uint32Array {
  const weights = Uint32Array.from({ length }, () => {
    const kind = random(6)
    return kind === 0 ? 0 : kind === 1 ? 5000 : random(2 ** (1 + random(28)))
  })
  weights[random(length)] = 2 ** 28
  return weights
}

const race: Operation = {
  name: 'race of tokens',
  compare(random, { kernels }, steps) {
    const weights = randomWeights(random, 4)
    const least = pick(random, [1, 1, 5000])
    const [seed, position] = [randomBits(random, 64), BigInt(random(2 ** 24))]
    const address = kernels.allocate(16)
    new Uint32Array(kernels.bytes().buffer, address, 4).set(weights)
    const drawn = kernels.draw(address, 4, least, seed, position)
    const runners = [...weights]
      .map((weight, token) => ({ weight: BigInt(weight), token }))
      .filter(({ weight }) => weight >= BigInt(least))
      .map((runner) => ({ ...runner, time: steps.one('arrival', seed, position, runner.token) }))
    const first = runners.reduce((best, other) =>
      other.time * best.weight < best.time * other.weight ? other : best,
    )
    return { found: [BigInt(first.token)], expected: [BigInt(drawn)] }
  },
}

const nucleus: Operation = {
  name: 'nucleus',
  compare(random, _, steps) {
    const weights = randomWeights(random, 8)
    const topP = pick(random, [0, 1, 500_000, 900_000, 999_999, random(1_000_000)])
    const threshold = nucleusThreshold(weights, topP)
    const others = [...weights].filter((weight) => weight > 0)
    const candidate = random(2) === 0 ? threshold : pick(random, others)
    const sums = [0, 1].reduce<readonly bigint[]>(
      (before, half) =>
        steps.compute(
          'addWeights',
          toHex(bytesOf(weights.subarray(4 * half, 4 * half + 4))),
          candidate,
          before,
        ),
      [0n, 0n, 0n],
    )
    return {
      found: steps.compute('isThreshold', sums, topP),
      expected: [candidate === threshold ? 1n : 0n],
    }
  },
}

export const CHOICE: readonly Operation[] = [tokenWeight, race, nucleus]
