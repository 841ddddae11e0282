/** Operations on single numbers, or pairs. */
import { randomNumber, randomSigned, randomBits } from '../randomNumbers.ts'
import { pick, type Random } from '../../randomProgram.ts'
import type { KernelSteps } from '../kernelSteps.ts'
import type { StepName } from '../rig.ts'
import type { Operation } from './operation.ts'

type Kernel = (engine: KernelSteps, a: number, b: number) => void

/** An operation that writes its result over the first of two numbers. */
const ofTwo = (name: string, step: StepName, kernel: Kernel): Operation => ({
  name,
  compare(random, engine, steps) {
    const [a, b] = [randomNumber(random, pick(random, [20, 28, 40])), randomNumber(random)]
    const address = engine.put(BigInt64Array.of(a, b))
    kernel(engine, address, address + 8)
    return { found: steps.compute(step, a, b), expected: [...engine.take(address, 1)] }
  },
})

const product: Operation = {
  name: 'product',
  compare(random, engine, steps) {
    const [a, factor] = [randomNumber(random), randomNumber(random)]
    const address = engine.put(BigInt64Array.of(a))
    engine.kernels.scaleAll(address, factor, 1)
    return { found: steps.compute('product', a, factor), expected: [...engine.take(address, 1)] }
  },
}

const softBound: Operation = {
  name: 'soft bound',
  compare(random, engine, steps) {
    const cap = random(3) === 0 ? 1n + randomBits(random, 31) : BigInt(1 + random(127)) << 24n
    const value =
      random(2) === 0 ? randomNumber(random) : randomSigned(random, cap.toString(2).length + 5)
    const address = engine.put(BigInt64Array.of(value))
    engine.kernels.softCapAll(address, 1, cap)
    return {
      found: steps.compute('softCapped', value, cap),
      expected: [...engine.take(address, 1)],
    }
  },
}

/** Cosine and sine times a gain; now and then any numbers of that size. */
function randomAngle(random: Random): readonly [number, number] {
  const gain = pick(random, [1, 1, 1.19, 16])
  if (random(8) === 0)
    return [2 ** 22 * gain, random(2) * 2 ** 22 * gain].map(Math.trunc) as [number, number]
  const angle = random(1_000_000)
  return [
    Math.round(Math.cos(angle) * gain * 2 ** 22),
    Math.round(Math.sin(angle) * gain * 2 ** 22),
  ]
}

const rotation = (name: string, isHalves: boolean): Operation => ({
  name,
  compare(random, engine, steps) {
    const [a, b] = [randomNumber(random), randomNumber(random)]
    const [cos, sin] = randomAngle(random)
    const { kernels } = engine
    const address = engine.put(BigInt64Array.of(a, b))
    const angles = kernels.allocate(8)
    new Int32Array(kernels.bytes().buffer, angles, 2).set([cos, sin])
    if (isHalves) kernels.rotateHalves(address, 1, 2, 1, angles)
    else kernels.rotate(address, 1, 2, angles)
    return {
      found: steps.compute('rotated', a, b, cos, sin),
      expected: [...engine.take(address, 2)],
    }
  },
})

export const SINGLES: readonly Operation[] = [
  ofTwo('sum', 'sum', ({ kernels }, a, b) => kernels.accumulate(a, b, 1)),
  product,
  ofTwo('SiLU gate', 'siluGate', ({ kernels }, a, b) => kernels.gate(a, b, 1)),
  ofTwo('GELU gate', 'geluGate', ({ kernels }, a, b) => kernels.gateGelu(a, b, 1)),
  softBound,
  rotation('rotation of neighbours', false),
  rotation('rotation of halves', true),
]
