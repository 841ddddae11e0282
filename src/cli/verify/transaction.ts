/** `assay verify tx`: that a transaction is in a block, by its consensus hash or its Ethereum hash (D21). */
import { equalBytes } from '../../base/bytes.ts'
import { toBase64 } from '../../base/base64.ts'
import { toHex, toUpperHexDigits } from '../../base/hex.ts'
import { keccak256 } from '../../base/keccak.ts'
import { sha256 } from '../../base/sha256.ts'
import { parseChainId } from '../../chain/chainId.ts'
import {
  decodeTransaction,
  TransactionDecodeError,
  type Transaction,
} from '../../chain/transaction.ts'
import { readAnswer, RpcAnswerError } from '../../proof/comet/json/answer.ts'
import { blockTxsAnswer, provenTxAnswer } from '../../proof/comet/json/transaction.ts'
import type { Header } from '../../proof/comet/types.ts'
import { verifyTransactionProof, verifyTransactions } from '../../proof/comet/transactionClaim.ts'
import { transactionPlaceAnswer } from '../../proof/json/ethereum.ts'
import { ProofError } from '../../proof/mpt.ts'
import type { Session } from './session.ts'
import type { Facts } from './transcript.ts'

/** A transaction that is proven to be decided. */
export type ProvenTransaction = {
  readonly raw: Uint8Array
  /** The header of its block. */
  readonly header: Header
  /** Index among all transactions of the block. */
  readonly index: number
}

async function byConsensusHash(
  { askConsensus, verified, transcript }: Session,
  hash: Uint8Array,
): Promise<ProvenTransaction | undefined> {
  let answer: unknown
  try {
    answer = await askConsensus('tx', { hash: toBase64(hash), prove: true })
  } catch (error) {
    if (error instanceof RpcAnswerError) return undefined
    throw error
  }
  const { tx: raw, height, proof } = readAnswer('tx', provenTxAnswer, answer)
  if (!equalBytes(sha256(raw), hash))
    throw new ProofError('tx: the response is for a different transaction than requested')
  const { header } = await verified(height)
  verifyTransactionProof(sha256, header, raw, proof.proof)
  const { index, total, aunts } = proof.proof
  transcript.check(
    `${aunts.length} hashes lead from the transaction, ${index + 1} of ${total}, to data_hash of header ${height}`,
  )
  return { raw, header, index }
}

/** Its position according to the Ethereum JSON-RPC; the whole block then proves it. */
async function byEthereumHash(
  { askEthereum, askConsensus, verified, transcript }: Session,
  hash: Uint8Array,
): Promise<ProvenTransaction> {
  const place = readAnswer(
    'eth_getTransactionByHash',
    transactionPlaceAnswer,
    await askEthereum('eth_getTransactionByHash', [toHex(hash)]),
  )
  const height = place?.blockNumber ?? undefined
  if (height === undefined)
    throw new ProofError('neither server knows a transaction in a block with this hash')
  const { header } = await verified(height)
  const answer = await askConsensus('block', { height: String(height) })
  const txs = readAnswer('block', blockTxsAnswer, answer).block.data.txs ?? []
  verifyTransactions(sha256, header, txs)
  transcript.check(`all ${txs.length} transactions of block ${height} have the header's data_hash`)
  const index = txs.findIndex((raw) => equalBytes(keccak256(raw), hash))
  const raw = txs[index]
  if (raw === undefined) throw new ProofError(`block ${height} does not contain the transaction`)
  transcript.check(`transaction ${index + 1} of them has the Ethereum hash ${toHex(hash)}`)
  return { raw, header, index }
}

/** Finds a transaction by either hash and proves its position. */
export async function findTransaction(
  session: Session,
  hash: Uint8Array,
): Promise<ProvenTransaction> {
  return (await byConsensusHash(session, hash)) ?? (await byEthereumHash(session, hash))
}

/** The transaction as the EVM reads it; undefined when it cannot be decoded: blocks may contain such transactions. */
export function decodeProven({ raw, header }: ProvenTransaction): Transaction | undefined {
  try {
    return decodeTransaction(raw, parseChainId(header.chainId).eip155)
  } catch (error) {
    if (error instanceof TransactionDecodeError) return undefined
    throw error
  }
}

/** Proves a transaction. */
export async function proveTransaction(session: Session, hash: Uint8Array): Promise<Facts> {
  const proven = await findTransaction(session, hash)
  const transaction = decodeProven(proven)
  return {
    block: String(proven.header.height),
    index: String(proven.index),
    consensusHash: toUpperHexDigits(sha256(proven.raw)),
    ethereumHash: toHex(keccak256(proven.raw)),
    bytes: toHex(proven.raw),
    from: transaction === undefined ? null : toHex(transaction.sender),
    to: transaction?.to === undefined ? null : toHex(transaction.to),
    value: transaction === undefined ? null : String(transaction.value),
    nonce: transaction === undefined ? null : String(transaction.nonce),
  }
}
