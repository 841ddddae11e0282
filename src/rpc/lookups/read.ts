/** Reads that several methods share. */
import type { BlockHeader } from '../../chain/block.ts'
import type { ChainReader } from '../../chain/reader.ts'
import type { BlockWithTransactions } from '../encode/block.ts'
import type { PlacedReceipt } from '../encode/receipt.ts'
import type { PlacedTransaction } from '../encode/transaction.ts'
import { findHeader, type BlockSelector } from '../parameters/selector.ts'

/** A block's header and transactions (`full`) or their hashes, or undefined for an unknown block. */
export function findBlock(
  chain: ChainReader,
  selector: BlockSelector,
  full: boolean,
): BlockWithTransactions | undefined {
  const header = findHeader(chain, selector)
  if (header === undefined) return undefined
  const read = full ? chain.transactions : chain.transactionHashes
  return { header, body: read(header.height) ?? [] }
}

/** Number of Ethereum transactions in a block, or undefined for an unknown block. */
export function countTransactions(chain: ChainReader, selector: BlockSelector): number | undefined {
  const header = findHeader(chain, selector)
  return header && (chain.transactionCount(header.height) ?? 0)
}

/** The transaction at an index of a block, or undefined. */
export function transactionAt(
  chain: ChainReader,
  header: BlockHeader | undefined,
  index: bigint,
): PlacedTransaction | undefined {
  const transaction = header && chain.transaction(header.height, Number(index))
  return transaction && { transaction, position: { header, index: Number(index) } }
}

/** The receipt at an index of a block, with its transaction; undefined when there is none. */
export function receiptAt(
  chain: ChainReader,
  header: BlockHeader,
  index: number,
): PlacedReceipt | undefined {
  const transaction = chain.transaction(header.height, index)
  const receipt = chain.receipt(header.height, index)
  return transaction && receipt && { transaction, receipt, position: { header, index } }
}

/** Position of a transaction, by its Ethereum hash; undefined while it is pending or unknown. */
export function findIncluded(
  chain: ChainReader,
  hash: Uint8Array,
): (PlacedTransaction & { readonly position: { header: BlockHeader; index: number } }) | undefined {
  const place = chain.findTransaction(hash)
  if (!place) return undefined
  const header = chain.header(place.height)
  const transaction = chain.transaction(place.height, place.index)
  return header && transaction && { transaction, position: { header, index: place.index } }
}
