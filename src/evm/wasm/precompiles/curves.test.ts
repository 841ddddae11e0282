/** The curve precompiles against @noble/curves, which computes the same with plain integers. */
import { bls12_381 } from '@noble/curves/bls12-381.js'
import { bn254 } from '@noble/curves/bn254.js'
import { p256 } from '@noble/curves/nist.js'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { bigintToFixedBytes, concatBytes } from '../../../base/bytes.ts'
import { fromHex, toHexDigits } from '../../../base/hex.ts'
import { sha256 } from '../../../base/sha256.ts'
import { PRECOMPILES } from './table.ts'

/** The output of a precompile for an input, as hex; undefined if it fails. */
function run(address: number, ...parts: readonly Uint8Array[]): string | undefined {
  const precompile = PRECOMPILES.get(address)
  if (precompile === undefined) throw new RangeError('no such precompile')
  try {
    const output = precompile.run(concatBytes(...parts), 'osaka')
    return output && toHexDigits(output)
  } catch {
    return undefined
  }
}

const word = (value: bigint): Uint8Array => bigintToFixedBytes(value, 32)
const field = (value: bigint): Uint8Array => bigintToFixedBytes(value, 64)
const scalar = fc.oneof(
  fc.bigInt({ min: 0n, max: 2n ** 256n - 1n }),
  fc.constantFrom(0n, 1n, 2n, bls12_381.fields.Fr.ORDER, bn254.fields.Fr.ORDER, 2n ** 256n - 1n),
)
/** Multiples of the generators, including zero for infinity. */
const small = fc.bigInt({ min: 0n, max: 2n ** 64n })
const TRUE = word(1n)
const FALSE = word(0n)

type Affine<T> = { toAffine(): { x: T; y: T }; is0(): boolean }
type Fp2 = { readonly c0: bigint; readonly c1: bigint }

function bnG1(point: Affine<bigint>): Uint8Array {
  if (point.is0()) return new Uint8Array(64)
  const { x, y } = point.toAffine()
  return concatBytes(word(x), word(y))
}
function bnG2(point: Affine<Fp2>): Uint8Array {
  if (point.is0()) return new Uint8Array(128)
  const { x, y } = point.toAffine()
  return concatBytes(...[x.c1, x.c0, y.c1, y.c0].map(word))
}
function blsG1(point: Affine<bigint>): Uint8Array {
  if (point.is0()) return new Uint8Array(128)
  const { x, y } = point.toAffine()
  return concatBytes(field(x), field(y))
}
function blsG2(point: Affine<Fp2>): Uint8Array {
  if (point.is0()) return new Uint8Array(256)
  const { x, y } = point.toAffine()
  return concatBytes(...[x.c0, x.c1, y.c0, y.c1].map(field))
}

const BN1 = bn254.G1.Point
const BN2 = bn254.G2.Point
const BLS1 = bls12_381.G1.Point
const BLS2 = bls12_381.G2.Point

test('BN254 adds and multiplies as the oracle does, infinity and equal points among them', () => {
  fc.assert(
    fc.property(small, small, scalar, (m, n, k) => {
      const a = BN1.BASE.multiplyUnsafe(m)
      const b = BN1.BASE.multiplyUnsafe(n)
      expect(run(6, bnG1(a), bnG1(b))).toBe(toHexDigits(bnG1(a.add(b))))
      expect(run(6, bnG1(a), bnG1(a))).toBe(toHexDigits(bnG1(a.double())))
      expect(run(6, bnG1(a), bnG1(a.negate()))).toBe('00'.repeat(64))
      const product = a.multiplyUnsafe(k % bn254.fields.Fr.ORDER)
      expect(run(7, bnG1(a), word(k))).toBe(toHexDigits(bnG1(product)))
    }),
    { numRuns: 30 },
  )
})

test('short input is padded with zeros and longer input is cut (BN254)', () => {
  const base = bnG1(BN1.BASE)
  expect(run(6)).toBe('00'.repeat(64))
  expect(run(6, base)).toBe(toHexDigits(base))
  expect(run(6, base, new Uint8Array(64), Uint8Array.of(1, 2, 3))).toBe(toHexDigits(base))
  expect(run(7, base)).toBe('00'.repeat(64))
})

