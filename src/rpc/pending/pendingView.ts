/** The chain with the pending block on top (D61): to its reads, that block is one like the others. */
import { equalBytes } from '../../base/bytes.ts'
import { StateUnavailableError, type ChainReader } from '../../chain/reader.ts'
import type { BlockHeader } from '../../chain/block.ts'
import type { ExecutedBlock } from '../../chain/executed.ts'
import { overlay } from '../../evm/overlay.ts'
import type { Effects, StateView } from '../../evm/types.ts'
import { encodeLogsRecord, placesOf } from '../../ledger/blocks/logsRecord.ts'

/** What a call on the pending block needs: its header, and what it changes in the state after the block before. */
export type PendingState = { readonly header: BlockHeader; readonly effects: Effects }

/** The block itself. */
export type PendingBlock = PendingState &
  Pick<ExecutedBlock, 'transactions' | 'receipts' | 'decided'>

type Read = <Stored, Pending>(
  stored: (height: number) => Stored,
  pending: () => Pending,
) => (height: number) => Stored | Pending

function unavailable(): never {
  throw new StateUnavailableError('pending state is not available')
}

function receiptReader({ transactions, receipts }: PendingBlock): ChainReader['receipt'] {
  return (_height, index) => {
    const receipt = receipts[index]
    if (receipt === undefined) return undefined
    const { record } = encodeLogsRecord({ transactions, receipts })
    const places = placesOf(record).filter(({ transactionIndex }) => transactionIndex === index)
    return { ...receipt, logs: { record, places } }
  }
}

/** The state after the pending block. */
function stateOf(chain: ChainReader, { header, effects }: PendingState): StateView {
  const state = overlay(chain.stateAt(header.height - 1))
  state.apply(effects)
  return state
}

/**
 * A chain whose latest block is the pending one. Where only its state is given, the block has no transactions. There are
 * no proofs of its state, no roots and no listings: StateUnavailableError, in go-ethereum's words.
 */
export function withPending(chain: ChainReader, pending: PendingState | PendingBlock): ChainReader {
  const { header } = pending
  const block: PendingBlock = { transactions: [], receipts: [], decided: [], ...pending }
  const { transactions, receipts } = block
  const read: Read = (stored, value) => (height) =>
    height === header.height ? value() : stored(height)
  const refuse = read(() => undefined, unavailable)
  const receiptAt = receiptReader(block)
  return {
    ...chain,
    latestHeight: () => header.height,
    header: read(chain.header, () => header),
    heightOfHash: (hash) =>
      equalBytes(hash, header.hash) ? header.height : chain.heightOfHash(hash),
    transactions: read(chain.transactions, () => transactions),
    receipts: read(chain.receipts, () => receipts),
    transactionHashes: read(chain.transactionHashes, () => transactions.map(({ hash }) => hash)),
    transactionCount: read(chain.transactionCount, () => transactions.length),
    transaction: (height, index) =>
      height === header.height ? transactions[index] : chain.transaction(height, index),
    receipt: (height, index) =>
      height === header.height ? receiptAt(height, index) : chain.receipt(height, index),
    decided: read(chain.decided, () => block.decided),
    stateAt: read(chain.stateAt, () => stateOf(chain, pending)),
    accounts: (height) => (refuse(height), chain.accounts(height)),
    slots: (height, address) => (refuse(height), chain.slots(height, address)),
    roots: (height, steps) => (refuse(height), chain.roots(height, steps)),
    proof: (height, address, slots) => (refuse(height), chain.proof(height, address, slots)),
  }
}
