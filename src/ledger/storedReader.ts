/** The reader of the stored chain: everything is checked against the tip, so nothing of an uncommitted block is visible. */
import type { Sha256 } from '../proof/comet/crypto.ts'
import { heightKey } from './blocks/heightKey.ts'
import { createBlockReader, type BlockReader } from './blocks/blockReader.ts'
import type { Effects } from '../evm/types.ts'
import { padLeft } from '../base/bytes.ts'
import { createFlatState, type FlatState } from './history/flatState.ts'
import { createListing } from './history/listing.ts'
import type { HistoryTail } from './history/tail.ts'
import { searchLogs } from './logs/search.ts'
import { StateUnavailableError, type AccountProof, type ChainReader } from '../chain/reader.ts'
import { decodeAccountRecord } from './state/accountRecord.ts'
import { slotOfKey } from './state/flatKey.ts'
import type { LatestState } from './state/latest.ts'
import { createStateView, type StoredStateView } from './state/view.ts'
import { readFact, type ChainTables } from './tables.ts'

/** Proves an account and slots at a height that is known to be committed. */
export type ProveAccount = (
  height: number,
  address: Uint8Array,
  slots: readonly Uint8Array[],
) => AccountProof

/** The state roots after steps from the state of a height on, which is known to be committed. */
export type FollowRoots = (height: number, steps: readonly Effects[]) => readonly Uint8Array[]

/** The parts of a reader. */
export type ReaderParts = {
  readonly chainId: bigint
  readonly tables: ChainTables
  readonly tail: HistoryTail
  readonly latest: LatestState
  readonly sha256: Sha256
  /** The last block as the next table read sees it; undefined before genesis. */
  readonly tip: () => number | undefined
  /** Lets the following reads see the last commit. */
  readonly refresh: () => void
  readonly prove: ProveAccount
  readonly roots: FollowRoots
}

/** A reader with the parts that the write side shares. */
export type StoredReader = ChainReader & {
  readonly blocks: BlockReader
  readonly flat: FlatState
  stateAt(height: number): StoredStateView
  /** Drops its caches: blocks were rolled back. */
  forget(): void
}

/** A reader over its parts. Reads of state throw StateUnavailableError for states that are not kept. */
export function createStoredReader(parts: ReaderParts): StoredReader {
  const { chainId, tables, tail, latest, sha256, prove, roots } = parts
  const blocks = createBlockReader(tables, sha256)
  const flat = createFlatState(tables, tail, latest)
  const listing = createListing(tables, tail, flat)
  // Before genesis there is only the empty state: the tables are empty.
  const tip = (): number => parts.tip() ?? 0
  let identity = { height: -1 }
  let kept = { tip: -1, earliest: 0, earliestState: 0 }

  /** Cached per block: every read of a block or a state needs it. */
  function floors(): { readonly earliest: number; readonly earliestState: number } {
    const last = tip()
    if (kept.tip !== last)
      kept = {
        tip: last,
        earliest: readFact(tables, 'earliest') ?? 0,
        earliestState: readFact(tables, 'earliestState') ?? 0,
      }
    return kept
  }
  const earliest = (): number => floors().earliest
  const earliestState = (): number => floors().earliestState

  function isCommitted(height: number): boolean {
    const isKnown = () => height <= (parts.tip() ?? -1)
    if (!isKnown()) parts.refresh()
    return isKnown() && height >= earliest()
  }

  function requireState(height: number): void {
    // Half a snapshot is no state.
    if (parts.tip() === undefined && readFact(tables, 'restoring') !== undefined)
      throw new StateUnavailableError('the chain is being restored from a snapshot')
    const isKept = isCommitted(height) && height >= earliestState()
    if (isKept || (height === 0 && parts.tip() === undefined)) return
    throw new StateUnavailableError(
      height > tip()
        ? `block ${height} does not exist yet: the last one is ${tip()}`
        : `the state of block ${height} is pruned: the earliest kept one is that of block ${earliestState()}`,
    )
  }

  /** One object per height, kept while it is requested repeatedly. Before genesis no state is final. */
  function identityOf(height: number): object | undefined {
    if (parts.tip() === undefined) return undefined
    if (identity.height !== height) identity = { height }
    return identity
  }

  return {
    chainId,
    blocks,
    flat,
    forget() {
      blocks.forget()
      flat.forget()
      tail.forget()
      kept = { tip: -1, earliest: 0, earliestState: 0 }
      identity = { height: -1 }
    },
    latestHeight() {
      parts.refresh()
      return tip()
    },
    earliestHeight: earliest,
    earliestState,
    header(height) {
      if (!isCommitted(height)) return undefined
      const header = blocks.header(height)
      if (header === undefined) throw tables.headers.damaged(heightKey(height), 'is missing')
      return header
    },
    genesis: () => blocks.header(0),
    heightOfHash(blockHash) {
      let height = blocks.heightOfHash(blockHash)
      if (height === undefined) {
        parts.refresh()
        height = blocks.heightOfHash(blockHash)
      }
      return height !== undefined && isCommitted(height) ? height : undefined
    },
    transactions: (height) => (isCommitted(height) ? blocks.transactions(height) : undefined),
    receipts: (height) => (isCommitted(height) ? blocks.receipts(height) : undefined),
    transactionHashes: (height) =>
      isCommitted(height) ? blocks.transactionHashes(height) : undefined,
    transactionCount: (height) =>
      isCommitted(height) ? blocks.transactionCount(height) : undefined,
    transaction: (height, index) =>
      isCommitted(height) ? blocks.transaction(height, index) : undefined,
    receipt: (height, index) => (isCommitted(height) ? blocks.receipt(height, index) : undefined),
    decided: (height) => (isCommitted(height) ? blocks.decided(height) : undefined),
    validatorUpdates: (height) =>
      isCommitted(height) ? blocks.validatorUpdates(height) : undefined,
    systemLogs: (height) => (isCommitted(height) ? blocks.systemLogs(height) : undefined),
    findTransaction: blocks.findTransaction,
    findDecided: blocks.findDecided,
    stateAt(height) {
      requireState(height)
      return createStateView(tables, flat, height, tip, identityOf(height))
    },
    *accounts(height) {
      requireState(height)
      for (const { key, record } of listing.accounts(height, tip()))
        yield { address: key, account: decodeAccountRecord(record) }
    },
    *slots(height, address) {
      requireState(height)
      for (const { key, record } of listing.slots(address, height, tip()))
        yield { slot: slotOfKey(key), value: padLeft(record, 32) }
    },
    roots(height, steps) {
      requireState(height)
      return roots(height, steps)
    },
    proof(height, address, slots) {
      requireState(height)
      return prove(height, address, slots)
    },
    logs(first, last, criteria) {
      parts.refresh()
      const source = {
        index: tables.logIndex,
        header: blocks.header,
        logsRecord: blocks.logsRecord,
      }
      return searchLogs(source, Math.max(first, earliest()), Math.min(last, tip()), criteria)
    },
  }
}
