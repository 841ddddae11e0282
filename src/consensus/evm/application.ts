/** The EVM as an ABCI 2.0 application (D20): any engine drives it, and its answers are the same on every machine. */
import { EMPTY_BYTES, equalBytes } from '../../base/bytes.ts'
import { UserError } from '../../base/errors.ts'
import { keccak256 } from '../../base/keccak.ts'
import { createSlices } from '../../base/slices.ts'
import { VERSION } from '../../base/version.ts'
import type { BlockHeader } from '../../chain/block.ts'
import { CODESPACE, RESULT_REFUSED } from '../../chain/consensusResult.ts'
import { indexedBlock, type AddressIndex } from '../../chain/events/addressIndex.ts'
import { executeBlock } from '../../chain/execute.ts'
import type { ExecutedBlock } from '../../chain/executed.ts'
import { nextBaseFee } from '../../chain/fees.ts'
import type { GenesisState } from '../../chain/genesis.ts'
import { genesisHeader } from '../../chain/genesisHeader.ts'
import type { ChainStore, StagedBlock } from '../../chain/store.ts'
import {
  decodeTransaction,
  TransactionDecodeError,
  type Transaction,
} from '../../chain/transaction.ts'
import type { Engine } from '../../evm/types.ts'
import type { Application, CheckTxResponse, ProposedBlock, QueryResponse } from '../application.ts'
import type { Mempool, PoolUpdate } from '../mempool/mempool.ts'
import { NO_SNAPSHOTS } from '../noSnapshots.ts'
import { PoolRejection } from '../pool.ts'
import type { StateSync } from '../stateSync/stateSync.ts'
import { finalizeResponse } from './results.ts'

/** Version of the application's rules, in every header. genesis.json must name the same one. */
export const APP_VERSION = 1n

const CODE_UNKNOWN_PATH = 6

export type EvmApplication = Application & {
  /** What the last commit means for the pool. To be asked once the commit is on disk. */
  lastUpdate(): PoolUpdate
}

export type EvmApplicationOptions = {
  readonly chainId: string
  readonly genesis: GenesisState
  /** SHA-256 of genesis.json: the hash of block 0 (D44). */
  readonly genesisHash: Uint8Array
  readonly store: ChainStore
  readonly addresses: Pick<AddressIndex, 'write' | 'remove'>
  readonly evm: Engine
  readonly pool: Mempool
  /** Without it the application has no snapshots, and takes none. */
  readonly stateSync?: StateSync | undefined
}

/** What a block changed and refused, as the pool wants to know it. */
function updateOf({ effects, decided }: ExecutedBlock): PoolUpdate {
  const refused = decided.filter(({ transactionIndex }) => transactionIndex === undefined)
  return { touched: effects.keys(), refused: refused.map(({ raw }) => keccak256(raw)) }
}

/** Gas that transactions may use together, or undefined when one of them cannot be decoded. */
function gasWanted(
  txs: readonly Uint8Array[],
  decode: (raw: Uint8Array) => Transaction,
): bigint | undefined {
  let sum = 0n
  for (const raw of txs) {
    try {
      sum += decode(raw).gasLimit
    } catch (error) {
      if (error instanceof TransactionDecodeError) return undefined
      throw error
    }
  }
  return sum
}

function unknownPath(path: string, height: number): QueryResponse {
  return {
    code: CODE_UNKNOWN_PATH,
    log: `unknown query path ${JSON.stringify(path)}: state is read by the Ethereum JSON-RPC`,
    info: '',
    index: 0n,
    key: EMPTY_BYTES,
    value: EMPTY_BYTES,
    height,
    codespace: CODESPACE,
  }
}

/**
 * The application over a chain's store. Throws UserError when that began with another genesis. Genesis is written by `initChain`; it is the same each time, so a repeated call
 * after a crash finds it and goes on. Blocks are written in `commit` alone.
 */
