/**
 * The EVM as an ABCI 2.0 application (D20): any engine can drive it, and its responses are the same on every machine.
 */
import { EMPTY_BYTES, equalBytes } from '../../base/bytes.ts'
import { UserError } from '../../base/errors.ts'
import { toHexDigits } from '../../base/hex.ts'
import { keccak256 } from '../../base/keccak.ts'
import { createSlices, type Slices } from '../../base/slices.ts'
import { runInSlices } from '../../base/steps.ts'
import { VERSION } from '../../base/version.ts'
import type { BlockHeader } from '../../chain/block.ts'
import { CODESPACE, RESULT_REFUSED } from '../../chain/consensusResult.ts'
import { indexedBlock, type AddressIndex } from '../../ledger/events/addressIndex.ts'
import { decodeEdit } from '../../chain/development/edit.ts'
import { decoderOf } from '../../chain/development/unsigned.ts'
import { executeBlock } from '../../chain/execute.ts'
import type { ExecutedBlock } from '../../chain/executed.ts'
import { nextBaseFee } from '../../chain/fees.ts'
import type { GenesisState } from '../../chain/genesis.ts'
import { genesisHeader } from '../../chain/genesisHeader.ts'
import type { ChainStore, StagedBlock } from '../../ledger/store.ts'
import { TransactionDecodeError, type Transaction } from '../../chain/transaction.ts'
import type { Engine } from '../../evm/types.ts'
import type { TimeBound } from '../clock/timeBound.ts'
import type { Application, CheckTxResponse, CommitInfo, QueryResponse } from '../application.ts'
import type { Mempool, PoolUpdate } from '../mempool/types.ts'
import { NO_SNAPSHOTS } from '../noSnapshots.ts'
import { PoolRejection } from '../pool.ts'
import type { StateSync } from '../stateSync/stateSync.ts'
import { createExecutions, withHash, type ExecutableBlock } from './executions.ts'
import { finalizeResponse } from './results.ts'
import { checkStake } from './stake.ts'

/** Version of the application's rules, in every header. genesis.json must name the same one. */
export const APP_VERSION = 1n

const CODE_UNKNOWN_PATH = 6

/** BlockIDFlag of a validator whose vote for the last block is missing. */
const ABSENT = 1

export type EvmApplication = Application & {
  /**
   * Takes a transaction into the pool. The response's code is 0 for one that is pooled, which it may have been before.
   * One from a client of this node is kept over a restart.
   */
  takeTx(tx: Uint8Array, isFromClient?: boolean): Promise<CheckTxResponse>
  /**
   * CometBFT's CheckTx, which is the same for a dry run and for its pool: the transaction is held back until CometBFT
   * shows that it has it, by checking it again after a block or by offering it for a proposal (D21a).
   */
  holdTx(tx: Uint8Array): Promise<CheckTxResponse>
  /** What the last commit changes for the pool. To be called once the commit is on disk. */
  lastUpdate(): PoolUpdate
  /** Rolls back the last block, which has this height, inside a write transaction (D56). Throws UserError. */
  rollBack(height: number): void
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
  /** Without it the application neither serves nor restores snapshots. */
  readonly stateSync?: StateSync | undefined
  /** How execution yields to other work; by the clock by default. */
  readonly startSlices?: (() => Slices) | undefined
  /** Whether this node proposes and accepts what exists only on development chains (D56). */
  readonly isDevelopment?: boolean
  /** Which times of proposed blocks are acceptable (D95); all of them by default. */
  readonly isTimely?: TimeBound | undefined
  /** Called with each block that is decided: its height, and the commit of the block before. Must not throw. */
  readonly onDecided?: ((height: number, lastCommit: CommitInfo) => void) | undefined
}

/** The changes and refusals of a block, in the form that the pool needs. */
function updateOf({ effects, decided }: ExecutedBlock): PoolUpdate {
  const refused = decided.filter(({ transactionIndex }) => transactionIndex === undefined)
  return { touched: effects.keys(), refused: refused.map(({ raw }) => keccak256(raw)) }
}

function accepted({ gasLimit }: Transaction): CheckTxResponse {
  return { code: 0, codespace: '', log: '', data: EMPTY_BYTES, gasWanted: gasLimit, gasUsed: 0n }
}

