/** `assay verify receipt`: the outcome of a transaction, by last_results_hash of the next header (D6). */
import { equalBytes } from '../../base/bytes.ts'
import { toHex, toUpperHexDigits } from '../../base/hex.ts'
import { keccak256 } from '../../base/keccak.ts'
import { sha256 } from '../../base/sha256.ts'
import { RESULT_REFUSED } from '../../chain/consensusResult.ts'
import { contractAddress } from '../../evm/contractAddress.ts'
import type { DeterministicResult } from '../../proof/comet/data.ts'
import { headerHash } from '../../proof/comet/header.ts'
import { readAnswer } from '../../proof/comet/json/answer.ts'
import { blockResultsAnswer } from '../../proof/comet/json/transaction.ts'
import { verifyResults } from '../../proof/comet/transactionClaim.ts'
import { receiptAnswer, type ReceiptAnswer } from '../../proof/json/ethereum.ts'
import { ProofError } from '../../proof/mpt.ts'
import { verifyReceiptClaim } from '../../proof/receiptClaim.ts'
import type { Session } from './session.ts'
import type { Facts } from './transcript.ts'
import { decodeProven, findTransaction, type ProvenTransaction } from './transaction.ts'

async function provenResults(
  { askConsensus, verifiedAfter, transcript }: Session,
  height: number,
): Promise<readonly DeterministicResult[]> {
  const next = await verifiedAfter(height)
  const answer = await askConsensus('block_results', { height: String(height) })
  const results = readAnswer('block_results', blockResultsAnswer, answer).txs_results ?? []
  verifyResults(sha256, next.header, results)
  transcript.check(
    `all ${results.length} results of block ${height} have last_results_hash of header ${next.header.height}`,
  )
  return results
}

function sameOrNeither(a: Uint8Array | null | undefined, b: Uint8Array | undefined): boolean {
  return a === null || a === undefined ? b === undefined : b !== undefined && equalBytes(a, b)
}

/** The fields of a receipt that its hash does not cover, as far as transaction, header and results imply them. */
function checkDerived(
  receipt: ReceiptAnswer,
  proven: ProvenTransaction,
  results: readonly DeterministicResult[],
): void {
  const { header, index, raw } = proven
  const require = (holds: boolean, field: string) => {
    if (!holds) throw new ProofError(`${field} of the receipt is not the proven one`)
  }
  const transaction = decodeProven(proven)
  if (transaction === undefined) throw new ProofError('the transaction cannot be decoded')
  const position = results.slice(0, index).filter(({ code }) => code !== RESULT_REFUSED).length
  const blockHash = headerHash(sha256, header)
  const hash = keccak256(raw)
  const created = transaction.to
    ? undefined
    : contractAddress(transaction.sender, transaction.nonce)
  require(equalBytes(receipt.transactionHash, hash), 'transactionHash')
  require(equalBytes(receipt.blockHash, blockHash), 'blockHash')
  require(receipt.blockNumber === header.height, 'blockNumber')
  require(receipt.transactionIndex === position, 'transactionIndex')
  require(equalBytes(receipt.from, transaction.sender), 'from')
  require(sameOrNeither(receipt.to, transaction.to), 'to')
  require(sameOrNeither(receipt.contractAddress, created), 'contractAddress')
  require(receipt.type === transaction.type, 'type')
  for (const log of receipt.logs)
    require(log.blockNumber === header.height &&
      log.transactionIndex === position &&
      equalBytes(log.blockHash, blockHash) &&
      equalBytes(log.transactionHash, hash), 'the position of a log')
}

/** Proves a receipt. Not covered by any hash, and therefore omitted: effectiveGasPrice and logIndex. */
export async function proveReceipt(session: Session, hash: Uint8Array): Promise<Facts> {
  const proven = await findTransaction(session, hash)
  const results = await provenResults(session, proven.header.height)
  const result = results[proven.index]
  if (result === undefined) throw new ProofError('the block has no result for the transaction')
  const ethereumHash = toHex(keccak256(proven.raw))
  const receipt = readAnswer(
    'eth_getTransactionReceipt',
    receiptAnswer,
    await session.askEthereum('eth_getTransactionReceipt', [ethereumHash]),
  )
  if (receipt === null) throw new ProofError('the Ethereum JSON-RPC has no receipt for it')
  verifyReceiptClaim(result, receipt)
  checkDerived(receipt, proven, results)
  session.transcript.check(
    `result ${proven.index + 1} of them contains the hash of the receipt, ${toHex(result.data)}`,
  )
  return {
    ethereumHash,
    block: String(proven.header.height),
    blockHash: toUpperHexDigits(headerHash(sha256, proven.header)),
    transactionIndex: String(receipt.transactionIndex),
    status: receipt.status === 1 ? 'success' : 'failed',
    from: toHex(receipt.from),
    to: receipt.to === null ? null : toHex(receipt.to),
    contractAddress: receipt.contractAddress === null ? null : toHex(receipt.contractAddress),
    gasUsed: String(receipt.gasUsed),
    cumulativeGasUsed: String(receipt.cumulativeGasUsed),
    logs: receipt.logs.map(
      ({ address, topics, data }) =>
        `${toHex(address)} [${topics.map(toHex).join(' ')}] ${toHex(data)}`,
    ),
  }
}
