import { createMPT, createMerkleProof } from '@ethereumjs/mpt'
import { RLP } from '@ethereumjs/rlp'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { bigintToBytes, trimLeft } from '../base/bytes.ts'
import { keccak256 } from '../base/keccak.ts'
import { EMPTY_TRIE_ROOT, ProofError, verifyTrieProof } from './mpt.ts'
import { verifyAccountClaim, verifyAccountProof, verifyStorageProof } from './mptAccount.ts'

const addressOf = (n: number): Uint8Array => keccak256(Uint8Array.of(n)).slice(0, 20)
const slotOf = (n: number): Uint8Array => keccak256(Uint8Array.of(9, n))
const CODE_HASH = keccak256(new Uint8Array(0))

/** A state of 20 accounts, each with five slots, and the proof of one account, all created by another implementation. */
async function proveElsewhere(account: number, slot: number) {
  const storage = await createMPT({ useKeyHashing: true })
  for (let i = 0; i < 5; i++)
    await storage.put(slotOf(i), RLP.encode(trimLeft(Uint8Array.of(0, i + 1, 200))))
  const state = await createMPT({ useKeyHashing: true })
  for (let i = 0; i < 20; i++)
    await state.put(
      addressOf(i),
      RLP.encode([bigintToBytes(BigInt(i)), bigintToBytes(10n ** 18n), storage.root(), CODE_HASH]),
    )
  return {
    stateRoot: state.root(),
    address: addressOf(account),
    claim: {
      nonce: BigInt(account),
      balance: 10n ** 18n,
      storageRoot: storage.root(),
      codeHash: CODE_HASH,
      accountProof: await createMerkleProof(state, addressOf(account)),
      storageProof: [
        {
          slot: slotOf(slot),
          value: slot < 5 ? Uint8Array.of(slot + 1, 200) : new Uint8Array(32),
          proof: await createMerkleProof(storage, slotOf(slot)),
        },
      ],
    },
  }
}

test('a true claim passes, for set and unset slots', async () => {
  for (const slot of [0, 4, 7]) {
    const { stateRoot, address, claim } = await proveElsewhere(3, slot)
    verifyAccountClaim(stateRoot, address, claim)
    expect(verifyAccountProof(stateRoot, address, claim.accountProof)).toEqual({
      nonce: 3n,
      balance: 10n ** 18n,
      storageRoot: claim.storageRoot,
      codeHash: CODE_HASH,
    })
  }
})

test('an account that does not exist is proven absent, and claims about it are held to that', async () => {
  const { stateRoot, claim } = await proveElsewhere(77, 0)
  const { accountProof } = claim
  expect(verifyAccountProof(stateRoot, addressOf(77), accountProof)).toBeUndefined()
  const absent = {
    nonce: 0n,
    balance: 0n,
    storageRoot: EMPTY_TRIE_ROOT,
    codeHash: CODE_HASH,
    accountProof,
    storageProof: [{ slot: slotOf(0), value: new Uint8Array(32), proof: [] }],
  }
  verifyAccountClaim(stateRoot, addressOf(77), absent)
  expect(() => verifyAccountClaim(stateRoot, addressOf(77), { ...absent, balance: 1n })).toThrow(
    ProofError,
  )
})

test('every false field of a claim is found', async () => {
  const { stateRoot, address, claim } = await proveElsewhere(3, 1)
  const [slot] = claim.storageProof
  const lies = [
    { ...claim, nonce: 4n },
    { ...claim, balance: 0n },
    { ...claim, codeHash: new Uint8Array(32) },
    { ...claim, storageRoot: new Uint8Array(32) },
    { ...claim, storageProof: [{ ...slot, value: Uint8Array.of(1) }] },
    { ...claim, accountProof: claim.accountProof.slice(1) },
    { ...claim, accountProof: claim.accountProof.slice(0, -1) },
    { ...claim, accountProof: [...claim.accountProof, Uint8Array.of(0xc0)] },
  ]
  for (const lie of lies)
    expect(() => verifyAccountClaim(stateRoot, address, lie as typeof claim)).toThrow(ProofError)
  expect(() => verifyAccountClaim(new Uint8Array(32), address, claim)).toThrow(ProofError)
  expect(() => verifyAccountClaim(stateRoot, addressOf(4), claim)).toThrow(ProofError)
})

test('no changed byte of a proof goes unnoticed', async () => {
  const { stateRoot, address, claim } = await proveElsewhere(3, 1)
  fc.assert(
    fc.property(fc.nat(), fc.nat(), fc.integer({ min: 1, max: 255 }), (node, at, flip) => {
      const nodes = claim.accountProof.map((bytes) => bytes.slice())
      const bytes = nodes[node % nodes.length] as Uint8Array
      bytes[at % bytes.length] = (bytes[at % bytes.length] as number) ^ flip
      expect(() => verifyAccountProof(stateRoot, address, nodes)).toThrow(ProofError)
    }),
  )
})

test('an empty trie proves every key absent, without nodes or with its encoded empty node', () => {
  expect(verifyTrieProof(EMPTY_TRIE_ROOT, slotOf(1), [])).toBeUndefined()
  expect(verifyTrieProof(EMPTY_TRIE_ROOT, slotOf(1), [Uint8Array.of(0x80)])).toBeUndefined()
  expect(verifyStorageProof(EMPTY_TRIE_ROOT, slotOf(1), [])).toEqual(new Uint8Array(32))
  expect(() => verifyTrieProof(EMPTY_TRIE_ROOT, slotOf(1), [Uint8Array.of(1)])).toThrow(ProofError)
})

test('bytes that are no nodes are refused with ProofError alone', () => {
  fc.assert(
    fc.property(fc.uint8Array({ minLength: 1, maxLength: 80 }), (bytes) => {
      const root = keccak256(bytes)
      try {
        expect(verifyTrieProof(root, slotOf(1), [bytes])).toBeUndefined()
      } catch (error) {
        expect(error).toBeInstanceOf(ProofError)
      }
    }),
  )
})