test('BLS12-381 adds points outside of the subgroup too', () => {
  // x = 0 and y = 2 are on the curve, of order 3.
  const low = concatBytes(field(0n), field(2n))
  const negative = concatBytes(field(0n), field(bls12_381.fields.Fp.ORDER - 2n))
  expect(run(0x0b, low, low)).toBe(toHexDigits(negative))
  expect(run(0x0b, low, negative)).toBe('00'.repeat(128))
  expect(run(0x0c, low, word(1n))).toBeUndefined()
  expect(run(0x0f, low, blsG2(BLS2.BASE))).toBeUndefined()
})

// Holds D38a.
test('BLS12-381 adds and sums up multiples as the oracle does', () => {
  const terms = fc.array(fc.tuple(small, scalar), { minLength: 1, maxLength: 6 })
  fc.assert(
    fc.property(small, small, terms, (m, n, pairs) => {
      const [a1, b1] = [BLS1.BASE.multiplyUnsafe(m), BLS1.BASE.multiplyUnsafe(n)]
      const [a2, b2] = [BLS2.BASE.multiplyUnsafe(m), BLS2.BASE.multiplyUnsafe(n)]
      expect(run(0x0b, blsG1(a1), blsG1(b1))).toBe(toHexDigits(blsG1(a1.add(b1))))
      expect(run(0x0d, blsG2(a2), blsG2(b2))).toBe(toHexDigits(blsG2(a2.add(b2))))
      const total = pairs.reduce((sum, [p, k]) => sum + p * k, 0n) % bls12_381.fields.Fr.ORDER
      const inputs1 = pairs.map(([p, k]) =>
        concatBytes(blsG1(BLS1.BASE.multiplyUnsafe(p)), word(k)),
      )
      const inputs2 = pairs.map(([p, k]) =>
        concatBytes(blsG2(BLS2.BASE.multiplyUnsafe(p)), word(k)),
      )
      expect(run(0x0c, ...inputs1)).toBe(toHexDigits(blsG1(BLS1.BASE.multiplyUnsafe(total))))
      expect(run(0x0e, ...inputs2)).toBe(toHexDigits(blsG2(BLS2.BASE.multiplyUnsafe(total))))
    }),
    { numRuns: 15 },
  )
})

test('a sum of more terms than are multiplied at once is right', () => {
  const terms = Array.from({ length: 150 }, (_, i) => BigInt(i * i + 1))
  const { ORDER } = bls12_381.fields.Fr
  const factor = (k: bigint): bigint => ORDER - 5n * k
  const total = terms.reduce((sum, k) => sum + k * factor(k), 0n) % ORDER
  const g1 = terms.map((k) => concatBytes(blsG1(BLS1.BASE.multiplyUnsafe(k)), word(factor(k))))
  expect(run(0x0c, ...g1)).toBe(toHexDigits(blsG1(BLS1.BASE.multiplyUnsafe(total))))
  const g2 = terms.map((k) => concatBytes(blsG2(BLS2.BASE.multiplyUnsafe(k)), word(factor(k))))
  expect(run(0x0e, ...g2)).toBe(toHexDigits(blsG2(BLS2.BASE.multiplyUnsafe(total))))
})

/** Pairs whose product of pairings is one: e(aP, bQ) for every pair, and a last pair that cancels the sum of all ab. */
function balanced(factors: readonly (readonly [bigint, bigint])[], off: bigint, order: bigint) {
  const sum = factors.reduce((total, [a, b]) => total + a * b, off)
  return [...factors, [(order - (sum % order)) % order, 1n] as const]
}

