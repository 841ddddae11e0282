/** The chain on disk: state, blocks, indexes and history, written once per block and read through `ChainReader`. */
import { sha256 as portableSha256 } from '@noble/hashes/sha2.js'
import { runSteps, type Steps } from '../base/steps.ts'
import type { Effects, StateView } from '../evm/types.ts'
import type { Sha256 } from '../proof/comet/crypto.ts'
import { EMPTY_TRIE_ROOT } from '../proof/mpt.ts'
import type { Kv } from '../store/kv.ts'
import type { BlockHeader } from '../chain/block.ts'
import { writeBlock } from './blocks/blockWriter.ts'
import { heightKey } from './blocks/heightKey.ts'
import type { ChainRules, ExecutedBlock } from '../chain/executed.ts'
import { createHistoryTail } from './history/tail.ts'
import { catchUpLogIndex } from './logs/catchUp.ts'
import { createPruner, type PruningWindow } from './prune.ts'
import { StateUnavailableError, type ChainReader } from '../chain/reader.ts'
import { CorruptRecordError } from './records/reader.ts'
import { confirmAbsent, type Absences, type AbsentKeys } from './state/absences.ts'
import { createAgreement } from './state/agreement.ts'
import { encodeChangeset } from './state/changeset.ts'
import type { CacheStatistics } from './state/bytesCache.ts'
import { createLatestState, createReaderState } from './state/latest.ts'
import { createProver, type ProofSource } from './state/proofs.ts'
import { recoverStateTrie, trieTablesOf } from './state/recover.ts'
import { rollbackBlock } from './rollback.ts'
import { verifyFlat, type FlatPosition } from './state/verifyFlat.ts'
import { stageEffects, writeFlatState, type StagedState } from './state/stage.ts'
import { beginRestore, clearChain, discardRestore, type Restore } from './snapshot/restore.ts'
import { createStoredReader } from './storedReader.ts'
import { openChainTables, readFact, writeFact } from './tables.ts'
import { createStateTrie, type StateTrie, type TrieStatistics } from './trie/stateTrie.ts'

/** A block with its state root, computed in memory. Dropping it has no effect. */
export type StagedBlock = {
  /** The header with the state root. */
  readonly header: BlockHeader
  readonly block: ExecutedBlock
  readonly state: StagedState
}

/** Block 0 before its root is known. */
export type ChainGenesis = {
  readonly header: Omit<BlockHeader, 'stateRoot'>
  readonly effects: Effects
}

export type ChainStore = {
  readonly reader: ChainReader
  /** The state after the last committed block; before genesis, the empty one. */
  latest(): StateView
  /** Whether genesis has not been written yet. */
  isEmpty(): boolean
  /** The header of block 0, which is never pruned; undefined before genesis. */
  genesis(): BlockHeader | undefined
  /** Lowest block that is kept once the next one is written; 0 while nothing is pruned. */
  retainHeight(): number
  /** Writes genesis as height 0 (D44) and returns its header. Throws if the chain already has a genesis. */
  initialise(genesis: ChainGenesis): BlockHeader
  /** Computes the state root of the next block. Nothing is written. Throws RangeError for another height. */
  stage(block: ExecutedBlock): StagedBlock
  /** The same, in steps between which other code may read; nothing may be committed before the last. */
  stageInSteps(block: ExecutedBlock): Steps<StagedBlock>
  /**
   * Writes a staged block, at the end of the current write transaction or in one of its own. Readers, trie and caches
   * switch over once the outermost transaction is on disk, and stay unchanged if it is rolled back.
   */
  commit(staged: StagedBlock): void
  /** Calls back with the height of each block once it is on disk. */
  onCommit(listener: (height: number) => void): void
  /**
   * Begins to restore the state after a height, with a signed root, replacing a chain that is empty or has only its
   * genesis; until that is finished the chain is empty. Throws RangeError if there are blocks.
   */
  restore(genesis: ChainGenesis, rules: ChainRules, height: number, stateRoot: Uint8Array): Restore
  /**
   * Removes the last block from the chain, inside a write transaction; once that is on disk everything in memory
   * follows. Throws UserError if the previous state is not kept.
   */
  rollBack(): void
  /**
   * Holds up to `limit` records of the flat state against the trie, from a position on. Returns where to continue;
   * undefined at the end. Throws KvCorruptionError.
   */
  verifyState(position: FlatPosition | undefined, limit: number): FlatPosition | undefined
  /** Confirms what a read-only thread had no record of; throws as `confirmAbsent` does. */
  confirmAbsent(absent: AbsentKeys): void
  /** The caches of the writing thread. */
  stats(): ChainStoreStatistics
}

