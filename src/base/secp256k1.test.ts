import fc from 'fast-check'
import { expect, test } from 'vitest'
import { bigintToFixedBytes, concatBytes } from './bytes.ts'
import { fromHex, toHex, toHexDigits } from './hex.ts'
import { keccak256 } from './keccak.ts'
import {
  SECP256K1_HALF_N,
  SECP256K1_N,
  addressOf,
  addressOfPrivateKey,
  compressPublicKey,
  isPrivateKey,
  publicKeyOf,
  recoverAddress,
  recoverPublicKey,
  sign,
} from './secp256k1.ts'
import { loadNativeSecp256k1 } from './secp256k1Native.ts'
import { nobleSecp256k1 } from './secp256k1Noble.ts'

const native = loadNativeSecp256k1()
const hexOf = (bytes: Uint8Array | undefined): string | undefined => bytes && toHexDigits(bytes)

const privateKeys = fc
  .bigInt({ min: 1n, max: SECP256K1_N - 1n })
  .map((key) => bigintToFixedBytes(key, 32))
const digests = fc.uint8Array({ minLength: 32, maxLength: 32 })
const edges = fc.constantFrom(
  0n,
  1n,
  2n,
  SECP256K1_HALF_N,
  SECP256K1_HALF_N + 1n,
  SECP256K1_N - 1n,
  SECP256K1_N,
  SECP256K1_N + 1n,
  2n ** 256n - 1n,
)
const scalars = fc.oneof(edges, fc.bigInt({ min: 0n, max: 2n ** 256n - 1n }))

test('the first development account has its known address', () => {
  const key = fromHex('0xac0974bec39a17e36ba4a6b4d238ff944bacb478cbed5efcae784d7bf4f2ff80')
  expect(toHex(addressOfPrivateKey(key))).toBe('0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266')
})

test('a signature has a low s and recovers to the address of its key', () => {
  fc.assert(
    fc.property(privateKeys, digests, (key, digest) => {
      const { compact, yParity } = sign(digest, key)
      expect(BigInt(toHex(compact.subarray(32))) <= SECP256K1_HALF_N).toBe(true)
      expect(hexOf(recoverAddress(digest, compact, yParity))).toBe(hexOf(addressOfPrivateKey(key)))
    }),
    { numRuns: 50 },
  )
})

test('zero, the group order and short arrays are no private keys', () => {
  expect(isPrivateKey(new Uint8Array(32))).toBe(false)
  expect(isPrivateKey(bigintToFixedBytes(SECP256K1_N, 32))).toBe(false)
  expect(isPrivateKey(bigintToFixedBytes(SECP256K1_N - 1n, 32))).toBe(true)
  expect(isPrivateKey(new Uint8Array(31).fill(1))).toBe(false)
})

test('a compressed key keeps the x coordinate and the parity of y', () => {
  const publicKey = publicKeyOf(bigintToFixedBytes(1n, 32))
  expect(toHexDigits(compressPublicKey(publicKey))).toBe(
    '0279be667ef9dcbbac55a06295ce870b07029bfcdb2dce28d959f2815b16f81798',
  )
  expect(addressOf(publicKey)).toEqual(keccak256(publicKey.subarray(1)).subarray(12))
})

test('a parity other than 0 and 1 recovers nothing', () => {
  const { compact } = sign(new Uint8Array(32).fill(7), bigintToFixedBytes(5n, 32))
  expect(recoverPublicKey(new Uint8Array(32).fill(7), compact, 2)).toBeUndefined()
})

// Holds D38.
test.skipIf(native === undefined)('the native and the portable library sign alike', () => {
  fc.assert(
    fc.property(privateKeys, digests, (key, digest) => {
      const a = native?.sign(digest, key)
      const b = nobleSecp256k1.sign(digest, key)
      expect([hexOf(a?.compact), a?.yParity]).toEqual([hexOf(b.compact), b.yParity])
      expect(hexOf(native?.publicKey(key))).toBe(hexOf(nobleSecp256k1.publicKey(key)))
    }),
    { numRuns: 50 },
  )
})

test.skipIf(native === undefined)(
  'both libraries recover alike from valid, malleable, zero and overflowing signatures',
  () => {
    const malleated = fc.tuple(privateKeys, digests).map(([key, digest]) => {
      const { compact } = nobleSecp256k1.sign(digest, key)
      const s = SECP256K1_N - BigInt(toHex(compact.subarray(32)))
      return { digest, compact: concatBytes(compact.subarray(0, 32), bigintToFixedBytes(s, 32)) }
    })
    const arbitrary = fc.tuple(digests, scalars, scalars).map(([digest, r, s]) => ({
      digest,
      compact: concatBytes(bigintToFixedBytes(r, 32), bigintToFixedBytes(s, 32)),
    }))
    const zeroDigest = arbitrary.map(({ compact }) => ({ digest: new Uint8Array(32), compact }))
    fc.assert(
      fc.property(
        fc.oneof(malleated, arbitrary, zeroDigest),
        fc.constantFrom(0, 1),
        ({ digest, compact }, yParity) => {
          expect(hexOf(native?.recover(digest, compact, yParity))).toBe(
            hexOf(nobleSecp256k1.recover(digest, compact, yParity)),
          )
        },
      ),
      { numRuns: 150 },
    )
  },
)