export function createEvmApplication(options: EvmApplicationOptions): EvmApplication {
  const { chainId, genesis, genesisHash, store, addresses, evm, pool, stateSync } = options
  const { chainName, rules } = genesis
  const { reader } = store
  let executed: { readonly block: ExecutedBlock; readonly staged: StagedBlock } | undefined
  let update: PoolUpdate = { touched: [], refused: [] }

  // The pool decoded most of them before, by the same rules.
  const decode = (raw: Uint8Array): Transaction =>
    pool.known(raw) ?? decodeTransaction(raw, rules.chainId)

  const first = store.genesis()
  if (first !== undefined && !equalBytes(first.hash, genesisHash))
    throw new UserError(
      'genesis.json is not the one that this data folder was made from',
      'Put the original genesis.json back, or start with a new home.',
    )

  const lastHeight = () => (store.isEmpty() ? 0 : reader.latestHeight())

  function lastHeader(): BlockHeader {
    const header = reader.header(lastHeight())
    if (header === undefined) throw new RangeError('the chain has no genesis yet')
    return header
  }

  async function execute(block: ProposedBlock): Promise<StagedBlock> {
    const decided = {
      height: block.height,
      hash: block.hash,
      timeNs: block.time,
      proposer: block.proposerAddress,
      txs: block.txs,
    }
    // Requests are served between stretches of a large block, and before its root is computed.
    const slices = createSlices()
    const result = await executeBlock(evm, rules, lastHeader(), decided, store.latest(), {
      decode,
      pause: () => (slices.isOver() ? slices.next() : undefined),
    })
    if (result.decided.length > 0) await slices.next()
    const staged = store.stage(result)
    executed = { block: result, staged }
    return staged
  }

  async function takeIntoPool(tx: Uint8Array): Promise<CheckTxResponse> {
    const answer = { codespace: '', log: '', data: EMPTY_BYTES, gasUsed: 0n }
    try {
      if (stateSync?.isRestoring() === true)
        throw new PoolRejection('the node is restoring a snapshot: it has no state yet')
      const { gasLimit } = await pool.add(tx)
      return { ...answer, code: 0, gasWanted: gasLimit }
    } catch (error) {
      if (!(error instanceof PoolRejection)) throw error
      const { message: log } = error
      return { ...answer, code: RESULT_REFUSED, codespace: CODESPACE, log, gasWanted: 0n }
    }
  }

  return {
    ...(stateSync ?? NO_SNAPSHOTS),
    info() {
      const height = lastHeight()
      return {
        data: 'assay',
        version: VERSION,
        appVersion: APP_VERSION,
        lastBlockHeight: height,
        lastBlockAppHash: height === 0 ? EMPTY_BYTES : lastHeader().stateRoot,
      }
    },

    initChain(request) {
      if (request.chainId !== chainId || request.initialHeight !== 1)
        throw new UserError(
          `genesis.json: expected chain_id ${chainId} and initial_height 1`,
          'This chain starts at height 1; use the genesis.json that the node was started with.',
        )
      const header = store.isEmpty()
        ? store.initialise({
            header: genesisHeader(rules, { hash: genesisHash, timeNs: request.time }),
            effects: genesis.alloc,
          })
        : lastHeader()
      return { validators: [], appHash: header.stateRoot }
    },

    async checkTx(tx, recheck) {
      if (!recheck) return await takeIntoPool(tx)
      // The pool follows each block by itself: what is still there is still good.
      const transaction = pool.get(keccak256(tx))
      return {
        code: transaction === undefined ? RESULT_REFUSED : 0,
        codespace: transaction === undefined ? CODESPACE : '',
        log: transaction === undefined ? 'not in the pool any more' : '',
        data: EMPTY_BYTES,
        gasWanted: transaction?.gasLimit ?? 0n,
        gasUsed: 0n,
      }
    },

    async prepareProposal({ time, maxTxBytes }) {
      const parent = lastHeader()
      const baseFee = nextBaseFee(parent, time - parent.timeNs, rules.minBaseFee)
      return pool.select(baseFee, maxTxBytes)
    },

    // Nonces and balances are left to execution, which gives code 2 to what does not fit (D7).
    async processProposal({ txs }) {
      const gas = gasWanted(txs, decode)
      return gas !== undefined && gas <= rules.blockGasLimit ? 'accept' : 'reject'
    },

    async finalizeBlock(block) {
      const { header, block: result } = await execute(block)
      return finalizeResponse(chainName, { ...result, stateRoot: header.stateRoot })
    },

    commit() {
      if (executed === undefined) throw new RangeError('commit without a finalized block')
      const retainHeight = store.retainHeight()
      for (let height = Math.max(1, reader.earliestHeight()); height < retainHeight; height++)
        addresses.remove(height, indexedBlock(reader, height))
      addresses.write(executed.staged.header.height, executed.block)
      store.commit(executed.staged)
      update = updateOf(executed.block)
      executed = undefined
      return { retainHeight }
    },

    query: ({ path }) => unknownPath(path, lastHeight()),

    lastUpdate: () => update,
  }
}
