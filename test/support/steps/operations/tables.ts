/** What is made once for a model: angles, constants, the integers of its vectors. */
import { ARCHITECTURES } from '../../../../src/inference/fixed/architectures.ts'
import { layerConstants } from '../../../../src/inference/fixed/layerConstants.ts'
import { createRopeTable } from '../../../../src/inference/fixed/rope.ts'
import type { ModelShape } from '../../../../src/inference/fixed/shape.ts'
import { pick, type Random } from '../../randomProgram.ts'
import type { Operation } from './operation.ts'

/** A single-precision number from 1 to 2^bits. */
function randomFraction(random: Random, bits: number): number {
  return Math.fround((1 + random(2 ** 23) / 2 ** 23) * 2 ** random(bits))
}

const angles: Operation = {
  name: 'angles',
  compare(random, _, steps) {
    const size = pick(random, [2, 8, 64, 80])
    const base = pick(random, [1, 10_000, 500_000, 1_000_000, randomFraction(random, 39)])
    const gain = pick(random, [1, 1, randomFraction(random, 4)])
    const factors = Array.from({ length: size / 2 }, () =>
      pick(random, [1, 8, randomFraction(random, 16)]),
    )
    const pair = random(size / 2)
    const position = random(6)
    const divisor = BigInt((factors[pair] as number) * 2 ** 23)
    const step = steps.compute('firstAngle', BigInt(base * 2 ** 24), size, pair, divisor)
    let angle: readonly bigint[] = [1n << 96n, 0n]
    for (let at = 0; at < position; at++) angle = steps.compute('nextAngle', ...angle, ...step)
    const row = createRopeTable(size, base, factors, gain).at(position)
    return {
      found: angle.map((value) => steps.one('angleEntry', value, BigInt(gain * 2 ** 30))),
      expected: [row[2 * pair], row[2 * pair + 1]].map((value) => BigInt(value ?? 0)),
    }
  },
}

const constants: Operation = {
  name: 'constants',
  compare(random, _, steps) {
    const architecture = pick(
      random,
      ['gemma', 'gemma2'].map((name) => ARCHITECTURES[name]),
    )
    const [width, scoreDivisor] = [32 * (1 + random(1024)), 1 + random(8192)]
    const attentionCap = Math.fround(random(127 * 2 ** 16) / 2 ** 16)
    const sizes = { architecture, width, scoreDivisor, attentionCap, logitCap: 0, epsilon: 0n }
    const { factor, embeddingScale, attentionCap: cap } = layerConstants(sizes as ModelShape)
    return {
      found: [
        steps.one('scoreFactor', scoreDivisor),
        steps.one('embeddingScale', width, architecture?.residualShift ?? 0),
        steps.one('scoreCap', BigInt(attentionCap * 2 ** 24)),
      ],
      expected: [factor, embeddingScale as bigint, cap],
    }
  },
}

/** As `loadNorm` and `loadBias` of weights.ts do. */
const vectors: Operation = {
  name: 'numbers of vectors',
  compare(random, _, steps) {
    const exponent = 90 + random(53)
    const bits = (exponent * 2 ** 23 + random(2 ** 23) + random(2) * 2 ** 31) >>> 0
    const view = new DataView(new ArrayBuffer(4))
    view.setUint32(0, bits)
    const value = view.getFloat32(0)
    let gainBits = 24
    while (Math.abs(value) >= 2 ** (31 - gainBits)) gainBits--
    const found = steps.one('bitsOfGains', bits & 0x7fffffff)
    return {
      found: [found, steps.one('single', bits, found), steps.one('single', bits, 24)],
      expected: [gainBits, Math.round(value * 2 ** gainBits), Math.round(value * 2 ** 24)].map(
        (number) => BigInt(number),
      ),
    }
  },
}

export const TABLES: readonly Operation[] = [angles, constants, vectors]
