/** Traces of stored transactions, whole blocks and calls. */
import { utf8 } from '../../base/bytes.ts'
import { toHex } from '../../base/hex.ts'
import { rethrow } from '../../chain/call.ts'
import { runCallForEffects } from '../../chain/callTransaction.ts'
import { openBlock, runFirst, runOn, type OpenBlock } from '../../ledger/replay.ts'
import { overlay } from '../../evm/overlay.ts'
import type { TracerKind } from '../../evm/tracers/tracer.ts'
import type { TransitionResult } from '../../evm/transition.ts'
import { RpcError } from '../../wire/errors.ts'
import type { CallFields } from '../parameters/callObject.ts'
import type { TraceConfig } from '../parameters/traceConfig.ts'
import { prepareCall, prepareOn, type PreparedCall } from './prepareCall.ts'
import type { CallInput } from './protocol.ts'
import { tracerFor } from './tracerFor.ts'
import type { ExecutionWorld } from './world.ts'

/** The name of a transaction's trace, and how the transaction ended. */
export type Traced = {
  readonly transactionHash: Uint8Array
  readonly trace: unknown
  readonly outcome: TransitionResult
}

/** The start of a block that has a predecessor. Throws RpcError -32000. */
export function requireBlock({ chain, rules }: ExecutionWorld, height: number): OpenBlock {
  if (height === 0) throw new RpcError('server', 'genesis is not traceable')
  const block = openBlock(chain, rules, height)
  if (!block) throw new RpcError('server', 'block not found')
  return block
}

/** Traces the transactions of a block from `first` on, lazily, and applies each. */
function* traceFrom(
  world: ExecutionWorld,
  block: OpenBlock,
  first: number,
  kind: TracerKind,
  timeoutMs: number,
): Generator<Traced> {
  const { deadline } = world.engines
  const { engine, observe } = world.engines.traced(kind)
  deadline.restart(timeoutMs)
  if (first > 0) runFirst(world.engines.plain(), block, first)
  const receipts = world.chain.receipts(block.header.height)
  for (const [offset, transaction] of block.transactions.slice(first).entries()) {
    const transactionIndex = first + offset
    deadline.restart(timeoutMs)
    const tracer = kind.start({
      transaction,
      block: block.environment,
      state: block.world,
      firstLogIndex: receipts?.[transactionIndex]?.firstLogIndex ?? 0,
      place: {
        transactionHash: transaction.hash,
        transactionIndex,
        blockHash: block.header.hash,
        blockNumber: block.header.height,
      },
    })
    observe(tracer)
    const outcome = runOn(engine, block, transaction)
    const trace = tracer.result(outcome)
    block.world.apply(outcome.effects)
    yield { transactionHash: transaction.hash, trace, outcome }
  }
}

/** Runs transactions of a block, `count` of them from `first` on, each under a tracer of the kind. Throws RpcError. */
export function runFrom(
  world: ExecutionWorld,
  height: number,
  kind: TracerKind,
  { first = 0, count = Infinity, timeoutMs = world.timeoutMs } = {},
): readonly Traced[] {
  const traces: Traced[] = []
  if (count === 0) return traces
  for (const traced of traceFrom(world, requireBlock(world, height), first, kind, timeoutMs))
    if (traces.push(traced) >= count) break
  return traces
}

/** The trace of one transaction of a block. */
export async function traceTransaction(
  world: ExecutionWorld,
  { height, index, config }: { height: number; index: number; config: TraceConfig },
): Promise<unknown> {
  const timeoutMs = timeoutOf(world, config)
  const kind = await tracerFor(world, config, timeoutMs)
  const [traced] = runFrom(world, height, kind, { first: index, count: 1, timeoutMs })
  if (!traced) throw new RpcError('server', 'transaction not found')
  return traced.trace
}

/** A caller may request more time than the default, up to this. */
const MAX_TIMEOUT_MS = 60_000

function timeoutOf(world: ExecutionWorld, config: TraceConfig): number {
  return Math.min(config.timeout ?? world.timeoutMs, MAX_TIMEOUT_MS)
}

/** Whether a tracer has written its result as JSON itself. No other result contains bytes. */
export function isWritten(trace: unknown): trace is readonly Uint8Array[] {
  return Array.isArray(trace) && trace[0] instanceof Uint8Array
}

/** The traces of a block whose tracer has written them: the same list as for others, as chunks of its JSON. */
function joinTraces(
  traces: readonly { readonly txHash: string; readonly result: unknown }[],
): readonly Uint8Array[] {
  const pieces: Uint8Array[] = []
  for (const { txHash, result } of traces) {
    pieces.push(utf8(`${pieces.length === 0 ? '[' : '},'}{"txHash":"${txHash}","result":`))
    pieces.push(...(result as readonly Uint8Array[]))
  }
  return [...pieces, utf8('}]')]
}

/** The traces of all transactions of a block, each with its hash. */
export async function traceBlock(
  world: ExecutionWorld,
  { height, config }: { height: number; config: TraceConfig },
): Promise<unknown> {
  if (height === 0) return []
  const timeoutMs = timeoutOf(world, config)
  const kind = await tracerFor(world, config, timeoutMs)
  const traced = runFrom(world, height, kind, { timeoutMs })
  const traces = traced.map(({ transactionHash, trace }) => ({
    txHash: toHex(transactionHash),
    result: trace,
  }))
  return isWritten(traces[0]?.result) ? joinTraces(traces) : traces
}

/** Runs a call under a tracer. Many calls share one engine and one time limit. */
type CallTracer = (
  call: PreparedCall,
  kind: TracerKind,
) => { readonly trace: unknown; readonly outcome: TransitionResult }

/** A call tracer for tracers that need no more hooks than these. */
function createCallTracer(
  world: ExecutionWorld,
  kinds: readonly TracerKind[],
  timeoutMs: number,
): CallTracer {
  world.engines.deadline.restart(timeoutMs)
  const watched = {
    watchesSteps: kinds.some(({ watchesSteps }) => watchesSteps),
    listensToSteps: kinds.some(({ listensToSteps }) => listensToSteps === true),
  }
  const { engine, observe } = world.engines.traced(watched)
  return ({ world: state, block, transaction }, kind) => {
    const tracer = kind.start({ transaction, block, state, firstLogIndex: 0 })
    observe(tracer)
    const outcome = runCallForEffects(engine, world.rules, block, transaction, state)
    return { trace: tracer.result(outcome), outcome }
  }
}

/** The trace of a call that is not in a block. */
export async function traceCall(
  world: ExecutionWorld,
  { config, ...input }: CallInput & { config: TraceConfig },
): Promise<unknown> {
  const timeoutMs = timeoutOf(world, config)
  const kind = await tracerFor(world, config, timeoutMs)
  const run = createCallTracer(world, [kind], timeoutMs)
  const call = prepareCall(world, input)
  try {
    return run(call, kind).trace
  } catch (error) {
    return rethrow(error, (reason) => `tracing failed: ${reason}`)
  }
}

/** The traces of calls that are not in a block, each on the state that the previous ones left. */
export function runCalls(
  world: ExecutionWorld,
  calls: readonly { readonly fields: CallFields; readonly kind: TracerKind }[],
  height: number,
): readonly unknown[] {
  const kinds = calls.map(({ kind }) => kind)
  const run = createCallTracer(world, kinds, world.timeoutMs)
  const state = overlay(world.chain.stateAt(height))
  const traces: unknown[] = []
  for (const { fields, kind } of calls) {
    const { trace, outcome } = run(prepareOn(world, state, { fields, height }), kind)
    state.apply(outcome.effects)
    traces.push(trace)
  }
  return traces
}
