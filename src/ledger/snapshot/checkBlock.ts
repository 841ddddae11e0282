/**
 * Checks the parts of a snapshot besides the state against each other and against the state. The hash, the time, the
 * base fee and the gas of the last header are confirmed only by the next block: its state, and so its root, depends on
 * them.
 */
import { concatAll, equalBytes } from '../../base/bytes.ts'
import { storedBlockHash } from '../../evm/blockHashes.ts'
import type { StateView } from '../../evm/types.ts'
import { encodeReceipt } from '../../proof/receiptEncoding.ts'
import type { BlockHeader } from '../../chain/block.ts'
import { prevRandao } from '../../chain/blockEnvironment.ts'
import { decodeReceipts } from '../blocks/receiptsRecord.ts'
import { decodeDecided, decodeTransactions } from '../blocks/transactionsRecord.ts'
import { decodeValidatorUpdates } from '../blocks/validatorUpdates.ts'
import { uniteBlooms } from '../../chain/bloom.ts'
import type { ChainRules, ExecutedBlock } from '../../chain/executed.ts'
import { nextBaseFee } from '../../chain/fees.ts'
import { HEADER_SIZE } from '../../chain/headerSize.ts'
import { listRoot } from '../../chain/listRoot.ts'
import { decodeTransaction } from '../../chain/transaction.ts'
import { BadSnapshotError } from './badSnapshot.ts'

function check(isTrue: boolean, what: string, { height }: BlockHeader): void {
  if (!isTrue) throw new BadSnapshotError(`${what} of block ${height} is wrong`)
}

function checkChild(rules: ChainRules, parent: BlockHeader, header: BlockHeader): void {
  const { height, parentHash, timeNs } = header
  const baseFee = nextBaseFee(parent, timeNs - parent.timeNs, rules.minBaseFee)
  check(equalBytes(parentHash, parent.hash), 'the parent hash', header)
  // The first block has the time of genesis.
  check(timeNs >= parent.timeNs, 'the time', header)
  check(header.baseFeePerGas === baseFee, 'the base fee', header)
  check(equalBytes(header.prevRandao, prevRandao(parentHash, height)), 'prevRandao', header)
}

/**
 * Checks headers of ascending heights without gaps: each follows from the one before, and the state holds the hashes of
 * all but the last (EIP-2935). Throws BadSnapshotError.
 */
export function checkHeaders(
  rules: ChainRules,
  headers: readonly BlockHeader[],
  state: Pick<StateView, 'storage'>,
): void {
  for (const [index, header] of headers.entries()) {
    const parent = headers[index - 1]
    if (parent === undefined) continue
    checkChild(rules, parent, header)
    const known = storedBlockHash(state, parent.height)
    // Zeros if the chain has no history contract.
    const isKnown = known.some((byte) => byte !== 0)
    check(!isKnown || equalBytes(parent.hash, known), 'the hash', parent)
  }
}

/** The parts of a block's records; empty if it decided nothing, logged nothing or left the validators unchanged. */
export type BlockRecords = {
  readonly transactions: readonly Uint8Array[]
  readonly receipts: readonly Uint8Array[]
  readonly logs: readonly Uint8Array[]
  readonly validatorUpdates: readonly Uint8Array[]
}

/** The block made of records that match the roots of its header. Throws BadSnapshotError or CorruptRecordError. */
export function checkedBlock(
  rules: ChainRules,
  header: BlockHeader,
  records: BlockRecords,
): ExecutedBlock {
  const decidedRecord = concatAll(records.transactions)
  const receiptsRecord = concatAll(records.receipts)
  const isEmpty = decidedRecord.length === 0
  const decided = isEmpty ? [] : decodeDecided(decidedRecord)
  const transactions = isEmpty ? [] : decodeTransactions(decidedRecord)
  const receipts =
    receiptsRecord.length === 0 ? [] : decodeReceipts(receiptsRecord, concatAll(records.logs))
  const { transactionsRoot, receiptsRoot } = header
  const raws = transactions.map(({ raw }) => raw)
  const size = decided.reduce((sum, { raw }) => sum + raw.length, HEADER_SIZE)
  const bloom = uniteBlooms(receipts.map(({ logsBloom }) => logsBloom))
  check(equalBytes(listRoot(raws), transactionsRoot), 'the transactions root', header)
  check(
    equalBytes(listRoot(receipts.map(encodeReceipt)), receiptsRoot),
    'the receipts root',
    header,
  )
  check(equalBytes(bloom, header.logsBloom), 'the bloom', header)
  check((receipts.at(-1)?.cumulativeGasUsed ?? 0n) === header.gasUsed, 'the gas', header)
  check(size === header.size, 'the size', header)
  for (const { raw, sender } of transactions)
    check(equalBytes(decodeTransaction(raw, rules.chainId).sender, sender), 'a sender', header)
  const validatorUpdates = decodeValidatorUpdates(concatAll(records.validatorUpdates))
  const effects = new Map()
  // No root commits to the end-of-block logs: the restored block has none.
  return { header, transactions, receipts, decided, effects, validatorUpdates, systemLogs: [] }
}
