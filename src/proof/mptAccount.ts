/** Verification of the account and storage proofs of eth_getProof (EIP-1186) against a state root. Pure. */
import { bytesToBigint, EMPTY_BYTES, equalBytes, padLeft } from '../base/bytes.ts'
import { keccak256 } from '../base/keccak.ts'
import { decodeRlp, RlpError } from '../base/rlp.ts'
import { EMPTY_TRIE_ROOT, ProofError, verifyTrieProof } from './mpt.ts'

/** An account as in the state trie. Hashes have 32 bytes, the balance is in the smallest unit. */
export type ProvenAccount = {
  readonly nonce: bigint
  readonly balance: bigint
  readonly storageRoot: Uint8Array
  readonly codeHash: Uint8Array
}

function decodeOrThrow(bytes: Uint8Array, what: string) {
  try {
    return decodeRlp(bytes)
  } catch (error) {
    if (!(error instanceof RlpError)) throw error
    throw new ProofError(`${what} is not RLP: ${error.message}`, { cause: error })
  }
}

function decodeAccount(bytes: Uint8Array): ProvenAccount {
  const fields = decodeOrThrow(bytes, 'the proven account')
  if (fields instanceof Uint8Array || fields.length !== 4)
    throw new ProofError('the proven account is not a list of four fields')
  const [nonce, balance, storageRoot, codeHash] = fields
  if (
    !(nonce instanceof Uint8Array) ||
    !(balance instanceof Uint8Array) ||
    !(storageRoot instanceof Uint8Array && storageRoot.length === 32) ||
    !(codeHash instanceof Uint8Array && codeHash.length === 32)
  )
    throw new ProofError('the proven account has a malformed field')
  return { nonce: bytesToBigint(nonce), balance: bytesToBigint(balance), storageRoot, codeHash }
}

/**
 * The account at an address (20 bytes) under a state root, or undefined when the proof shows that it does not exist.
 * Throws ProofError.
 */
export function verifyAccountProof(
  stateRoot: Uint8Array,
  address: Uint8Array,
  accountProof: readonly Uint8Array[],
): ProvenAccount | undefined {
  const value = verifyTrieProof(stateRoot, keccak256(address), accountProof)
  return value && decodeAccount(value)
}

/** The value (32 bytes, zeros when unset) of a slot (32 bytes) under an account's storage root. Throws ProofError. */
export function verifyStorageProof(
  storageRoot: Uint8Array,
  slot: Uint8Array,
  proof: readonly Uint8Array[],
): Uint8Array {
  const encoded = verifyTrieProof(storageRoot, keccak256(slot), proof)
  if (encoded === undefined) return new Uint8Array(32)
  const value = decodeOrThrow(encoded, 'the proven storage value')
  if (!(value instanceof Uint8Array) || value.length > 32)
    throw new ProofError('the proven storage value is not a word')
  return padLeft(value, 32)
}

/** The claims of an eth_getProof result. */
export type ClaimedAccount = ProvenAccount & {
  readonly accountProof: readonly Uint8Array[]
  readonly storageProof: readonly {
    readonly slot: Uint8Array
    readonly value: Uint8Array
    readonly proof: readonly Uint8Array[]
  }[]
}

const EMPTY_CODE_HASH = keccak256(EMPTY_BYTES)

/**
 * Checks every claim of an eth_getProof result against a state root. An account that does not exist is claimed with
 * zero nonce and balance, the hash of no code and the root of an empty trie. Throws ProofError at the first false
 * claim.
 */
export function verifyAccountClaim(
  stateRoot: Uint8Array,
  address: Uint8Array,
  claim: ClaimedAccount,
): void {
  const proven = verifyAccountProof(stateRoot, address, claim.accountProof) ?? {
    nonce: 0n,
    balance: 0n,
    storageRoot: EMPTY_TRIE_ROOT,
    codeHash: EMPTY_CODE_HASH,
  }
  if (proven.nonce !== claim.nonce) throw new ProofError('the nonce is not the proven one')
  if (proven.balance !== claim.balance) throw new ProofError('the balance is not the proven one')
  if (!equalBytes(proven.codeHash, claim.codeHash))
    throw new ProofError('the code hash is not the proven one')
  if (!equalBytes(proven.storageRoot, claim.storageRoot))
    throw new ProofError('the storage root is not the proven one')
  for (const { slot, value, proof } of claim.storageProof)
    if (!equalBytes(verifyStorageProof(proven.storageRoot, slot, proof), padLeft(value, 32)))
      throw new ProofError('a storage value is not the proven one')
}
