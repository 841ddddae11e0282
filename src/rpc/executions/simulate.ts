/** eth_simulateV1: blocks of calls that build on each other, on top of a stored block. */
import { toHex } from '../../base/hex.ts'
import { toQuantity } from '../../base/quantity.ts'
import type { BlockHeader } from '../../chain/block.ts'
import { beginBlock } from '../../chain/beginBlock.ts'
import { blockEnvironment } from '../../chain/blockEnvironment.ts'
import { logsBloom, uniteBlooms } from '../../chain/bloom.ts'
import { transactionOf } from '../../chain/callTransaction.ts'
import { listRoot } from '../../chain/listRoot.ts'
import type { Receipt } from '../../chain/receipt.ts'
import { encodeReceipt } from '../../proof/receiptEncoding.ts'
import { withoutSignature } from '../../chain/signTransaction.ts'
import type { Transaction } from '../../chain/transaction.ts'
import { gasCapOf } from '../../evm/gas.ts'
import { overlay, type Overlay } from '../../evm/overlay.ts'
import { revertMessage } from '../../evm/revertReason.ts'
import type { TracedEngine } from '../../evm/tracers/engine.ts'
import type { TransitionResult } from '../../evm/transition.ts'
import type { Log } from '../../evm/types.ts'
import { RpcError } from '../../wire/errors.ts'
import type { BlockProfile } from '../../wire/method.ts'
import { callFields, type GivenCall } from '../parameters/callObject.ts'
import { encodeBlock } from '../encode/block.ts'
import { overrideBlock, overrideEffects } from '../parameters/overrides.ts'
import type { SimulatePayload } from '../parameters/simulatePayload.ts'
import { encodeSimulatedLogs } from './encodeSimulated.ts'
import { simulateOne } from './simulateCall.ts'
import { completeSequence, openHeader, sealHeader } from './simulatedHeader.ts'
import type { ExecutionWorld } from './world.ts'

type Simulation = {
  readonly world: ExecutionWorld
  readonly engine: TracedEngine
  readonly state: Overlay
  readonly payload: SimulatePayload
  /** Remaining gas for the request. */
  gas: bigint
}

type Call = {
  readonly transaction: Transaction
  readonly receipt: Receipt
  /** What the answer shows: with `traceTransfers` also logs that no receipt has. */
  readonly logs: readonly Log[]
  /** The index of the first of them in the block. */
  readonly firstLogIndex: number
  /** Whether the call would have got more gas, but for the cap of the node. */
  readonly isCapped: boolean
  readonly outcome: TransitionResult
}

function gasOf(
  call: GivenCall,
  header: BlockHeader,
  cap: bigint | undefined,
  used: bigint,
  left: bigint,
): { readonly gasLimit: bigint; readonly isCapped: boolean } {
  const room = header.gasLimit - used
  const usual = cap !== undefined && cap < room ? cap : room
  const asked = call.gas ?? call.gasLimit ?? usual
  if (asked > room)
    throw new RpcError(
      'blockGasLimit',
      `block gas limit reached: remaining: ${room}, required: ${asked}`,
    )
  return { gasLimit: asked < left ? asked : left, isCapped: left < asked }
}

