/** Replays in OpenEthereum's format: flat traces, state diffs and VM traces, from one run. */
import { utf8 } from '../../base/bytes.ts'
import { toHex } from '../../base/hex.ts'
import { flatCallTracer } from '../../evm/tracers/flat.ts'
import { muxTracer } from '../../evm/tracers/mux.ts'
import { prestateTracer } from '../../evm/tracers/prestate.ts'
import type { TracerKind } from '../../evm/tracers/tracer.ts'
import { vmTracer } from '../../evm/tracers/vmTrace.ts'
import { unplaced, type FlatTrace } from '../methods/trace/flat.ts'
import type { Execution, ReplayPart } from './protocol.ts'
import { stateDiff } from './stateDiff.ts'
import { runCalls, runFrom } from './trace.ts'
import type { ExecutionWorld } from './world.ts'

type Seen = {
  readonly trace?: readonly FlatTrace[]
  readonly stateDiff?: Parameters<typeof stateDiff>[0]
  readonly vmTrace?: readonly Uint8Array[]
}

/** The tracer of the requested parts. Its result is written as JSON. */
function replayTracer(parts: readonly ReplayPart[], withHash: boolean): TracerKind {
  const kind = muxTracer({
    ...(parts.includes('trace') && { trace: flatCallTracer({ convertParityErrors: true }) }),
    ...(parts.includes('stateDiff') && { stateDiff: prestateTracer({ diffMode: true }) }),
    ...(parts.includes('vmTrace') && { vmTrace: vmTracer }),
  })
  return {
    ...kind,
    start(run) {
      const tracer = kind.start(run)
      return {
        ...tracer,
        result(outcome): readonly Uint8Array[] {
          const seen = tracer.result(outcome) as Seen
          const head = {
            output: outcome.status === 'halt' ? '0x' : toHex(outcome.output),
            trace: seen.trace?.map(unplaced) ?? [],
            stateDiff: seen.stateDiff ? stateDiff(seen.stateDiff) : null,
            ...(withHash && run.place && { transactionHash: toHex(run.place.transactionHash) }),
          }
          const text = JSON.stringify(head).slice(0, -1)
          // Chunks are transferred to another thread: each must be a new one.
          const steps = seen.vmTrace ?? [utf8('null')]
          return [utf8(`${text},"vmTrace":`), ...steps, utf8('}')]
        },
      }
    },
  }
}

/** Combines a list of written values into one. */
function listOf(values: readonly unknown[]): readonly Uint8Array[] {
  const pieces = values.flatMap((value, index) => [
    utf8(index > 0 ? ',' : '['),
    ...(value as readonly Uint8Array[]),
  ])
  return [...(pieces.length > 0 ? pieces : [utf8('[')]), utf8(']')]
}

/** The replay of one transaction of a block. */
export function replayTransaction(
  world: ExecutionWorld,
  { height, index, parts }: Omit<Extract<Execution, { kind: 'replayTransaction' }>, 'kind'>,
): unknown {
  const kind = replayTracer(parts, false)
  const [trace] = runFrom(world, height, kind, { first: index, count: 1 })
  return trace?.trace
}

/** The replays of all transactions of a block, each with its hash. */
export function replayBlock(
  world: ExecutionWorld,
  { height, parts }: Omit<Extract<Execution, { kind: 'replayBlock' }>, 'kind'>,
): readonly Uint8Array[] {
  if (height === 0) return listOf([])
  const traces = runFrom(world, height, replayTracer(parts, true))
  return listOf(traces.map(({ trace }) => trace))
}

/** The replay of a call that is not in a block. */
export function replayCall(
  world: ExecutionWorld,
  { fields, parts, height }: Omit<Extract<Execution, { kind: 'replayCall' }>, 'kind'>,
): unknown {
  const [replay] = runCalls(world, [{ fields, kind: replayTracer(parts, false) }], height)
  return replay
}

/** The replays of calls that are not in a block, each on the state that the previous ones left. */
export function replayCalls(
  world: ExecutionWorld,
  { calls, height }: Omit<Extract<Execution, { kind: 'replayCalls' }>, 'kind'>,
): readonly Uint8Array[] {
  const kinds = calls.map(({ fields, parts }) => ({ fields, kind: replayTracer(parts, false) }))
  return listOf(runCalls(world, kinds, height))
}
