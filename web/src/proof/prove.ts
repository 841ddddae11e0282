/** The proofs of the page. Each says what it checked; each rejects at the first thing that does not hold. */
import { readAnswer } from '../../../src/proof/comet/json/answer.ts'
import { blockResultsAnswer, blockTxsAnswer } from '../../../src/proof/comet/json/transaction.ts'
import { verifyResults, verifyTransactions } from '../../../src/proof/comet/transactionClaim.ts'
import {
  accountProofAnswer,
  receiptAnswer,
  transactionPlaceAnswer,
} from '../../../src/proof/json/ethereum.ts'
import { ProofError } from '../../../src/proof/mpt.ts'
import { verifyAccountClaim } from '../../../src/proof/mptAccount.ts'
import { verifyReceiptClaim } from '../../../src/proof/receiptClaim.ts'
import { bytesToHex, hexToBytes, toQuantity } from '../format/hex.ts'
import { grouped, units } from '../format/number.ts'
import type { Node } from '../net/context.ts'
import { keccak256, sha256 } from './hashes.ts'
import { openSession, type Session } from './session.ts'

/** What a proof found, under names. */
export type Facts = readonly (readonly [string, string])[]

/** A proof that can be run against a node. */
export type Proof = (node: Node, check: (text: string) => void) => Promise<Facts>

function counted(count: number, noun: string): string {
  return count === 1 ? noun : `${grouped(count)} ${noun}s`
}

function wordBytes(value: bigint): Uint8Array {
  return hexToBytes(value.toString(16).padStart(64, '0'))
}

/** The header of a height. */
export function headerProof(height: number): Proof {
  return async (node, check) => {
    const { verified } = await openSession(node, check)
    const { header, commit } = await verified(height)
    return [
      ['Hash', bytesToHex(commit.blockId.hash)],
      ['App hash', bytesToHex(header.appHash)],
      ['Data hash', bytesToHex(header.dataHash)],
    ]
  }
}

/** Balance, nonce, code and slots of an account, after the latest block that a header commits to. */
export function accountProof(address: string, slots: readonly bigint[]): Proof {
  return async (node, check) => {
    const { verified, askEthereum } = await openSession(node, check)
    const { header } = await verified('latest')
    const height = header.height - 1
    const words = slots.map(wordBytes)
    const claim = readAnswer(
      'eth_getProof',
      accountProofAnswer,
      await askEthereum('eth_getProof', [address, words.map(bytesToHex), toQuantity(height)]),
    )
    if (bytesToHex(claim.address) !== address.toLowerCase())
      throw new ProofError('the proof is for a different address than requested')
    if (claim.storageProof.length !== slots.length)
      throw new ProofError('the proof is for different slots than requested')
    verifyAccountClaim(header.appHash, hexToBytes(address), {
      ...claim,
      storageRoot: claim.storageHash,
      storageProof: claim.storageProof.map((entry, index) => ({
        slot: words[index] as Uint8Array,
        value: wordBytes(entry.value),
        proof: entry.proof,
      })),
    })
    check(
      `${claim.accountProof.length} state trie nodes lead from the account to the app hash of header ${header.height}`,
    )
    return [
      ['After block', grouped(height)],
      ['Balance', units(claim.balance, 18)],
      ['Nonce', grouped(claim.nonce)],
      ['Code hash', bytesToHex(claim.codeHash)],
      ...claim.storageProof.map(
        (entry, index) => [`Slot ${slots[index]}`, toQuantity(entry.value)] as const,
      ),
    ]
  }
}

async function provenTransaction(session: Session, hash: string) {
  const place = readAnswer(
    'eth_getTransactionByHash',
    transactionPlaceAnswer,
    await session.askEthereum('eth_getTransactionByHash', [hash]),
  )
  const height = place?.blockNumber ?? undefined
  if (height === undefined) throw new ProofError('the transaction is not in a block yet')
  const { header } = await session.verified(height)
  const answer = await session.askConsensus('block', { height: String(height) })
  const txs = readAnswer('block', blockTxsAnswer, answer).block.data.txs ?? []
  verifyTransactions(sha256, header, txs)
  session.check(
    `The ${counted(txs.length, 'transaction')} of block ${height} ${txs.length === 1 ? 'has' : 'have'} the data hash of its header`,
  )
  const index = txs.findIndex((raw) => bytesToHex(keccak256(raw)) === hash.toLowerCase())
  const raw = txs[index]
  if (raw === undefined) throw new ProofError(`block ${height} does not contain the transaction`)
  session.check(`Transaction ${index + 1} has this Ethereum hash`)
  return { header, index, raw }
}

/** That a transaction is in a block, and its outcome. */
export function transactionProof(hash: string): Proof {
  return async (node, check) => {
    const session = await openSession(node, check)
    const { header, index, raw } = await provenTransaction(session, hash)
    const next = await session.verifiedAfter(header.height)
    const results =
      readAnswer(
        'block_results',
        blockResultsAnswer,
        await session.askConsensus('block_results', { height: String(header.height) }),
      ).txs_results ?? []
    verifyResults(sha256, next.header, results)
    check(
      `The ${counted(results.length, 'result')} of the block ${results.length === 1 ? 'has' : 'have'} the results hash of header ${next.header.height}`,
    )
    const result = results[index]
    if (result === undefined) throw new ProofError('the block has no result for the transaction')
    const receipt = readAnswer(
      'eth_getTransactionReceipt',
      receiptAnswer,
      await session.askEthereum('eth_getTransactionReceipt', [hash]),
    )
    if (receipt === null) throw new ProofError('the node has no receipt for it')
    verifyReceiptClaim(result, receipt)
    check(`Result ${index + 1} contains the hash of the receipt: its status, gas and events`)
    return [
      ['Block', grouped(header.height)],
      ['Result', receipt.status === 1 ? 'done' : 'reverted'],
      ['Gas used', grouped(receipt.gasUsed)],
      ['Events', grouped(receipt.logs.length)],
      ['Consensus hash', bytesToHex(sha256(raw)).slice(2).toUpperCase()],
    ]
  }
}
