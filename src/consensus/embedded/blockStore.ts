/**
 * What the engine stores on disk. Headers and commits only: transactions and results belong to the application, which
 * stores them already (BlockSource).
 */
import { concatBytes, utf8 } from '../../base/bytes.ts'
import { heightKey, readHeight } from '../../ledger/blocks/heightKey.ts'
import { decodeBlockId, encodeBlockId } from '../../proof/comet/blockId.ts'
import { decodeCommit, encodeCommit } from '../../proof/comet/commit.ts'
import { decodeHeader, encodeHeader } from '../../proof/comet/header.ts'
import { messageField, parseMessage, varintField } from '../../proof/comet/protobuf.ts'
import type { BlockId, Commit, Header, Validator } from '../../proof/comet/types.ts'
import type { Kv } from '../../store/kv.ts'
import type { ConsensusParams } from '../application.ts'
import type { EngineState } from './state.ts'
import {
  decodeParams,
  decodeState,
  decodeValidators,
  encodeParams,
  encodeState,
  encodeValidators,
} from './stateRecord.ts'

/** A block without its transactions. */
export type BlockRecord = {
  readonly header: Header
  readonly lastCommit: Commit
  readonly blockId: BlockId
  readonly size: number
}

/** A block that was decided and signed, and whose execution was rolled back: the next start executes it again. */
export type PendingBlock = { readonly txs: readonly Uint8Array[]; readonly commit: Commit }

export type BlockStore = {
  state(): EngineState | undefined
  /** The commit of the last block by which it was decided here. */
  seenCommit(): Commit | undefined
  /** The block after the last one, when it was rolled back. */
  pending(): PendingBlock | undefined
  /** Transactions of the proposal for this height that a remote signer was asked to sign (D98). */
  proposed(height: number): readonly Uint8Array[] | undefined
  /** Remembers them. Inside `kv.write`. */
  propose(height: number, txs: readonly Uint8Array[]): void
  block(height: number): BlockRecord | undefined
  heightOfBlock(hash: Uint8Array): number | undefined
  /** Lowest block that is kept; undefined until blocks are pruned. */
  base(): number | undefined
  /** Removes the blocks below a height. Inside `kv.write`. */
  prune(retainHeight: number): void
  validators(height: number): readonly Validator[] | undefined
  params(height: number): ConsensusParams | undefined
  /** Writes the index of the blocks first…last. Inside `kv.write`. */
  indexBlocks(first: number, last: number): void
  /** Copies everything into another store and rebuilds the index. */
  copyTo(target: Kv): void
  /** Rolls back to the state before the last block, which becomes the pending one. Inside `kv.write`. */
  rollback(before: EngineState, last: PendingBlock): void
  /** Rolls back to the state before the last block, which is discarded (D56). Inside `kv.write`. */
  dropLast(before: EngineState): void
  /**
   * Writes a block and the state after it; it is no longer pending. Call inside `kv.write`. `before` is the state that
   * the block was made from.
   */
  put(block: BlockRecord, seenCommit: Commit, before: EngineState, after: EngineState): void
}

/** The engine's tables in the chain's store: by height, by hash, and everything else. */
export const ENGINE_TABLES = {
  blocks: 'consensus-blocks',
  hashes: 'consensus-hashes',
  values: 'consensus-values',
} as const

const HASH_SIZE = 32
const STATE = utf8('state')
const BASE = utf8('base')
const PENDING = utf8('pending')
const SEEN_COMMIT = utf8('seen-commit')
const PROPOSED = utf8('proposed')
const VALIDATORS = 'v'
const PARAMS = 'p'

const prefixedKey = (prefix: string, height: number) => concatBytes(utf8(prefix), heightKey(height))

function encodePending({ txs, commit }: PendingBlock): Uint8Array {
  return concatBytes(messageField(1, encodeCommit(commit)), ...txs.map((tx) => messageField(2, tx)))
}

function decodePending(bytes: Uint8Array): PendingBlock {
  const message = parseMessage(bytes)
  return { commit: decodeCommit(message.message(1)), txs: message.all(2) }
}

function encodeRecord(record: BlockRecord): Uint8Array {
  return concatBytes(
    messageField(1, encodeHeader(record.header)),
    messageField(2, encodeCommit(record.lastCommit)),
    messageField(3, encodeBlockId(record.blockId)),
    varintField(4, record.size),
  )
}

function decodeRecord(bytes: Uint8Array): BlockRecord {
  const message = parseMessage(bytes)
  return {
    header: decodeHeader(message.message(1)),
    lastCommit: decodeCommit(message.message(2)),
    blockId: decodeBlockId(message.message(3)),
    size: message.number(4),
  }
}

