/** ConsensusReader over the engine's store; transactions and results come from the application's side. */
import type { FinalizeBlockResponse } from '../application.ts'
import type { ConsensusReader } from '../engine.ts'
import type { Genesis } from '../files/genesis.ts'
import type { BlockStore } from './blockStore.ts'
import type { EngineState } from './state.ts'

/** What the application's store knows about decided blocks, so that nothing is stored twice. */
export type BlockSource = {
  /** The decided transactions of a committed height, in order. */
  transactions(height: number): readonly Uint8Array[]
  /** The FinalizeBlock response for a committed height. */
  results(height: number): FinalizeBlockResponse | undefined
  /** By SHA-256 of the transaction. */
  findTransaction(hash: Uint8Array): { readonly height: number; readonly index: number } | undefined
}

/** The reader. `state` returns the latest state, `node` and `validator` are what status shows. */
export function createReader(options: {
  readonly genesis: Genesis
  readonly genesisText: string
  readonly store: BlockStore
  readonly source: BlockSource
  readonly state: () => EngineState
  readonly node: ConsensusReader['node']
  readonly validator: ConsensusReader['validator']
}): ConsensusReader {
  const { genesis, genesisText, store, source, state, node, validator } = options
  const { initialHeight } = genesis
  // Until the first block, the state's height is the one before the initial height, and nothing is stored.
  const height = () => (state().height < initialHeight ? 0 : state().height)
  const earliest = () => Math.max(initialHeight, store.base() ?? 0)
  const isKept = (at: number) => at >= earliest() && at <= state().height
  return {
    chainId: genesis.chainId,
    genesisJson: () => genesisText,
    height,
    earliestHeight: () => (height() === 0 ? 0 : earliest()),
    block(at) {
      const record = isKept(at) ? store.block(at) : undefined
      if (record === undefined) return undefined
      const { header, lastCommit, blockId, size } = record
      return { block: { header, txs: source.transactions(at), lastCommit }, blockId, size }
    },
    heightOfBlock: (hash) => store.heightOfBlock(hash),
    commit(at) {
      if (!isKept(at)) return undefined
      if (at === state().height) {
        const commit = store.seenCommit()
        return commit && { commit, canonical: false }
      }
      const next = store.block(at + 1)
      return next && { commit: next.lastCommit, canonical: true }
    },
    validators(at) {
      const last = state().height + 1
      if (at < earliest() || at > last) return undefined
      return at === last ? state().validators : store.validators(at)
    },
    consensusParams(at) {
      const last = state().height + 1
      if (at < earliest() || at > last) return undefined
      return at === last ? state().params : store.params(at)
    },
    results: (at) => (isKept(at) ? source.results(at) : undefined),
    findTransaction: (hash) => source.findTransaction(hash),
    appHash: () => state().appHash,
    validator,
    node,
  }
}
