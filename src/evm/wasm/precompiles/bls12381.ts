/** The curve BLS12-381 (EIP-2537), 0x0b to 0x11. Infinity is all zeros; the coordinates of G2 have their real part first. */
import { blsCurve, BLS_FIELD_SIZE, BLS_G1_SIZE, BLS_G2_SIZE } from './blsCurve.ts'
import { msmGas } from './blsDiscount.ts'
import type { Mcl } from './mcl.ts'
import type { PairingCheck } from './pairing.ts'
import { readField, type MultiplicationSum, type PointGroup } from './points.ts'
import { booleanWord, fixedGas, type Precompile } from './precompile.ts'

const SCALAR = 32
const PAIR = BLS_G1_SIZE + BLS_G2_SIZE

/** One of the groups, with what its precompiles need. */
type GroupTools = {
  readonly mcl: Mcl
  readonly group: PointGroup
  readonly sum: MultiplicationSum
  /** Records of two points. */
  readonly a: number
  readonly b: number
}

/** Reads a point; all but addition require it to be in the prime-order subgroup. */
function readMember(group: PointGroup, to: number, bytes: Uint8Array): void {
  group.read(to, bytes)
  if (group.calls.isValidOrder(to) === 0) throw new RangeError('not in the subgroup')
}

function addition(size: number, tools: () => GroupTools, price: bigint): Precompile {
  return {
    gas: fixedGas(price),
    run(input) {
      if (input.length !== 2 * size) return undefined
      const { group, a, b } = tools()
      group.read(a, input.subarray(0, size))
      group.read(b, input.subarray(size))
      group.calls.add(a, a, b)
      return group.write(a)
    },
  }
}

/** Multi-scalar multiplication: the sum of points times scalars. */
function multiplication(
  size: number,
  tools: () => GroupTools,
  gas: (pairs: number) => bigint,
): Precompile {
  const pair = size + SCALAR
  return {
    gas: (input) => gas(Math.floor(input.length / pair)),
    run(input) {
      if (input.length === 0 || input.length % pair !== 0) return undefined
      const { group, sum } = tools()
      sum.reset()
      for (let at = 0; at < input.length; at += pair)
        sum.add(
          (to) => readMember(group, to, input.subarray(at, at + size)),
          input.subarray(at + size, at + pair),
        )
      return group.write(sum.total())
    },
  }
}

const g1 = (): GroupTools => blsCurve().g1
const g2 = (): GroupTools => blsCurve().g2
const pairing = (): PairingCheck => blsCurve().pairing

export const g1Add = addition(BLS_G1_SIZE, g1, 375n)
export const g1Multiply = multiplication(BLS_G1_SIZE, g1, (pairs) => msmGas(pairs, 12_000n, 'g1'))
export const g2Add = addition(BLS_G2_SIZE, g2, 600n)
export const g2Multiply = multiplication(BLS_G2_SIZE, g2, (pairs) => msmGas(pairs, 22_500n, 'g2'))

export const blsPairing: Precompile = {
  gas: (input) => 37_700n + 32_600n * BigInt(Math.floor(input.length / PAIR)),
  run(input) {
    if (input.length === 0 || input.length % PAIR !== 0) return undefined
    const check = pairing()
    check.reset()
    for (let at = 0; at < input.length; at += PAIR)
      check.add(
        (to) => readMember(g1().group, to, input.subarray(at, at + BLS_G1_SIZE)),
        (to) => readMember(g2().group, to, input.subarray(at + BLS_G1_SIZE, at + PAIR)),
      )
    return booleanWord(check.isOne())
  },
}

export const mapToG1: Precompile = {
  gas: fixedGas(5500n),
  run(input) {
    if (input.length !== BLS_FIELD_SIZE) return undefined
    const { encoding, element } = blsCurve()
    const { mcl, group, a } = g1()
    readField(mcl, encoding, element, input)
    mcl.calls.mclBnFp_mapToG1(a, element)
    return group.write(a)
  },
}

export const mapToG2: Precompile = {
  gas: fixedGas(23_800n),
  run(input) {
    if (input.length !== 2 * BLS_FIELD_SIZE) return undefined
    const { encoding, element, imaginary } = blsCurve()
    const { mcl, group, a } = g2()
    readField(mcl, encoding, element, input.subarray(0, BLS_FIELD_SIZE))
    readField(mcl, encoding, imaginary, input.subarray(BLS_FIELD_SIZE))
    mcl.calls.mclBnFp2_mapToG2(a, element)
    return group.write(a)
  },
}
