import { createHash } from 'node:crypto'
import { expect, test } from 'vitest'
import { utf8 } from '../base/bytes.ts'
import { fromHex, toHexDigits } from '../base/hex.ts'
import { verifyLegacyVrf } from './vrfLegacy.ts'

/** A draw of an operator of the older network, for the prompt "What is AI?". */
const publicKey = fromHex('6f7cbc10fb280730cbc332e8ba07dbefb0707823bb7889cb250be5f688cc7392')
const proof = fromHex(
  '2face15fd07aca9d326dbf0ea875e88cdfcd9f732b4b08c18ba4ee58ae72b1412e5d31fa7dc768d5167b81a50eeb6952' +
    '5390d7f9bdb01df61a24b3a8917f9e56c1ad13a7e260d35f4c1ee2066d5df90e',
)
const alpha = utf8(createHash('sha512').update('What is AI?').digest('hex'))

// Holds D32.
test('a draw of the older network is verified to its published output', () => {
  expect(toHexDigits(verifyLegacyVrf(publicKey, alpha, proof) ?? new Uint8Array())).toBe(
    '3f2fd209ec7e950f1cce91e86f2f1e715bc192615bbbd4a592520fdafbda90b5' +
      'a0956a375be3bcc0a43fa64560e42a70a246893fa675a37f43387f5fb2901f95',
  )
})

test('changed proofs, inputs and keys do not hold', () => {
  for (let index = 0; index < proof.length; index += 3) {
    const tampered = proof.slice()
    tampered[index] = (tampered[index] ?? 0) ^ 1
    expect(verifyLegacyVrf(publicKey, alpha, tampered)).toBeUndefined()
  }
  expect(verifyLegacyVrf(publicKey, utf8('x'), proof)).toBeUndefined()
  expect(verifyLegacyVrf(publicKey.subarray(1), alpha, proof)).toBeUndefined()
  // The identity as a key.
  const identity = Uint8Array.from({ length: 32 }, (_, i) => (i === 0 ? 1 : 0))
  expect(verifyLegacyVrf(identity, alpha, proof)).toBeUndefined()
})