test('pairing checks tell products that are one from others', () => {
  const factor = fc.tuple(small, small)
  fc.assert(
    fc.property(fc.array(factor, { maxLength: 20 }), fc.boolean(), (factors, isOne) => {
      const off = isOne ? 0n : 1n
      const expected = toHexDigits(isOne ? TRUE : FALSE)
      const bn = balanced(factors, off, bn254.fields.Fr.ORDER).map(([a, b]) =>
        concatBytes(bnG1(BN1.BASE.multiplyUnsafe(a)), bnG2(BN2.BASE.multiplyUnsafe(b))),
      )
      expect(run(8, ...bn)).toBe(expected)
      const bls = balanced(factors, off, bls12_381.fields.Fr.ORDER).map(([a, b]) =>
        concatBytes(blsG1(BLS1.BASE.multiplyUnsafe(a)), blsG2(BLS2.BASE.multiplyUnsafe(b))),
      )
      expect(run(0x0f, ...bls)).toBe(expected)
    }),
    { numRuns: 8 },
  )
  expect(run(8)).toBe(toHexDigits(TRUE))
  expect(run(0x0f)).toBeUndefined()
})

/** A point of the curve whose x is the first one with a y from `first` on: it is in the subgroup only by chance. */
function outsider(Fp2: typeof bn254.fields.Fp2, b: Fp2, first = 1n): { x: Fp2; y: Fp2 } {
  for (let c0 = first; ; c0++) {
    const x = Fp2.fromBigTuple([c0, 1n])
    const square = Fp2.add(Fp2.mul(Fp2.sqr(x), x), b)
    try {
      return { x, y: Fp2.sqrt(square) }
    } catch {
      // Not a square: no point has this x.
    }
  }
}

const bnFp2 = bn254.fields.Fp2
const BN_TWIST_B = bnFp2.div(bnFp2.fromBigTuple([3n, 0n]), bnFp2.fromBigTuple([9n, 1n]))

test('points of the twist outside of the subgroup fail', () => {
  const bnPoint = outsider(bnFp2, BN_TWIST_B)
  const bnInput = bnG2({ toAffine: () => bnPoint, is0: () => false })
  expect(run(8, bnG1(BN1.BASE), bnInput)).toBeUndefined()
  expect(run(8, new Uint8Array(64), bnInput)).toBeUndefined()
  const blsFp2 = bls12_381.fields.Fp2
  const blsPoint = outsider(blsFp2, blsFp2.fromBigTuple([4n, 4n]))
  const blsInput = blsG2({ toAffine: () => blsPoint, is0: () => false })
  expect(run(0x0d, blsInput, new Uint8Array(256))).toBe(toHexDigits(blsInput))
  expect(run(0x0e, blsInput, word(1n))).toBeUndefined()
  expect(run(0x0f, blsG1(BLS1.BASE), blsInput)).toBeUndefined()
})

test('BN254 tells the points of its subgroup from all others of the twist, of whatever order', () => {
  const order = bn254.fields.Fr.ORDER
  const isAccepted = (point: (typeof BN2)['BASE']): boolean =>
    run(8, new Uint8Array(64), bnG2(point)) !== undefined
  fc.assert(
    fc.property(fc.bigInt({ min: 1n, max: order - 1n }), (factor) => {
      const member = BN2.BASE.multiplyUnsafe(factor)
      const other = BN2.fromAffine(outsider(bnFp2, BN_TWIST_B, factor))
      // The order times a point leaves its component outside the subgroup.
      const beside = other.multiplyUnsafe(order - 1n).add(other)
      expect(isAccepted(member)).toBe(true)
      expect(isAccepted(other)).toBe(false)
      expect(isAccepted(beside)).toBe(false)
      expect(isAccepted(beside.add(member))).toBe(false)
    }),
    { numRuns: 6 },
  )
})

