/** KZG proofs of EIP-4844, for point evaluation (0x0a). */
import { concatBytes } from '../../../base/bytes.ts'
import { fromHex } from '../../../base/hex.ts'
import { blsCurve, readCompressedG1 } from './blsCurve.ts'
import { TARGET_RECORD } from './mcl.ts'
import { once } from './once.ts'
import { isBelow } from './points.ts'

const GROUP_ORDER = fromHex('73eda753299d7d483339d80809a1d80553bda402fffe5bfeffffffff00000001')
const PADDING = '00'.repeat(16)

/** A point in EIP-2537's encoding, from its coordinates. */
function encoded(coordinates: readonly string[]): Uint8Array {
  return concatBytes(...coordinates.map((coordinate) => fromHex(PADDING + coordinate)))
}

/** The generator of G1, negated. */
const NEGATED_G1 = encoded([
  '17f1d3a73197d7942695638c4fa9ac0fc3688c4f9774b905a14e3a3f171bac586c55e83ff97a1aeffb3af00adb22c6bb',
  '114d1d6855d545a8aa7d76c8cf2e21f267816aef1db507c96655b9d5caac42364e6f38ba0ecb751bad54dcd6b939c2ca',
])
const GENERATOR_G2 = encoded([
  '024aa2b2f08f0a91260805272dc51051c6e47ad4fa403b02b4510b647ae3d1770bac0326a805bbefd48056c8c121bdb8',
  '13e02b6052719f607dacd3a088274f65596bd0d09920b61ab5da61bbdc7f5049334cf11213945d57e5ac7d055d042b7e',
  '0ce5d527727d6e118cc9cdc6da2e351aadfd9baa8cbdd3a76d429a695160d12c923ac9cc3baca289e193548608b82801',
  '0606c4a02ea734cc32acd2b02bc28b99cb3e287e85a763af267492ab572e99ab3f370d275cec1da1aaa9075ff05f79be',
])
/** The secret of the KZG ceremony times the generator of G2: the only part of the trusted setup that verification needs. */
const SETUP_G2 = encoded([
  '185cbfee53492714734429b7b38608e23926c911cceceac9a36851477ba4c60b087041de621000edc98edada20c1def2',
  '15bfd7dd8cdeb128843bc287230af38926187075cbfbefa81009a2ce615ac53d2914e5870cb452d2afaaab24f3499f72',
  '014353bdb96b626dd7d5ee8599d1fca2131569490e28de18e82451a496a9c9794ce26d105941f383ee689bfbbb832a99',
  '1666c54b0a32529503432fcae0181b4bef79de09fc63671fda5ed1ba9bfa07899495346f3d7ac9cd23048ef30d0a154f',
])

const setup = once(() => {
  const { mcl, g1, g2 } = blsCurve()
  /** Both points of G2 are fixed, so half of the pairings' work is precomputed. */
  function precompute(bytes: Uint8Array): number {
    g2.group.read(g2.a, bytes)
    const at = mcl.reserve(mcl.calls.mclBn_getUint64NumToPrecompute() * 8)
    mcl.calls.mclBn_precomputeG2(at, g2.a)
    return at
  }
  return {
    mcl,
    group: g1.group,
    sum: g1.sum,
    commitment: g1.a,
    proof: g1.b,
    generator: precompute(GENERATOR_G2),
    secret: precompute(SETUP_G2),
    product: mcl.reserve(TARGET_RECORD),
  }
})

/**
 * Whether the polynomial behind `commitment` has the value `y` at `z`: e(C - y*G1 + z*proof, G2) = e(proof, s*G2). Commitment
 * and proof have 48 bytes, z and y 32. Throws RangeError on invalid points or field elements.
 */
export function verifyKzgProof(
  commitment: Uint8Array,
  z: Uint8Array,
  y: Uint8Array,
  proof: Uint8Array,
): boolean {
  if (!isBelow(z, GROUP_ORDER) || !isBelow(y, GROUP_ORDER))
    throw new RangeError('not a canonical field element')
  const { mcl, group, sum, generator, secret, product, ...points } = setup()
  const { calls } = mcl
  readCompressedG1(points.commitment, commitment)
  readCompressedG1(points.proof, proof)
  sum.reset()
  sum.add((to) => group.read(to, NEGATED_G1), y)
  sum.add((to) => mcl.copy(to, points.proof, group.record), z)
  const left = sum.total()
  group.calls.add(left, left, points.commitment)
  // The pairing with infinity is one, and with other points of the group it is not.
  if (group.calls.isZero(left) === 1 || group.calls.isZero(points.proof) === 1)
    return group.calls.isZero(left) === group.calls.isZero(points.proof)
  group.calls.neg(points.proof, points.proof)
  calls.mclBn_precomputedMillerLoop2(product, left, generator, points.proof, secret)
  calls.mclBn_finalExp(product, product)
  return calls.mclBnGT_isOne(product) === 1
}