/** Opens the engine's tables in the chain's store. */
export function openBlockStore(kv: Kv): BlockStore {
  const blocks = kv.table(ENGINE_TABLES.blocks)
  const hashes = kv.table(ENGINE_TABLES.hashes)
  const values = kv.table(ENGINE_TABLES.values)

  // Sets and parameters are written at the height from which they apply, and found by the last change before a height.
  const lastChange = (prefix: string, height: number): Uint8Array | undefined => {
    const start = prefixedKey(prefix, height)
    for (const { key, value } of values.range({ start, reverse: true, limit: 1 }))
      return key[0] === start[0] && key.length === start.length ? value : undefined
    return undefined
  }

  function dropLast(before: EngineState): void {
    const height = before.height + 1
    const record = blocks.get(heightKey(height))
    if (record === undefined) throw new RangeError('the last block is not stored')
    const { lastCommit, blockId } = decodeRecord(record)
    blocks.remove(heightKey(height))
    hashes.remove(blockId.hash)
    values.remove(prefixedKey(VALIDATORS, height + 2))
    values.remove(prefixedKey(PARAMS, height + 1))
    values.put(SEEN_COMMIT, encodeCommit(lastCommit))
    values.put(STATE, encodeState(before))
  }

  const base = (): number | undefined => {
    const bytes = values.get(BASE)
    return bytes && readHeight(bytes)
  }

  return {
    state() {
      const bytes = values.get(STATE)
      return bytes && decodeState(bytes)
    },
    seenCommit() {
      const bytes = values.get(SEEN_COMMIT)
      return bytes && decodeCommit(parseMessage(bytes))
    },
    pending() {
      const bytes = values.get(PENDING)
      return bytes && decodePending(bytes)
    },
    proposed(height) {
      const bytes = values.get(PROPOSED)
      const message = bytes && parseMessage(bytes)
      return message?.number(1) === height ? message.all(2) : undefined
    },
    propose(height, txs) {
      const record = [varintField(1, height), ...txs.map((tx) => messageField(2, tx))]
      values.put(PROPOSED, concatBytes(...record))
    },
    block(height) {
      const bytes = blocks.get(heightKey(height))
      return bytes && decodeRecord(bytes)
    },
    heightOfBlock(hash) {
      // Callers pass on whatever they received; an empty key would be an error of the store.
      if (hash.length !== HASH_SIZE) return undefined
      const bytes = hashes.get(hash)
      return bytes && readHeight(bytes)
    },
    base,
    prune(retainHeight) {
      for (const { key, value } of Array.from(blocks.range({ end: heightKey(retainHeight) }))) {
        hashes.remove(decodeRecord(value).blockId.hash)
        blocks.remove(key)
      }
      if (retainHeight > (base() ?? 0)) values.put(BASE, heightKey(retainHeight))
    },
    validators(height) {
      const bytes = lastChange(VALIDATORS, height)
      return bytes && decodeValidators(bytes)
    },
    params(height) {
      const bytes = lastChange(PARAMS, height)
      return bytes && decodeParams(parseMessage(bytes))
    },
    indexBlocks(first, last) {
      const range = { start: heightKey(first), end: heightKey(last + 1) }
      for (const { key, value } of Array.from(blocks.range(range)))
        hashes.put(decodeRecord(value).blockId.hash, key)
    },
    copyTo(target) {
      const newBlocks = target.table(ENGINE_TABLES.blocks)
      const newHashes = target.table(ENGINE_TABLES.hashes)
      const newValues = target.table(ENGINE_TABLES.values)
      target.write(() => {
        for (const { key, value } of values.range({})) newValues.put(key, value)
        for (const { key, value } of blocks.range({})) {
          newBlocks.put(key, value)
          newHashes.put(decodeRecord(value).blockId.hash, key)
        }
      })
    },
    rollback(before, last) {
      dropLast(before)
      values.put(PENDING, encodePending(last))
    },
    dropLast,
    put(block, seenCommit, before, after) {
      const { height } = block.header
      const isFirst = values.get(STATE) === undefined
      if (isFirst) {
        values.put(prefixedKey(VALIDATORS, height), encodeValidators(before.validators))
        values.put(prefixedKey(PARAMS, height), encodeParams(before.params))
      }
      if (after.nextValidators !== after.validators)
        values.put(prefixedKey(VALIDATORS, height + 2), encodeValidators(after.nextValidators))
      if (after.params !== before.params)
        values.put(prefixedKey(PARAMS, height + 1), encodeParams(after.params))
      blocks.put(heightKey(height), encodeRecord(block))
      hashes.put(block.blockId.hash, heightKey(height))
      values.put(SEEN_COMMIT, encodeCommit(seenCommit))
      values.put(STATE, encodeState(after))
      values.remove(PENDING)
      values.remove(PROPOSED)
    },
  }
}