test('points off the curve, coordinates not below the order and odd lengths fail', () => {
  const bnOrder = bn254.fields.Fp.ORDER
  const blsOrder = bls12_381.fields.Fp.ORDER
  expect(run(6, word(1n), word(3n))).toBeUndefined()
  expect(run(6, word(bnOrder + 1n), word(2n))).toBeUndefined()
  expect(run(6, word(0n), word(bnOrder))).toBeUndefined()
  expect(run(7, word(1n), word(bnOrder + 2n), word(1n))).toBeUndefined()
  expect(run(8, bnG1(BN1.BASE), new Uint8Array(127))).toBeUndefined()
  expect(run(8, new Uint8Array(64), word(bnOrder), new Uint8Array(96))).toBeUndefined()
  expect(run(8, new Uint8Array(64), word(1n), new Uint8Array(96))).toBeUndefined()
  expect(run(0x0b, field(0n), field(1n), new Uint8Array(128))).toBeUndefined()
  expect(run(0x0b, field(blsOrder), field(2n), new Uint8Array(128))).toBeUndefined()
  expect(run(0x0b, field(2n ** 384n), field(2n), new Uint8Array(128))).toBeUndefined()
  expect(run(0x0b, new Uint8Array(255))).toBeUndefined()
  expect(run(0x0c, new Uint8Array(161))).toBeUndefined()
  expect(run(0x0c)).toBeUndefined()
  expect(run(0x0d, new Uint8Array(513))).toBeUndefined()
  expect(run(0x10, field(blsOrder))).toBeUndefined()
  expect(run(0x10, new Uint8Array(63))).toBeUndefined()
  expect(run(0x11, field(1n), field(blsOrder))).toBeUndefined()
})

test('field elements are mapped to the points that the oracle maps them to', () => {
  const { ORDER } = bls12_381.fields.Fp
  const element = fc.oneof(
    fc.bigInt({ min: 0n, max: ORDER - 1n }),
    fc.constantFrom(0n, 1n, 2n, ORDER - 1n, ORDER - 2n, (ORDER - 1n) / 2n),
  )
  fc.assert(
    fc.property(element, element, (a, b) => {
      // The library's types ask for an array where it wants the number itself.
      const one = bls12_381.G1.mapToCurve(a as unknown as bigint[]) as unknown as Affine<bigint>
      expect(run(0x10, field(a))).toBe(toHexDigits(blsG1(one)))
      const two = bls12_381.G2.mapToCurve([a, b]) as unknown as Affine<Fp2>
      expect(run(0x11, field(a), field(b))).toBe(toHexDigits(blsG2(two)))
    }),
    { numRuns: 25 },
  )
})

test('P-256 signatures are accepted as the oracle accepts them', () => {
  const { n } = p256.Point.CURVE()
  fc.assert(
    fc.property(
      fc.uint8Array({ minLength: 32, maxLength: 32 }),
      fc.bigInt({ min: 1n, max: n - 1n }),
      fc.integer({ min: 0, max: 160 * 8 }),
      (digest, secret, flipped) => {
        const key = word(secret)
        const signature = p256.sign(digest, key, { prehash: false, lowS: false })
        const input = concatBytes(digest, signature, p256.getPublicKey(key, false).subarray(1))
        expect(run(0x100, input)).toBe(toHexDigits(TRUE))
        // The other s is valid as well.
        const s = BigInt(`0x${toHexDigits(signature.subarray(32))}`)
        const other = concatBytes(input.subarray(0, 64), word(n - s), input.subarray(96))
        expect(run(0x100, other)).toBe(toHexDigits(TRUE))
        if (flipped === 160 * 8) return
        input[flipped >> 3] = (input[flipped >> 3] as number) ^ (1 << (flipped & 7))
        expect(run(0x100, input)).toBe('')
      },
    ),
    { numRuns: 40 },
  )
})