function refused(log: string): CheckTxResponse {
  const answer = { data: EMPTY_BYTES, gasWanted: 0n, gasUsed: 0n }
  return { ...answer, code: RESULT_REFUSED, codespace: CODESPACE, log }
}

/** Total gas limit of the transactions, or undefined when one of them cannot be decoded. */
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
    log: `unknown query path ${JSON.stringify(path)}: use the Ethereum JSON-RPC to read state`,
    info: '',
    index: 0n,
    key: EMPTY_BYTES,
    value: EMPTY_BYTES,
    height,
    codespace: CODESPACE,
  }
}

/**
 * The application over a chain's store. Throws UserError when the store was created from another genesis. `initChain`
 * writes genesis; it is idempotent, so a repeated call after a crash finds it and continues. Blocks are written only in
 * `commit`.
 */
export function createEvmApplication(options: EvmApplicationOptions): EvmApplication {
  const { chainId, genesis, genesisHash, store, addresses, evm, pool, stateSync } = options
  const { startSlices = createSlices } = options
  const { chainName, rules } = genesis
  const { reader } = store
  const executions = createExecutions()
  /** The decided block, between FinalizeBlock and Commit. */
  let finalized: StagedBlock | undefined
  let update: PoolUpdate = { touched: [], refused: [] }

  // The pool has already decoded most of them, by the same rules.
  const decodeAny = decoderOf(rules)
  const decodeProposable =
    options.isDevelopment === true ? decodeAny : decoderOf({ ...rules, isDevelopment: false })
  const decodeBy = (decoder: (raw: Uint8Array) => Transaction) => (raw: Uint8Array) =>
    pool.known(raw) ?? pool.get(keccak256(raw)) ?? decoder(raw)
  const decode = decodeBy(decodeAny)
  const decodeProposed = decodeBy(decodeProposable)

  /** The transactions of a proposal. Those that exist only on development chains are invalid elsewhere. */
  const proposable = (txs: readonly Uint8Array[]): readonly Uint8Array[] =>
    options.isDevelopment === true && decodeEdit(txs[0]) !== undefined ? txs.slice(1) : txs

  const first = store.genesis()
  if (first !== undefined && !equalBytes(first.hash, genesisHash))
    throw new UserError(
      'genesis.json is not the one that this data folder was created from',
      'Restore the original genesis.json, or start with a new home folder.',
    )

  const lastHeight = () => (store.isEmpty() ? 0 : reader.latestHeight())

  function lastHeader(): BlockHeader {
    const header = reader.header(lastHeight())
    if (header === undefined) throw new RangeError('the chain has no genesis yet')
    return header
  }

  /** Executes a block on top of the last one, unless that was done already. Its hash does not matter yet. */
  async function execute(block: ExecutableBlock): Promise<StagedBlock> {
    const known = executions.find(block)
    if (known !== undefined) return known
    const decided = {
      height: block.height,
      hash: EMPTY_BYTES,
      timeNs: block.time,
      proposer: block.proposerAddress,
      txs: block.txs,
      absent: block.decidedLastCommit.votes
        .filter(({ blockIdFlag }) => blockIdFlag === ABSENT)
        .map(({ validatorAddress }) => validatorAddress),
      doubleSigns: block.misbehavior.map(({ validatorAddress, height, time }) => ({
        validator: validatorAddress,
        height,
        timeNs: time,
      })),
    }
    // Requests are served between slices of a large block.
    const slices = startSlices()
    const result = await executeBlock(
      { engine: evm, rules },
      lastHeader(),
      decided,
      store.latest(),
      {
        decode,
        pause: () => (slices.isOver() ? slices.next() : undefined),
      },
    )
    const staged = await runInSlices(store.stageInSteps(result), slices)
    executions.keep(block, staged)
    if (result.decided.length > 0) await slices.next()
    return staged
  }

  /** The response for a transaction that `action` accepts or refuses. One that is pooled is good as it is. */
  async function responseOf(
    tx: Uint8Array,
    action: (raw: Uint8Array) => Promise<Transaction>,
  ): Promise<CheckTxResponse> {
    const hash = keccak256(tx)
    const known = pool.get(hash)
    if (known !== undefined) {
      if (action === pool.learn || action === pool.add) pool.claim(hash)
      return accepted(known)
    }
    try {
      if (stateSync?.isRestoring() === true)
        throw new PoolRejection('the node is restoring a snapshot: it has no state yet')
      return accepted(await action(tx))
    } catch (error) {
      if (!(error instanceof PoolRejection)) throw error
      return refused(error.message)
    }
  }

  const takeTx = (tx: Uint8Array, isFromClient = false): Promise<CheckTxResponse> =>
    responseOf(tx, isFromClient ? pool.add : pool.learn)

  /** Offers the pool transactions that other nodes know; the pool decides whether to take them. */
  async function learn(txs: readonly Uint8Array[]): Promise<void> {
    await Promise.all(txs.map((tx) => takeTx(tx)))
  }

  /** Drops the first refused transaction of each sender; the later ones may still be valid. */
  function dropRefused({ block }: StagedBlock): void {
    const senders = new Set<string>()
    const hashes: Uint8Array[] = []
    for (const { raw, transactionIndex } of block.decided) {
      if (transactionIndex !== undefined) continue
      const { hash, sender } = decode(raw)
      const key = toHexDigits(sender)
      if (!senders.has(key)) hashes.push(hash)
      senders.add(key)
    }
    pool.update({ touched: [], refused: hashes })
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
      checkStake(genesis.staking, request)
      const header = store.isEmpty()
        ? store.initialise({
            header: genesisHeader(rules, { hash: genesisHash, timeNs: request.time }),
            effects: genesis.alloc,
          })
        : lastHeader()
      return { validators: [], appHash: header.stateRoot }
    },

    // A dry run. The pool updates itself after each block: what is still there is still valid.
    checkTx: (tx) => responseOf(tx, pool.check),
    takeTx,
    holdTx: (tx) => responseOf(tx, pool.hold),

    async prepareProposal({ maxTxBytes, txs, localLastCommit, ...proposal }) {
      const { time } = proposal
      await learn(txs)
      const parent = lastHeader()
      const baseFee = nextBaseFee(parent, time - parent.timeNs, rules.minBaseFee)
      const selected = pool.select(baseFee, maxTxBytes)
      // The votes for the last block that this node saw are those that its own block will report.
      const staged = await execute({
        ...proposal,
        txs: selected,
        decidedLastCommit: localLastCommit,
      })
      const { decided } = staged.block
      const included = decided.filter(({ transactionIndex }) => transactionIndex !== undefined)
      if (included.length === decided.length) return selected
      dropRefused(staged)
      return included.map(({ raw }) => raw)
    },

    async processProposal(block) {
      if (block.height !== lastHeight() + 1) return 'reject'
      if (options.isTimely?.(block.time, lastHeader().timeNs) === false) return 'reject'
      const gas = gasWanted(proposable(block.txs), decodeProposed)
      if (gas === undefined || gas > rules.blockGasLimit) return 'reject'
      // An edit may remove the balance that pays for a transaction: then it is refused in its place (D7).
      if (options.isDevelopment === true) return 'accept'
      const { decided } = (await execute(block)).block
      return decided.every(({ transactionIndex }) => transactionIndex !== undefined)
        ? 'accept'
        : 'reject'
    },

    async finalizeBlock(block) {
      finalized = withHash(await execute(block), block.hash)
      options.onDecided?.(block.height, block.decidedLastCommit)
      // Turning the results into a response is one slice.
      if (block.txs.length > 0) await startSlices().next()
      const { stateRoot } = finalized.header
      return finalizeResponse(chainName, { ...finalized.block, stateRoot })
    },

    commit() {
      if (finalized === undefined) throw new RangeError('commit without a finalized block')
      const retainHeight = store.retainHeight()
      for (let height = Math.max(1, reader.earliestHeight()); height < retainHeight; height++)
        addresses.remove(height, indexedBlock(reader, height))
      addresses.write(finalized.header.height, finalized.block)
      store.commit(finalized)
      update = updateOf(finalized.block)
      finalized = undefined
      executions.clear()
      return { retainHeight }
    },

    rollBack(height) {
      addresses.remove(height, indexedBlock(reader, height))
      store.rollBack()
      executions.clear()
    },

    query: ({ path }) => unknownPath(path, lastHeight()),

    lastUpdate: () => update,
  }
}
