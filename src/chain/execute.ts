/** Execution of a decided block. It writes nothing: all changes of the block are returned as data. */
import { EMPTY_BYTES } from '../base/bytes.ts'
import { keccak256 } from '../base/keccak.ts'
import { contractAddress } from '../evm/contractAddress.ts'
import { InvalidTransactionError } from '../evm/invalidTransaction.ts'
import { overlay, type Overlay } from '../evm/overlay.ts'
import { revertMessage } from '../evm/revertReason.ts'
import { applyTransaction, type TransitionResult } from '../evm/transition.ts'
import type { TransitionRules } from '../evm/rules.ts'
import type { BlockEnvironment, Engine, StateView } from '../evm/types.ts'
import { beginBlock } from './beginBlock.ts'
import type { BlockHeader } from './block.ts'
import { blockEnvironment, prevRandao, transitionRules } from './blockEnvironment.ts'
import { logsBloom, uniteBlooms } from './bloom.ts'
import {
  CODESPACE,
  RESULT_FAILED,
  RESULT_REFUSED,
  RESULT_SUCCESS,
  type ConsensusResult,
} from './consensusResult.ts'
import type { ChainRules, DecidedBlock, ExecutedBlock } from './executed.ts'
import { decodeEdit, editEffects, type StateEdit } from './development/edit.ts'
import { decoderOf } from './development/unsigned.ts'
import { nextBaseFee } from './fees.ts'
import { HEADER_SIZE } from './headerSize.ts'
import { listRoot } from './listRoot.ts'
import type { DecidedTransaction } from './reader.ts'
import type { Receipt } from './receipt.ts'
import { encodeReceipt } from '../proof/receiptEncoding.ts'
import { rewardAddress } from './rewards.ts'
import { endBlock, inflationOf } from './staking/endBlock.ts'
import { TransactionDecodeError, type Transaction } from './transaction.ts'

function refusal(log: string, gasWanted: bigint): ConsensusResult {
  return {
    code: RESULT_REFUSED,
    codespace: CODESPACE,
    log,
    data: EMPTY_BYTES,
    gasWanted,
    gasUsed: 0n,
  }
}

function resultOf(
  { gasLimit }: Transaction,
  { status, error, output, gasUsed }: TransitionResult,
  encodedReceipt: Uint8Array,
): ConsensusResult {
  const data = keccak256(encodedReceipt)
  const common = { data, gasWanted: gasLimit, gasUsed }
  if (status === 'success') return { code: RESULT_SUCCESS, codespace: '', log: '', ...common }
  const log = status === 'revert' ? revertMessage(output) : error
  return { code: RESULT_FAILED, codespace: CODESPACE, log, ...common }
}

function receiptOf(
  transaction: Transaction,
  result: TransitionResult,
  before: { readonly gasUsed: bigint; readonly logCount: number },
): Receipt {
  const { type, to, sender, nonce } = transaction
  return {
    type,
    status: result.status === 'success' ? 1 : 0,
    gasUsed: result.gasUsed,
    cumulativeGasUsed: before.gasUsed + result.gasUsed,
    effectiveGasPrice: result.effectiveGasPrice,
    contractAddress: to === undefined ? contractAddress(sender, nonce) : undefined,
    logs: result.logs,
    logsBloom: logsBloom(result.logs),
    firstLogIndex: before.logCount,
  }
}

function headerOf(
  rules: ChainRules,
  parent: BlockHeader,
  block: DecidedBlock,
  coinbase: Uint8Array,
  edit: StateEdit | undefined,
): Pick<
  BlockHeader,
  | 'height'
  | 'hash'
  | 'parentHash'
  | 'timeNs'
  | 'proposer'
  | 'coinbase'
  | 'gasLimit'
  | 'baseFeePerGas'
  | 'prevRandao'
> {
  return {
    height: block.height,
    hash: block.hash,
    parentHash: parent.hash,
    timeNs: block.timeNs,
    proposer: block.proposer,
    coinbase: edit?.coinbase ?? coinbase,
    gasLimit: edit?.gasLimit ?? rules.blockGasLimit,
    baseFeePerGas:
      edit?.baseFeePerGas ?? nextBaseFee(parent, block.timeNs - parent.timeNs, rules.minBaseFee),
    prevRandao: edit?.prevRandao ?? prevRandao(parent.hash, block.height),
  }
}

/** The result of a state edit. */
const EDITED: ConsensusResult = {
  code: RESULT_SUCCESS,
  codespace: '',
  log: '',
  data: EMPTY_BYTES,
  gasWanted: 0n,
  gasUsed: 0n,
}

/** The edit at the start of a block of a development chain. */
function editOf(rules: ChainRules, { txs, height }: DecidedBlock): StateEdit | undefined {
  const edit = rules.isDevelopment === true ? decodeEdit(txs[0]) : undefined
  return edit?.height === height ? edit : undefined
}