function runCalls(
  simulation: Simulation,
  header: BlockHeader,
  block: SimulatePayload['blockStateCalls'][number],
): readonly Call[] {
  const { world, engine, state, payload } = simulation
  const { chainId } = world.rules
  const environment = overrideBlock(
    blockEnvironment(world.rules, header, state),
    block.blockOverrides,
    block.stateOverrides,
  )
  const place = { block: environment, state, rules: world.rules }
  const calls: Call[] = []
  let used = 0n
  let logCount = 0
  let shownCount = 0
  for (const given of block.calls) {
    const fields = callFields(given, chainId)
    const { gasLimit, isCapped } = gasOf(given, header, gasCapOf(environment), used, simulation.gas)
    const model = transactionOf(fields, state, gasLimit)
    const transactable = { ...model, nonce: fields.nonce ?? model.nonce }
    const { outcome, logs } = simulateOne(engine, transactable, place, payload)
    state.apply(outcome.effects)
    used += outcome.gasUsed
    simulation.gas -= outcome.gasUsed
    calls.push({
      transaction: withoutSignature({ ...transactable, type: 2, chainId }, transactable.sender),
      outcome,
      logs,
      firstLogIndex: shownCount,
      isCapped,
      receipt: {
        type: 2,
        status: outcome.status === 'success' ? 1 : 0,
        gasUsed: outcome.gasUsed,
        cumulativeGasUsed: used,
        effectiveGasPrice: outcome.effectiveGasPrice,
        contractAddress: outcome.createdAddress,
        logs: outcome.logs,
        logsBloom: logsBloom(outcome.logs),
        firstLogIndex: logCount,
      },
    })
    logCount += outcome.logs.length
    shownCount += logs.length
  }
  return calls
}

const CAPPED = " (gas limit was capped by the RPC server's global gas cap)"

function encodeError({ status, output, error }: TransitionResult, isCapped: boolean): object {
  if (status === 'success') return {}
  if (status === 'halt')
    return { error: { code: -32015, message: `${error}${isCapped ? CAPPED : ''}` } }
  return { error: { code: 3, message: revertMessage(output), data: toHex(output) } }
}

function encodeCall(
  header: BlockHeader,
  { transaction, receipt, outcome, logs, firstLogIndex, isCapped }: Call,
  index: number,
): object {
  const { gasUsed, gasRefund, status, output } = outcome
  return {
    returnData: status === 'success' ? toHex(output) : '0x',
    logs: encodeSimulatedLogs(header, { hash: transaction.hash, index }, { logs, firstLogIndex }),
    gasUsed: toQuantity(gasUsed),
    maxUsedGas: toQuantity(gasUsed + gasRefund),
    status: toQuantity(receipt.status),
    ...encodeError(outcome, isCapped),
  }
}

/** The simulated blocks in wire form. Throws RpcError for what is invalid, and StateUnavailableError. */
export function simulate(
  world: ExecutionWorld,
  input: {
    readonly payload: SimulatePayload
    readonly height: number
    readonly profile: BlockProfile
  },
): readonly object[] {
  const { payload, height, profile } = input
  const base = world.chain.header(height)
  if (!base) throw new RpcError('server', 'header not found')
  world.engines.deadline.restart(world.timeoutMs)
  const simulation: Simulation = {
    world,
    engine: world.engines.traced({ watchesSteps: false }),
    state: overlay(world.chain.stateAt(height)),
    payload,
    gas: world.gasCap,
  }
  const { state } = simulation
  const answers: object[] = []
  let parent = base
  for (const { block, ...at } of completeSequence(base, payload.blockStateCalls)) {
    const overrides = block?.blockOverrides ?? {}
    const open = openHeader(world.rules, parent, at, overrides, payload.validation)
    beginBlock(state, world.rules, parent)
    if (block) state.apply(overrideEffects(block.stateOverrides, state))
    const calls = block ? runCalls(simulation, open, block) : []
    const header = sealHeader({
      ...open,
      transactionsRoot: listRoot(calls.map(({ transaction }) => transaction.raw)),
      receiptsRoot: listRoot(calls.map(({ receipt }) => encodeReceipt(receipt))),
      logsBloom: uniteBlooms(calls.map(({ receipt }) => receipt.logsBloom)),
      gasUsed: calls.at(-1)?.receipt.cumulativeGasUsed ?? 0n,
      size: calls.reduce((size, { transaction }) => size + transaction.raw.length, open.size),
    })
    const transactions = calls.map(({ transaction }) => transaction)
    const body = payload.returnFullTransactions
      ? transactions
      : transactions.map(({ hash }) => hash)
    answers.push({
      ...encodeBlock(header, body, profile),
      calls: calls.map((call, index) => encodeCall(header, call, index)),
    })
    parent = header
  }
  return answers
}
