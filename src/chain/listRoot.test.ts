import { MerklePatriciaTrie } from '@ethereumjs/mpt'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { bigintToBytes } from '../base/bytes.ts'
import { toHexDigits } from '../base/hex.ts'
import { encodeRlpBytes } from '../base/rlp.ts'
import { listRoot } from './listRoot.ts'

test('no values give the root of the empty trie', () => {
  expect(toHexDigits(listRoot([]))).toBe(
    '56e81f171bcc55a6ff8345e692c0f86e5b48e01b996cadc001622fb5e363b421',
  )
})

// Holds D51.
test('the root is that of an ordinary trie under RLP-encoded indexes', async () => {
  const values = fc.array(fc.uint8Array({ minLength: 1, maxLength: 80 }), { maxLength: 300 })
  await fc.assert(
    fc.asyncProperty(values, async (list) => {
      const trie = new MerklePatriciaTrie()
      for (const [index, value] of list.entries())
        await trie.put(encodeRlpBytes(bigintToBytes(BigInt(index))), value)
      expect(toHexDigits(listRoot(list))).toBe(toHexDigits(trie.root()))
    }),
    { numRuns: 30 },
  )
})