/** Accumulated results of a block's transactions so far. */
type Progress = {
  readonly transactions: Transaction[]
  readonly receipts: Receipt[]
  /** The same in their EIP-2718 encoding. */
  readonly encodedReceipts: Uint8Array[]
  readonly decided: DecidedTransaction[]
  gasUsed: bigint
  logCount: number
}

/** The context in which a block's transactions run. */
type Stage = {
  readonly engine: Engine
  readonly environment: BlockEnvironment
  readonly transition: TransitionRules
  readonly world: Overlay
}

/** Includes a transaction's results. */
function include(
  { world }: Stage,
  transaction: Transaction,
  result: TransitionResult,
  progress: Progress,
): ConsensusResult {
  world.apply(result.effects)
  const receipt = receiptOf(transaction, result, progress)
  const encodedReceipt = encodeReceipt(receipt)
  progress.transactions.push(transaction)
  progress.receipts.push(receipt)
  progress.encodedReceipts.push(encodedReceipt)
  progress.gasUsed = receipt.cumulativeGasUsed
  progress.logCount += receipt.logs.length
  return resultOf(transaction, result, encodedReceipt)
}

/** Decodes, checks and runs one transaction; a refused one has changed nothing. */
function runRaw(
  stage: Stage,
  raw: Uint8Array,
  decode: (raw: Uint8Array) => Transaction,
  progress: Progress,
): void {
  const { engine, environment, transition, world } = stage
  let gasWanted = 0n
  try {
    const transaction = decode(raw)
    gasWanted = transaction.gasLimit
    if (gasWanted > environment.gasLimit - progress.gasUsed)
      throw new InvalidTransactionError('block-gas-limit', 'gas limit reached')
    const ran = applyTransaction(engine, transaction, environment, world, transition)
    const transactionIndex = progress.transactions.length
    const result = include(stage, transaction, ran, progress)
    progress.decided.push({ raw, result, transactionIndex })
  } catch (error) {
    if (!(error instanceof TransactionDecodeError || error instanceof InvalidTransactionError))
      throw error
    const result = refusal(error.message, gasWanted)
    progress.decided.push({ raw, result, transactionIndex: undefined })
  }
}

export type ExecuteOptions = {
  /**
   * May look up an already decoded transaction, since recovering its sender is the most expensive part of a transfer;
   * by default it decodes. Throws TransactionDecodeError.
   */
  readonly decode?: (raw: Uint8Array) => Transaction
  /** Called between stretches of work; if it returns a promise, execution waits for it, so that other work can run. */
  readonly pause?: () => Promise<void> | undefined
}

/**
 * Runs a decided block on the state after its parent. Never throws because of a transaction's contents: one that cannot
 * be decoded or paid gets code 2 (D7).
 */
export async function executeBlock(
  { engine, rules }: { readonly engine: Engine; readonly rules: ChainRules },
  parent: BlockHeader,
  block: DecidedBlock,
  state: StateView,
  options: ExecuteOptions = {},
): Promise<ExecutedBlock> {
  const { decode = decoderOf(rules), pause } = options
  const edit = editOf(rules, block)
  const header = headerOf(rules, parent, block, rewardAddress(state, block.proposer), edit)
  const world = overlay(state)
  beginBlock(world, rules, parent)
  const environment = blockEnvironment(rules, header, world)
  const stage = { engine, environment, transition: transitionRules(rules), world }
  const progress: Progress = {
    transactions: [],
    receipts: [],
    encodedReceipts: [],
    decided: [],
    gasUsed: 0n,
    logCount: 0,
  }
  if (edit !== undefined) {
    world.apply(editEffects(edit, world))
    progress.decided.push({
      raw: block.txs[0] ?? EMPTY_BYTES,
      result: EDITED,
      transactionIndex: undefined,
    })
  }
  for (const raw of edit === undefined ? block.txs : block.txs.slice(1)) {
    runRaw(stage, raw, decode, progress)
    const pausing = pause?.()
    if (pausing !== undefined) await pausing
  }
  const { staking } = rules
  const income =
    progress.gasUsed * header.baseFeePerGas +
    (staking === undefined ? 0n : inflationOf(staking, block.timeNs - parent.timeNs))
  const end = staking === undefined ? undefined : endBlock(stage, staking, block, income)
  const { transactions, receipts, encodedReceipts, decided } = progress
  const transactionsRoot = listRoot(transactions.map(({ raw }) => raw))
  await pause?.()
  const receiptsRoot = listRoot(encodedReceipts)
  await pause?.()
  return {
    header: {
      ...header,
      transactionsRoot,
      receiptsRoot,
      logsBloom: uniteBlooms(receipts.map((receipt) => receipt.logsBloom)),
      gasUsed: progress.gasUsed,
      size: block.txs.reduce((size, raw) => size + raw.length, HEADER_SIZE),
    },
    transactions,
    receipts,
    decided,
    effects: world.effects(),
    validatorUpdates: end?.updates ?? [],
    systemLogs: end?.logs ?? [],
  }
}
