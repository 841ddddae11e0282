import fc from 'fast-check'
import { expect, test } from 'vitest'
import { keccak256 as nodeKeccak256 } from '../../../src/base/keccak.ts'
import { sha256 as nodeSha256 } from '../../../src/base/sha256.ts'
import { keccak256, sha256 } from './hashes.ts'

test('the page hashes as the program does', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 600 }), (bytes) => {
      expect(keccak256(bytes)).toEqual(nodeKeccak256(bytes))
      expect(sha256(bytes)).toEqual(nodeSha256(bytes))
    }),
  )
})
