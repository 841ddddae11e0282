import { secp256k1 } from '@noble/curves/secp256k1.js'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { concatBytes, utf8 } from '../base/bytes.ts'
import { fromHex, toHexDigits } from '../base/hex.ts'
import { addressOf, addressOfPrivateKey } from '../base/secp256k1.ts'
import { loadNativePoints } from '../base/secp256k1NativePoints.ts'
import { noblePoints } from '../base/secp256k1Points.ts'
import { createVrf, proveVrf, verifyVrf, vrfAlpha, vrfPublicKey, VRF_PROOF_LENGTH } from './vrf.ts'

const privateKey = fromHex('c9afa9d845ba75166b5c215767b1d6934e50c3db36e89b127b8a622b120f6721')
const publicKey = vrfPublicKey(privateKey)
const alpha = utf8('sample')
const { proof, beta } = proveVrf(privateKey, alpha)

const privateKeys = fc
  .uint8Array({ minLength: 32, maxLength: 32 })
  .filter((bytes) => secp256k1.utils.isValidSecretKey(bytes))

test('a draw is verified to the same output that its prover saw', () => {
  fc.assert(
    fc.property(privateKeys, fc.uint8Array({ maxLength: 100 }), (key, input) => {
      const draw = proveVrf(key, input)
      expect(draw.proof.length).toBe(VRF_PROOF_LENGTH)
      expect(verifyVrf(vrfPublicKey(key), input, draw.proof)).toEqual(draw.beta)
    }),
    { numRuns: 10 },
  )
})

test('the construction is pinned: a change of any step changes this proof', () => {
  expect(toHexDigits(proof)).toBe(
    '0338ec99b5d0f94ebcc2c704c04af3de8b4289df8798e5fb9f920d7f5d77ac03d76a32f0b9ca6280d7054a79680231c168b8d2f9c8a6cd1f584b7069f692d08400b2cf55a25c7c47b4d01625b41166c4c0',
  )
  expect(toHexDigits(beta)).toBe('d466c22e14dc3b7fd169668dd3ee9ac6351429a24aebc5e8af61a0f0de89b65a')
})

test('a proof with any one bit flipped does not hold', () => {
  for (let index = 0; index < proof.length; index++) {
    const tampered = proof.slice()
    tampered[index] = (tampered[index] ?? 0) ^ (1 << (index % 8))
    expect(verifyVrf(publicKey, alpha, tampered)).toBeUndefined()
  }
})

test('a proof holds only for its key and its input', () => {
  const other = vrfPublicKey(new Uint8Array(32).fill(1))
  expect(verifyVrf(other, alpha, proof)).toBeUndefined()
  expect(verifyVrf(publicKey, utf8('sample2'), proof)).toBeUndefined()
})

test('malformed keys and proofs are proofs that do not hold, whatever they are', () => {
  fc.assert(
    fc.property(
      fc.uint8Array({ maxLength: 90 }),
      fc.uint8Array({ maxLength: 70 }),
      (bytes, key) => {
        expect(verifyVrf(publicKey, alpha, bytes)).toBeUndefined()
        expect(verifyVrf(key, alpha, proof)).toBeUndefined()
      },
    ),
    { numRuns: 50 },
  )
})

test('a proof of zeros, or with the largest numbers, does not hold', () => {
  const gamma = proof.subarray(0, 33)
  const order = fromHex(`0x${secp256k1.Point.Fn.ORDER.toString(16)}`)
  for (const c of [new Uint8Array(16), new Uint8Array(16).fill(255)])
    for (const s of [new Uint8Array(32), new Uint8Array(32).fill(255), order])
      expect(verifyVrf(publicKey, alpha, concatBytes(gamma, c, s))).toBeUndefined()
})

test('the public key of a draw hashes to the address of its signer', () => {
  const uncompressed = secp256k1.Point.fromBytes(publicKey).toBytes(false)
  expect(addressOf(uncompressed)).toEqual(addressOfPrivateKey(privateKey))
})

test('the input binds job, seed and prompt, each in its place', () => {
  const [a, b, c] = [1, 2, 3].map((byte) => new Uint8Array(32).fill(byte)) as [
    Uint8Array,
    Uint8Array,
    Uint8Array,
  ]
  const inputs = [
    { jobId: a, seed: b, promptHash: c },
    { jobId: b, seed: a, promptHash: c },
    { jobId: a, seed: c, promptHash: b },
    { jobId: c, seed: b, promptHash: c },
  ].map((input) => toHexDigits(vrfAlpha(input)))
  expect(new Set(inputs).size).toBe(inputs.length)
  expect(() => vrfAlpha({ jobId: a.subarray(1), seed: b, promptHash: c })).toThrow(RangeError)
})

const points = loadNativePoints()
const native = points && createVrf(points)

// Holds D38, D153.
test.skipIf(native === undefined)('the native library draws as the portable one does', () => {
  fc.assert(
    fc.property(privateKeys, fc.uint8Array({ maxLength: 100 }), (key, input) => {
      const draw = native?.prove(key, input)
      expect(draw).toEqual(proveVrf(key, input))
      expect(draw && native?.verify(draw.publicKey, input, draw.proof)).toEqual(draw?.beta)
    }),
    { numRuns: 30 },
  )
})

test.skipIf(native === undefined)('it refuses what the portable one refuses', () => {
  const gamma = proof.subarray(0, 33)
  const scalars = [new Uint8Array(32), new Uint8Array(32).fill(255), utf8('1'.padStart(32, '\0'))]
  const challenges = [new Uint8Array(16), new Uint8Array(16).fill(255), proof.subarray(33, 49)]
  for (const point of [gamma, publicKey, new Uint8Array(33), new Uint8Array(33).fill(2)])
    for (const c of challenges)
      for (const s of scalars) {
        const altered = concatBytes(point, c, s)
        expect(native?.verify(publicKey, alpha, altered)).toEqual(
          verifyVrf(publicKey, alpha, altered),
        )
      }
  for (let index = 0; index < proof.length; index++) {
    const tampered = proof.slice()
    tampered[index] = (tampered[index] ?? 0) ^ (1 << (index % 8))
    expect(native?.verify(publicKey, alpha, tampered)).toBeUndefined()
  }
})

test.skipIf(points === undefined)('it subtracts multiples, the identity included, alike', () => {
  const scalar = fc.oneof(fc.constantFrom(0n, 1n, 2n), fc.bigInt({ min: 0n, max: 2n ** 128n }))
  const base = noblePoints.publicKey(fromHex(`0x${'0'.repeat(63)}1`))
  const point = fc.constantFrom(base, publicKey, vrfPublicKey(new Uint8Array(32).fill(9)))
  fc.assert(
    fc.property(scalar, scalar, point, fc.option(point, { nil: undefined }), (a, b, B, A) => {
      const [minus, from] = [noblePoints.decode(B), A && noblePoints.decode(A)]
      const expected = minus && noblePoints.difference(a, b, minus, from)
      expect(points?.difference(a, b, B, A)).toEqual(expected && noblePoints.encode(expected))
    }),
    { numRuns: 200 },
  )
})
