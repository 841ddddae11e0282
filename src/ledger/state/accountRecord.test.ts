import { RLP } from '@ethereumjs/rlp'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { bigintToBytes } from '../../base/bytes.ts'
import { EMPTY_CODE_HASH } from '../../evm/types.ts'
import { EMPTY_TRIE_ROOT } from '../../proof/mpt.ts'
import { decodeAccountRecord, encodeAccountLeaf, encodeAccountRecord } from './accountRecord.ts'

const integer = fc.oneof(
  fc.bigInt({ min: 0n, max: 2n ** 256n - 1n }),
  fc.bigInt({ min: 0n, max: 300n }),
  fc.constantFrom(2n ** 64n - 1n, 2n ** 64n, 2n ** 128n, 2n ** 192n - 1n),
)
const hash = fc.uint8Array({ minLength: 32, maxLength: 32 })
const accounts = fc.record({
  nonce: integer,
  balance: integer,
  codeHash: fc.oneof(fc.constant(EMPTY_CODE_HASH), hash),
  storageRoot: fc.oneof(fc.constant(EMPTY_TRIE_ROOT), hash),
})

test('every account reads back from its record', () => {
  fc.assert(
    fc.property(accounts, (account) => {
      expect(decodeAccountRecord(encodeAccountRecord(account))).toEqual(account)
    }),
  )
})

test('the leaf of an account is what an independent encoder makes', () => {
  fc.assert(
    fc.property(accounts, (account) => {
      const { nonce, balance, storageRoot, codeHash } = account
      const fields = [bigintToBytes(nonce), bigintToBytes(balance), storageRoot, codeHash]
      expect(encodeAccountLeaf(account)).toEqual(RLP.encode(fields))
    }),
  )
})
