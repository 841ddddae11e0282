/** Operations on vectors: the norm, and quantisation. */
import { randomBits, randomVector } from '../randomNumbers.ts'
import { pick, type Random } from '../../randomProgram.ts'
import { bytesOf } from '../bytesOf.ts'
import { toHex } from '../../../../src/base/hex.ts'
import type { Steps } from '../rig.ts'
import type { Operation } from './operation.ts'

/** Two segments of a vector; the second may be empty. */
function segments(random: Random, vector: BigInt64Array): readonly Uint8Array[] {
  const cut = 32 * (1 + random(vector.length / 32))
  return [vector.subarray(0, cut), vector.subarray(cut)]
    .filter(({ length }) => length > 0)
    .map(bytesOf)
}

export function largestOf(steps: Steps, parts: readonly Uint8Array[]): bigint {
  return parts.reduce((most, part) => steps.one('largest', toHex(part), most), 0n)
}

const norm: Operation = {
  name: 'norm',
  compare(random, { kernels, put, take }, steps) {
    const length = 32 * (1 + random(12))
    const vector = randomVector(random, length)
    const gainBits = random(8) === 0 ? 15 + random(16) : pick(random, [24, 24, 30])
    const gain = random(2) === 0 ? random(2 ** 25) : random(2 ** 32) | 0
    const epsilon = random(4) === 0 ? randomBits(random, 49) : 2_814_749_767n
    const gains = kernels.allocate(length * 4)
    new Int32Array(kernels.bytes().buffer, gains, length).fill(gain)
    const target = kernels.allocate(length * 8)
    kernels.normalize(put(vector), gains, gainBits, epsilon, length, target)
    const index = random(length)
    const parts = segments(random, vector)
    const shift = steps.one('normShift', largestOf(steps, parts))
    const squares = parts.reduce((sum, part) => steps.one('squares', toHex(part), shift, sum), 0n)
    const [inverse, up] = steps.compute('inverseRoot', squares, length, epsilon, shift)
    const x = vector[index]
    const found = steps.compute('normalized', x, shift, inverse, up, gain, gainBits)
    return { found, expected: [take(target, length)[index] as bigint] }
  },
}

const quantisation = (name: string, bits: number): Operation => ({
  name,
  compare(random, { kernels, put, bytesAt }, steps) {
    const length = 32 * (1 + random(8))
    const vector = randomVector(random, length)
    const target = kernels.allocate(length * 2)
    const shift = kernels.quantize(put(vector), length, bits, target)
    const index = random(length)
    const quantized = new DataView(bytesAt(target, length * 2).buffer).getInt16(index * 2, true)
    const found = steps.one('quantizeShift', largestOf(steps, segments(random, vector)), bits)
    return {
      found: [found, steps.one('quantized', vector[index], found, bits)],
      expected: [BigInt(shift), BigInt(quantized)],
    }
  },
})

export const VECTORS: readonly Operation[] = [
  norm,
  quantisation('quantisation of activations', 15),
  quantisation('quantisation for attention', 13),
]
