// Valid inputs of the precompiles that keep them busy.
import { bls12_381 } from '@noble/curves/bls12-381.js'
import { bn254 } from '@noble/curves/bn254.js'
import { p256 } from '@noble/curves/nist.js'
import { bigintToFixedBytes, concatBytes } from '../../dist/base/bytes.js'
import { fromHex } from '../../dist/base/hex.js'
import { signRsv } from '../../dist/base/secp256k1.js'
import { sha256 } from '../../dist/base/sha256.js'

const word = (value) => bigintToFixedBytes(value, 32)
const field = (value) => bigintToFixedBytes(value, 64)
const ones = (length) => new Uint8Array(length).fill(0xff)
const repeated = (count, make) => concatBytes(...Array.from({ length: count }, (_, i) => make(BigInt(i + 2)))) // prettier-ignore

function modexp(baseLength, exponent, modulus) {
  return concatBytes(
    ...[baseLength, exponent.length, modulus.length].map((length) => word(BigInt(length))),
    ones(baseLength),
    exponent,
    modulus,
  )
}
/** The largest number of so many bytes, odd or even. */
const odd = ones
const even = (length) => ones(length).fill(0xfe, length - 1)

const bn1 = (n) => {
  const { x, y } = bn254.G1.Point.BASE.multiply(n).toAffine()
  return concatBytes(word(x), word(y))
}
const bn2 = (n) => {
  const { x, y } = bn254.G2.Point.BASE.multiply(n).toAffine()
  return concatBytes(...[x.c1, x.c0, y.c1, y.c0].map(word))
}
const bls1 = (n) => {
  const { x, y } = bls12_381.G1.Point.BASE.multiply(n).toAffine()
  return concatBytes(field(x), field(y))
}
const bls2 = (n) => {
  const { x, y } = bls12_381.G2.Point.BASE.multiply(n).toAffine()
  return concatBytes(...[x.c0, x.c1, y.c0, y.c1].map(field))
}
const scalar = (n) => ones(32).fill(Number(n), 0, 1)

function ecrecover() {
  const digest = ones(32)
  const signature = signRsv(digest, ones(32).fill(1))
  return concatBytes(digest, word(BigInt(signature[64])), signature.subarray(0, 64))
}

function p256Verify() {
  const key = ones(32).fill(1)
  const digest = ones(32)
  const signature = p256.sign(digest, key, { prehash: false })
  return concatBytes(digest, signature, p256.getPublicKey(key, false).subarray(1))
}

/** The proof that a constant polynomial has its value somewhere is infinity, which is quick: this one is wrong, but slow. */
function pointEvaluation() {
  const commitment = bls12_381.G1.Point.BASE.multiply(5n).toBytes(true)
  const hash = sha256(commitment)
  hash[0] = 1
  const proof = bls12_381.G1.Point.BASE.multiply(7n).toBytes(true)
  return concatBytes(hash, word(3n), word(4n), commitment, proof)
}

function blake2f(rounds) {
  return concatBytes(fromHex(rounds.toString(16).padStart(8, '0')), ones(208), Uint8Array.of(1))
}

/** Name, address, input, and the gas to give where it fails, because then it takes it all. */
export const PRECOMPILE_INPUTS = [
  ['ECRECOVER', 0x01, ecrecover()],
  ['SHA-256 of nothing', 0x02, ones(0)],
  ['SHA-256 of 4 KiB', 0x02, ones(4096)],
  ['RIPEMD-160 of nothing', 0x03, ones(0)],
  ['RIPEMD-160 of 4 KiB', 0x03, ones(4096)],
  ['identity of nothing', 0x04, ones(0)],
  ['identity of 32 KiB', 0x04, ones(32_768)],
  ['MODEXP 8 bytes ^ 3', 0x05, modexp(8, Uint8Array.of(3), odd(8))],
  ['MODEXP 32 bytes ^ 3', 0x05, modexp(32, Uint8Array.of(3), odd(32))],
  ['MODEXP 32 bytes ^ 8 bytes', 0x05, modexp(32, ones(8), odd(32))],
  ['MODEXP 32 bytes ^ 32 bytes', 0x05, modexp(32, ones(32), odd(32))],
  ['MODEXP 32 bytes ^ 32 bytes, even', 0x05, modexp(32, ones(32), even(32))],
  ['MODEXP 40 bytes ^ 32 bytes', 0x05, modexp(40, ones(32), odd(40))],
  ['MODEXP 64 bytes ^ 3', 0x05, modexp(64, Uint8Array.of(3), odd(64))],
  ['MODEXP 64 bytes ^ 64 bytes', 0x05, modexp(64, ones(64), odd(64))],
  ['MODEXP 256 bytes ^ 3', 0x05, modexp(256, Uint8Array.of(1, 0, 1), odd(256))],
  ['MODEXP 256 bytes ^ 32 bytes, even', 0x05, modexp(256, ones(32), even(256))],
  ['MODEXP 1024 bytes ^ 3', 0x05, modexp(1024, Uint8Array.of(3), odd(1024))],
  ['MODEXP 1024 bytes ^ 16 bytes', 0x05, modexp(1024, ones(16), even(1024))],
  ['BN254 addition', 0x06, concatBytes(bn1(2n), bn1(3n))],
  ['BN254 multiplication', 0x07, concatBytes(bn1(2n), ones(32))],
  ['BN254 pairing, 1 pair', 0x08, repeated(1, (n) => concatBytes(bn1(n), bn2(n)))],
  ['BN254 pairing, 20 pairs', 0x08, repeated(20, (n) => concatBytes(bn1(n), bn2(n)))],
  ['BLAKE2F, 0 rounds', 0x09, blake2f(0)],
  ['BLAKE2F, 12 rounds', 0x09, blake2f(12)],
  ['BLAKE2F, 100,000 rounds', 0x09, blake2f(100_000)],
  ['point evaluation', 0x0a, pointEvaluation(), 50_000],
  ['BLS12-381 G1 addition', 0x0b, concatBytes(bls1(2n), bls1(3n))],
  ['BLS12-381 G1 multiplication', 0x0c, concatBytes(bls1(2n), ones(32))],
  ['BLS12-381 G1, 128 terms', 0x0c, repeated(128, (n) => concatBytes(bls1(n), scalar(n)))],
  ['BLS12-381 G2 addition', 0x0d, concatBytes(bls2(2n), bls2(3n))],
  ['BLS12-381 G2 multiplication', 0x0e, concatBytes(bls2(2n), ones(32))],
  ['BLS12-381 G2, 128 terms', 0x0e, repeated(128, (n) => concatBytes(bls2(n), scalar(n)))],
  ['BLS12-381 pairing, 1 pair', 0x0f, repeated(1, (n) => concatBytes(bls1(n), bls2(n)))],
  ['BLS12-381 pairing, 20 pairs', 0x0f, repeated(20, (n) => concatBytes(bls1(n), bls2(n)))],
  ['BLS12-381 map to G1', 0x10, field(12_345n)],
  ['BLS12-381 map to G2', 0x11, concatBytes(field(12_345n), field(54_321n))],
  ['P256VERIFY', 0x100, p256Verify()],
]