/** Sizes and hit rates of the caches. */
export type ChainStoreStatistics = {
  readonly trie: TrieStatistics
  /** Accounts and slots of the latest state. */
  readonly state: CacheStatistics
}

export type ChainReaderOptions = {
  readonly chainId: bigint
  /** SHA-256 of the platform; a portable one is the default. */
  readonly sha256?: Sha256
}

export type ChainStoreOptions = ChainReaderOptions & {
  /** How many blocks back states can be proven (D6, state.proof-window); if absent, states of any age (state.archive). */
  readonly proofWindow?: number | undefined
  /** What is kept; everything if absent. */
  readonly pruning?: PruningWindow | undefined
  /** Number of blocks between two checkpoints of the trie; many changes make one due earlier. */
  readonly checkpointEvery?: number
  /** How many records of a checkpoint are written with a block that changes this many leaves. */
  readonly checkpointPart?: (changedLeaves: number) => number
  /**
   * Whether every block may be rolled back while the chain runs (D56): the trie is then never stored, and is rebuilt at
   * each start.
   */
  readonly isReversible?: boolean
}

const DEFAULT_CHECKPOINT_EVERY = 256

/** Number of changed leaves at which a checkpoint is due. A start reapplies at most those of two checkpoints. */
const CHECKPOINT_LEAVES = 12_288

/**
 * Number of a checkpoint's records that each block writes, and more for each leaf it changes: so it ends before the
 * next one is due.
 */
const CHECKPOINT_PART = 128
const PART_PER_LEAF = 2

/** The same for posting lists; a change produces at most one. */
const POSTINGS = 128
const POSTINGS_PER_CHANGE = 2

