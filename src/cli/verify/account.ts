/** `assay verify account`: balance, nonce, code hash and slots under the app_hash of the next header (D6). */
import { bigintToFixedBytes, bytesToBigint, equalBytes } from '../../base/bytes.ts'
import { toHex } from '../../base/hex.ts'
import { toQuantity } from '../../base/quantity.ts'
import { readAnswer } from '../../proof/comet/json/answer.ts'
import { accountProofAnswer } from '../../proof/json/ethereum.ts'
import { ProofError } from '../../proof/mpt.ts'
import { verifyAccountClaim, type ClaimedAccount } from '../../proof/mptAccount.ts'
import type { Session } from './session.ts'
import type { Facts } from './transcript.ts'

export type AccountQuestion = {
  readonly address: Uint8Array
  /** 32 bytes each. */
  readonly slots: readonly Uint8Array[]
  /** State after this block; undefined for the latest one that a header commits to. */
  readonly height: number | undefined
}

async function claimedAccount(
  { askEthereum }: Session,
  { address, slots }: AccountQuestion,
  height: number,
): Promise<ClaimedAccount> {
  const params = [toHex(address), slots.map(toHex), toQuantity(height)]
  const answer = await askEthereum('eth_getProof', params)
  const proof = readAnswer('eth_getProof', accountProofAnswer, answer)
  if (!equalBytes(proof.address, address))
    throw new ProofError('the proof is for a different address than requested')
  if (proof.storageProof.length !== slots.length)
    throw new ProofError(
      `the response has ${proof.storageProof.length} slots instead of ${slots.length}`,
    )
  return {
    nonce: proof.nonce,
    balance: proof.balance,
    codeHash: proof.codeHash,
    storageRoot: proof.storageHash,
    accountProof: proof.accountProof,
    storageProof: proof.storageProof.map((entry, index) => ({
      slot: slots[index] as Uint8Array,
      value: bigintToFixedBytes(entry.value, 32),
      proof: entry.proof,
    })),
  }
}

/** Proves an account, or its absence: then all values are zero. */
export async function proveAccount(session: Session, question: AccountQuestion): Promise<Facts> {
  const { transcript } = session
  const next =
    question.height === undefined
      ? await session.verified('latest')
      : await session.verifiedAfter(question.height)
  const height = next.header.height - 1
  const claim = await claimedAccount(session, question, height)
  verifyAccountClaim(next.header.appHash, question.address, claim)
  transcript.check(
    `${claim.accountProof.length} trie nodes prove the account under app_hash of header ${next.header.height}`,
  )
  for (const { slot, proof } of claim.storageProof)
    transcript.check(
      proof.length === 0
        ? `the account has no storage, so slot ${toHex(slot)} is empty`
        : `${proof.length} trie nodes prove slot ${toHex(slot)} under its storage root`,
    )
  return {
    address: toHex(question.address),
    afterBlock: String(height),
    nonce: String(claim.nonce),
    balance: String(claim.balance),
    codeHash: toHex(claim.codeHash),
    storageHash: toHex(claim.storageRoot),
    ...(claim.storageProof.length === 0
      ? {}
      : {
          slots: claim.storageProof.map(
            ({ slot, value }) => `${toHex(slot)} = ${toQuantity(bytesToBigint(value))}`,
          ),
        }),
  }
}
