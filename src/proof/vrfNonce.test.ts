import { secp256k1 } from '@noble/curves/secp256k1.js'
import { sha256 } from '@noble/hashes/sha2.js'
import { expect, test } from 'vitest'
import { bigintToFixedBytes, utf8 } from '../base/bytes.ts'
import { toHexDigits } from '../base/hex.ts'
import { vrfNonce } from './vrfNonce.ts'

const privateKey = new Uint8Array(32).fill(9)

test('nonces repeat for the same key and message, and differ otherwise', () => {
  const other = new Uint8Array(32).fill(10)
  expect(vrfNonce(privateKey, utf8('a'))).toBe(vrfNonce(privateKey, utf8('a')))
  expect(vrfNonce(privateKey, utf8('a'))).not.toBe(vrfNonce(privateKey, utf8('b')))
  expect(vrfNonce(privateKey, utf8('a'))).not.toBe(vrfNonce(other, utf8('a')))
})

test('nonces are not those of ECDSA for the same key and message, which would give the key away', () => {
  const message = utf8('a')
  const signature = secp256k1.sign(sha256(message), privateKey, { prehash: false })
  const k = vrfNonce(privateKey, message)
  const r = secp256k1.Point.BASE.multiply(k).x
  expect(toHexDigits(bigintToFixedBytes(r, 32))).not.toBe(toHexDigits(signature.slice(0, 32)))
})
