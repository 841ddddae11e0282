/** KZG proofs of EIP-4844 on plain integers, for the other engine. */
import { bls12_381 } from '@noble/curves/bls12-381.js'
import { bytesToBigint } from '../../../src/base/bytes.ts'
import { fromHex } from '../../../src/base/hex.ts'

const G1 = bls12_381.G1.Point
const G2 = bls12_381.G2.Point
const { ORDER } = bls12_381.fields.Fr

/** The secret of the KZG ceremony times the generator of G2: all that verification needs of the trusted set-up. */
const SETUP_G2 = G2.fromBytes(
  fromHex(
    'b5bfd7dd8cdeb128843bc287230af38926187075cbfbefa81009a2ce615ac53d2914e5870cb452d2afaaab24f3499f72185cbfee53492714734429b7b38608e23926c911cceceac9a36851477ba4c60b087041de621000edc98edada20c1def2',
  ),
)

/** A field element; a value that is not below the order throws RangeError. */
function scalar(bytes: Uint8Array): bigint {
  const value = bytesToBigint(bytes)
  if (value >= ORDER) throw new RangeError('not a canonical field element')
  return value
}

/**
 * Whether the polynomial behind `commitment` has the value `y` at `z`: e(C - y*G1, G2) = e(proof, s*G2 - z*G2).
 * Commitment and proof have 48 bytes, z and y 32. Throws on invalid points and field elements.
 */
export function verifyKzgProof(
  commitment: Uint8Array,
  z: Uint8Array,
  y: Uint8Array,
  proof: Uint8Array,
): boolean {
  const left = G1.fromBytes(commitment).subtract(G1.BASE.multiplyUnsafe(scalar(y)))
  const right = SETUP_G2.subtract(G2.BASE.multiplyUnsafe(scalar(z)))
  const pairs = [
    { g1: left, g2: G2.BASE.negate() },
    { g1: G1.fromBytes(proof), g2: right },
  ].filter(({ g1, g2 }) => !g1.is0() && !g2.is0())
  const { Fp12 } = bls12_381.fields
  return Fp12.eql(bls12_381.pairingBatch(pairs), Fp12.ONE)
}