test('P-256 verification is right where a digest makes sums of equal, opposite or no points', () => {
  const { n } = p256.Point.CURVE()
  const { Fn } = p256.Point
  const inRange = fc.bigInt({ min: 1n, max: n - 1n })
  fc.assert(
    fc.property(inRange, inRange, (secret, nonce) => {
      const publicKey = p256.getPublicKey(word(secret), false).subarray(1)
      const r = Fn.create(p256.Point.BASE.multiply(nonce).toAffine().x)
      /** Verifies a signature of the digest with this s. */
      const verify = (digest: bigint, s: bigint): string | undefined =>
        run(0x100, word(digest), word(r), word(s), publicKey)
      for (const digest of [Fn.mul(r, secret), 0n]) {
        const s = Fn.div(Fn.add(digest, Fn.mul(r, secret)), nonce)
        expect(verify(digest, s)).toBe(toHexDigits(TRUE))
        expect(verify(digest, Fn.add(s, 1n))).toBe('')
      }
      // No signature is valid here: the sum is infinity.
      expect(verify(Fn.neg(Fn.mul(r, secret)), nonce)).toBe('')
    }),
    { numRuns: 20 },
  )
})

test('P-256 verification refuses what is out of range, and takes digests above the order', () => {
  const { n } = p256.Point.CURVE()
  const key = word(5n)
  const publicKey = p256.getPublicKey(key, false).subarray(1)
  const digest = word(2n ** 256n - 1n)
  const signature = p256.sign(digest, key, { prehash: false })
  const [r, s] = [signature.subarray(0, 32), signature.subarray(32)]
  expect(run(0x100, digest, r, s, publicKey)).toBe(toHexDigits(TRUE))
  expect(run(0x100, digest, word(0n), s, publicKey)).toBe('')
  expect(run(0x100, digest, r, word(0n), publicKey)).toBe('')
  expect(run(0x100, digest, word(n), s, publicKey)).toBe('')
  expect(run(0x100, digest, r, word(n), publicKey)).toBe('')
  expect(run(0x100, digest, r, s, new Uint8Array(64))).toBe('')
  expect(run(0x100, digest, r, s, publicKey, Uint8Array.of(0))).toBe('')
  // With a digest of zero only the key's part of the sum remains.
  const zero = p256.sign(word(0n), key, { prehash: false })
  expect(run(0x100, word(0n), zero, publicKey)).toBe(toHexDigits(TRUE))
  // With the secret key 1 and digest = r, both parts of the sum are the same point.
  const one = p256.getPublicKey(word(1n), false).subarray(1)
  const x = p256.Point.BASE.multiply(2n).toAffine().x % n
  expect(run(0x100, word(x), word(x), word(x), one)).toBe(toHexDigits(TRUE))
  // With digest = -r they cancel out.
  expect(run(0x100, word(n - x), word(x), word(x), one)).toBe('')
})

const { Fr } = bls12_381.fields

/** Input of the point evaluation precompile, with the versioned hash that belongs to the commitment. */
function evaluation(commitment: Uint8Array, z: bigint, y: bigint, proof: Uint8Array): Uint8Array {
  const hash = sha256(commitment)
  hash[0] = 1
  return concatBytes(hash, word(z), word(y), commitment, proof)
}

test('a constant polynomial is proven by infinity, at every point', () => {
  const infinity = fromHex(`c0${'00'.repeat(47)}`)
  const constant = (y: bigint): Uint8Array => BLS1.BASE.multiplyUnsafe(y).toBytes(true)
  fc.assert(
    fc.property(fc.bigInt({ min: 0n, max: Fr.ORDER - 1n }), (value) => {
      expect(run(0x0a, evaluation(constant(value), 7n, value, infinity))).toBeDefined()
      const wrong = (value + 1n) % Fr.ORDER
      expect(run(0x0a, evaluation(constant(value), 7n, wrong, infinity))).toBeUndefined()
    }),
    { numRuns: 10 },
  )
  expect(run(0x0a, evaluation(infinity, 7n, 0n, infinity))).toBeDefined()
  expect(run(0x0a, evaluation(infinity, 7n, Fr.ORDER, infinity))).toBeUndefined()
  expect(run(0x0a, evaluation(infinity, Fr.ORDER, 0n, infinity))).toBeUndefined()
  expect(run(0x0a, evaluation(infinity, 0n, 0n, BLS1.BASE.toBytes(true)))).toBeUndefined()
  const signed = fromHex(`e0${'00'.repeat(47)}`)
  expect(run(0x0a, evaluation(signed, 7n, 0n, infinity))).toBeUndefined()
})