/** Opens the chain for writing. Throws CorruptRecordError when the stored state does not have its block's root. */
export function openChainStore(kv: Kv, options: ChainStoreOptions): ChainStore {
  const { chainId, sha256 = portableSha256, proofWindow } = options
  const checkpointEvery = options.checkpointEvery ?? DEFAULT_CHECKPOINT_EVERY
  const partSize = options.checkpointPart ?? ((leaves) => CHECKPOINT_PART + PART_PER_LEAF * leaves)
  const tables = openChainTables(kv)
  discardRestore(kv, tables)
  const tail = createHistoryTail(tables)
  const pruner = options.pruning && createPruner(tables, options.pruning, sha256)
  // The trie of the last block, which is replaced where blocks are rolled back.
  const agreement = createAgreement(tables, () => trie)
  const latest = createLatestState(tables, undefined, agreement)
  let tip = readFact(tables, 'tip')
  /** The height at which the last checkpoint began. */
  let checkpoint = readFact(tables, 'checkpoint') ?? 0
  let trie = openTrie()
  if (tip !== undefined) catchUp(tip)

  const listeners: ((height: number) => void)[] = []

  function openTrie(): StateTrie {
    return tip === undefined
      ? createStateTrie(trieTablesOf(tables), EMPTY_TRIE_ROOT)
      : recoverStateTrie(kv, tables, tip)
  }

  /** Reloads after changes that were not written block by block. */
  function reopen(): void {
    tip = readFact(tables, 'tip')
    checkpoint = readFact(tables, 'checkpoint') ?? 0
    latest.clear()
    trie = openTrie()
    catchUp(tip ?? 0)
  }

  function catchUp(height: number): void {
    tail.catchUp(height)
    catchUpLogIndex(kv, tables, height)
  }

  const reader = createStoredReader({
    chainId,
    tables,
    tail,
    latest,
    sha256,
    tip: () => tip,
    // This thread is the writer: what it reads is never older than the last commit.
    refresh: () => {},
    prove: (height, address, slots) => prover.prove(proofSource(height), height, address, slots),
    roots: (height, steps) => prover.roots(proofSource(height), height, steps),
  })
  const prover = createProver((height) => {
    const header = reader.blocks.header(height)
    if (header === undefined)
      throw new CorruptRecordError(`the header of block ${height} is missing`)
    return header.stateRoot
  })

  /** The source of proofs at a height. Throws StateUnavailableError outside the window. */
  function proofSource(height: number): ProofSource {
    const last = tip ?? 0
    if (proofWindow !== undefined && height < last - proofWindow)
      throw new StateUnavailableError('proof window exceeded')
    return { tables, trie, flat: reader.flat, tip: last }
  }

  /** Begins a checkpoint of the last block if one is due. It is written with the following blocks. */
  function beginCheckpoint(height: number): void {
    if (options.isReversible === true || trie.isCheckpointing()) return
    if (height - checkpoint < checkpointEvery && trie.changedLeaves() < CHECKPOINT_LEAVES) return
    trie.beginCheckpoint(height)
    checkpoint = height
  }

  /** Writes a block's share of the trie: the whole first state, later a part of the checkpoint in progress. */
  function* writeTrie(height: number, state: StagedState): Steps<(() => void) | undefined> {
    if (height === 0) {
      writeFact(tables, 'checkpoint', 0)
      return trie.storeWhole(state.trie)
    }
    if (!trie.isCheckpointing()) return undefined
    const part = yield* trie.writeCheckpoint(partSize(state.trie.changedLeaves))
    if (part.isLast) writeFact(tables, 'checkpoint', checkpoint)
    return part.finish
  }

  /** Writes a block and returns what to do once it is on disk. */
  function* write({ header, block, state }: StagedBlock): Steps<() => void> {
    const { height } = header
    if (height !== nextHeight())
      throw new RangeError(`block ${height} was staged on another block than the last one`)
    pruner?.prune()
    // Genesis has no changeset: there is no state before it.
    const keys = height === 0 ? [] : state.changes.map(({ key }) => key)
    if (keys.length > 0) tables.changesets.put(heightKey(height), encodeChangeset(state.changes))
    yield
    yield* writeFlatState(tables, state)
    yield* writeBlock(tables, header, block, sha256)
    const finishPostings = yield* tail.writePart(POSTINGS + POSTINGS_PER_CHANGE * keys.length)
    const finishTrie = yield* writeTrie(height, state)
    return () => {
      for (const { key, entry } of state.changes) latest.put(key, entry)
      trie.adopt(state.trie)
      finishTrie?.()
      beginCheckpoint(height)
      finishPostings()
      tail.add(height, keys)
      tip = height
      for (const listener of listeners) listener(height)
    }
  }

  function nextHeight(): number {
    return tip === undefined ? 0 : tip + 1
  }

  /**
   * Makes memory follow the tables after blocks were rolled back. It is called for each of several blocks; the first
   * call is enough.
   */
  function followRollback(): void {
    const now = readFact(tables, 'tip') ?? 0
    if (now === tip) return
    tip = now
    reader.forget()
    prover.forget()
    reopen()
  }

  function* stageInSteps(block: ExecutedBlock): Steps<StagedBlock> {
    if (block.header.height !== nextHeight())
      throw new RangeError(`block ${block.header.height} does not follow the last one`)
    const state = yield* stageEffects({ tables, latest, trie }, block.effects)
    return { header: { ...block.header, stateRoot: state.trie.stateRoot }, block, state }
  }

  const stage = (block: ExecutedBlock): StagedBlock => runSteps(stageInSteps(block))

  const stageGenesis = ({ header, effects }: ChainGenesis): StagedBlock =>
    stage({
      header,
      transactions: [],
      receipts: [],
      decided: [],
      effects,
      validatorUpdates: [],
      systemLogs: [],
    })

  function commit(staged: StagedBlock): void {
    kv.write(() => {
      let switchOver: (() => void) | undefined
      // Last in the transaction, so that reads before its end see the previous state.
      kv.beforeCommit(function* () {
        switchOver = yield* write(staged)
      })
      kv.afterCommit(() => switchOver?.())
    })
  }

  return {
    reader,
    latest: () => reader.stateAt(tip ?? 0),
    isEmpty: () => tip === undefined,
    genesis: () => reader.blocks.header(0),
    retainHeight: () => pruner?.retainHeight() ?? reader.earliestHeight(),
    initialise(genesis) {
      if (tip !== undefined) throw new RangeError('the chain has a genesis already')
      discardRestore(kv, tables)
      const staged = stageGenesis(genesis)
      commit(staged)
      return staged.header
    },
    stage,
    stageInSteps,
    commit,
    onCommit: (listener) => void listeners.push(listener),
    restore(genesis, rules, height, stateRoot) {
      if ((tip ?? 0) > 0) throw new RangeError('a chain with blocks is not restored')
      clearChain(kv, tables, height)
      reopen()
      const { header } = stageGenesis(genesis)
      const restore = beginRestore(
        kv,
        tables,
        { rules, genesis: header, height, stateRoot },
        sha256,
      )
      return {
        apply: restore.apply,
        async finish(building) {
          const last = await restore.finish(building)
          reopen()
          return last
        },
      }
    },
    rollBack() {
      rollbackBlock(tables, sha256)
      writeFact(tables, 'rollbacks', (readFact(tables, 'rollbacks') ?? 0) + 1)
      kv.afterCommit(followRollback)
    },
    verifyState: (position, limit) =>
      tip === undefined ? undefined : verifyFlat(tables, agreement, position, limit),
    confirmAbsent: (absent) => confirmAbsent(tables, reader.flat, absent, tip ?? 0),
    stats: () => ({ trie: trie.stats(), state: latest.stats() }),
  }
}

