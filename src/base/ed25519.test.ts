import { expect, test } from 'vitest'
import { ed25519Signer, generateEd25519Seed, verifyEd25519 } from './ed25519.ts'
import { fromHex, toHexDigits } from './hex.ts'

test('signs the second vector of RFC 8032 section 7.1', () => {
  const signer = ed25519Signer(
    fromHex('4ccd089b28ff96da9db6c346ec114e0f5b8a319f35aba624da8cf6ed4fb8a6fb'),
  )
  expect(toHexDigits(signer.publicKey)).toBe(
    '3d4017c3e843895a92b70aa74d1b7ebc9c982ccf2ec4968cc0cd55f12af4660c',
  )
  expect(toHexDigits(signer.sign(Uint8Array.of(0x72)))).toBe(
    '92a009a9f0d4cab8720e820b5f642540a2b27b5416503f8fb3762223ebdb69da' +
      '085ac1e43e15996e458f3613d0f11d8c387b2eaeb4302aeeb00d291612bb0c00',
  )
})

test('a fresh key verifies its own signature and no other message', () => {
  const signer = ed25519Signer(generateEd25519Seed())
  const message = Uint8Array.of(1, 2, 3)
  const signature = signer.sign(message)
  expect(verifyEd25519(signer.publicKey, message, signature)).toBe(true)
  expect(verifyEd25519(signer.publicKey, Uint8Array.of(1, 2), signature)).toBe(false)
})

test('keys and signatures of a wrong length are refused without an error', () => {
  expect(verifyEd25519(new Uint8Array(31), new Uint8Array(0), new Uint8Array(64))).toBe(false)
  expect(verifyEd25519(new Uint8Array(32), new Uint8Array(0), new Uint8Array(63))).toBe(false)
  expect(() => ed25519Signer(new Uint8Array(31))).toThrow('32 bytes')
})
