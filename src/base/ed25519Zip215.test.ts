import { ed25519 } from '@noble/curves/ed25519.js'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { concatBytes, utf8 } from './bytes.ts'
import { ed25519Signer, verifyEd25519 } from './ed25519.ts'
import { verifyEd25519Zip215 } from './ed25519Zip215.ts'
import { fromHex } from './hex.ts'

// A point of order 8, and the neutral element.
const SMALL = fromHex('c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a')
const NEUTRAL = concatBytes(Uint8Array.of(1), new Uint8Array(31))

test('honest signatures pass, and no altered one', () => {
  const bytes = (length: number) => fc.uint8Array({ minLength: length, maxLength: length })
  fc.assert(
    fc.property(bytes(32), fc.uint8Array(), fc.nat(511), (seed, message, bit) => {
      const signer = ed25519Signer(seed)
      const signature = signer.sign(message)
      expect(verifyEd25519Zip215(signer.publicKey, message, signature)).toBe(true)
      signature[bit >> 3] = (signature[bit >> 3] as number) ^ (1 << (bit & 7))
      expect(verifyEd25519Zip215(signer.publicKey, message, signature)).toBe(false)
    }),
    { numRuns: 20 },
  )
})

test('crafted signatures are judged by ZIP-215, where OpenSSL judges them by the message', () => {
  const crafted = concatBytes(NEUTRAL, new Uint8Array(32))
  const messages = Array.from({ length: 16 }, (_, i) => utf8(`message ${i}`))
  for (const message of messages) expect(verifyEd25519Zip215(SMALL, message, crafted)).toBe(true)
  expect(messages.every((message) => verifyEd25519(SMALL, message, crafted))).toBe(false)
})

test('what OpenSSL accepts of crafted points, ZIP-215 accepts', () => {
  const points = fc.constantFrom(SMALL, NEUTRAL)
  fc.assert(
    fc.property(points, points, fc.uint8Array(), (key, r, message) => {
      const signature = concatBytes(r, new Uint8Array(32))
      if (!verifyEd25519(key, message, signature)) return
      expect(ed25519.verify(signature, message, key, { zip215: true })).toBe(true)
    }),
  )
})

test('wrong lengths and points that are none are false', () => {
  const signature = new Uint8Array(64)
  expect(verifyEd25519Zip215(new Uint8Array(31), utf8('m'), signature)).toBe(false)
  expect(verifyEd25519Zip215(new Uint8Array(32), utf8('m'), signature.subarray(1))).toBe(false)
  expect(verifyEd25519Zip215(fromHex(`02${'00'.repeat(31)}`), utf8('m'), signature)).toBe(false)
  expect(verifyEd25519Zip215(NEUTRAL, utf8('m'), new Uint8Array(64).fill(255))).toBe(false)
})
