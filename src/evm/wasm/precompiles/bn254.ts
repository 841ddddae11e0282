/** The curve BN254 (alt_bn128): addition (0x06), multiplication (0x07) and pairing check (0x08), EIP-196, 197, 1108. */
import { fromHex } from '../../../base/hex.ts'
import { createSubgroupTest } from './bn254Subgroup.ts'
import { CURVE, loadMcl, SCALAR_RECORD } from './mcl.ts'
import { once } from './once.ts'
import { createPairingCheck } from './pairing.ts'
import { createGroup } from './points.ts'
import { booleanWord, fixedGas, paddedSlice, type Precompile } from './precompile.ts'

const WORD = 32
const POINT = 64
const PAIR = 192
const FIELD = {
  fieldSize: WORD,
  valueSize: WORD,
  order: fromHex('30644e72e131a029b85045b68181585d97816a916871ca8d3c208c16d87cfd47'),
}

const curve = once(() => {
  const mcl = loadMcl(CURVE.bn254)
  const g1 = createGroup(mcl, mcl.g1, { ...FIELD, degree: 1, isImaginaryFirst: false })
  const g2 = createGroup(mcl, mcl.g2, { ...FIELD, degree: 2, isImaginaryFirst: true })
  return {
    mcl,
    g1,
    g2,
    isInSubgroup: createSubgroupTest(mcl, g2),
    pairing: createPairingCheck(mcl, g1, g2),
    a: mcl.reserve(g1.record),
    b: mcl.reserve(g1.record),
    scalar: mcl.reserve(SCALAR_RECORD),
  }
})

export const bn254Add: Precompile = {
  gas: fixedGas(150n),
  run(input) {
    const { g1, a, b } = curve()
    g1.read(a, paddedSlice(input, 0, POINT))
    g1.read(b, paddedSlice(input, POINT, POINT))
    g1.calls.add(a, a, b)
    return g1.write(a)
  },
}

export const bn254Multiply: Precompile = {
  gas: fixedGas(6000n),
  run(input) {
    const { mcl, g1, a, scalar } = curve()
    g1.read(a, paddedSlice(input, 0, POINT))
    mcl.setScalar(scalar, paddedSlice(input, POINT, WORD))
    g1.calls.mul(a, a, scalar)
    return g1.write(a)
  },
}

export const bn254Pairing: Precompile = {
  gas: (input) => 45_000n + 34_000n * BigInt(Math.floor(input.length / PAIR)),
  run(input) {
    if (input.length % PAIR !== 0) return undefined
    const { g1, g2, isInSubgroup, pairing } = curve()
    pairing.reset()
    for (let at = 0; at < input.length; at += PAIR)
      pairing.add(
        (to) => g1.read(to, input.subarray(at, at + POINT)),
        (to) => {
          g2.read(to, input.subarray(at + POINT, at + PAIR))
          // All points of G1 are in the subgroup, unlike those of G2.
          if (!isInSubgroup(to)) throw new RangeError('not in the subgroup')
        },
      )
    return booleanWord(pairing.isOne())
  },
}