/** How many times blocks of a chain were rolled back: earlier readers must be reopened. */
export function countRollbacks(kv: Kv): number {
  return readFact(openChainTables(kv), 'rollbacks') ?? 0
}

/**
 * Opens the chain read-only, for instance in a worker thread. Its `proof` throws StateUnavailableError. `absences`
 * collects what its states have no record of.
 */
export function openChainReader(
  kv: Kv,
  options: ChainReaderOptions,
  absences?: Absences,
): ChainReader {
  const { chainId, sha256 = portableSha256 } = options
  const tables = openChainTables(kv)
  let known: { readonly snapshot: number; readonly tip: number | undefined } | undefined

  /** The last block of a held snapshot, read once; undefined if reads do not share one snapshot. */
  function heldTip(): number | undefined {
    const snapshot = kv.snapshot()
    if (snapshot === undefined) return undefined
    if (known?.snapshot !== snapshot) known = { snapshot, tip: readFact(tables, 'tip') }
    return known.tip
  }

  const tipOf = (): number | undefined => heldTip() ?? readFact(tables, 'tip')

  return createStoredReader({
    chainId,
    tables,
    tail: createHistoryTail(tables),
    latest: createReaderState(tables, heldTip, absences?.agreement(tipOf)),
    sha256,
    tip: tipOf,
    refresh: kv.refresh,
    prove: refuseProof,
    roots: refuseProof,
  })
}

function refuseProof(): never {
  throw new StateUnavailableError('proofs are made by the thread that writes the chain')
}
