/** callTracer: the tree of calls, with outputs, errors and, on demand, logs. */
import { toHex } from '../../base/hex.ts'
import { toQuantity } from '../../base/quantity.ts'
import { revertReason } from '../revertReason.ts'
import { recordFrames, type CallFrame, type FrameLog } from './frames.ts'
import { CREATE, CREATE2, opcodeName } from './opcodes.ts'
import type { TracerKind } from './tracer.ts'

export type CallTracerConfig = {
  /** Omit nested calls. */
  readonly onlyTopCall?: boolean | undefined
  readonly withLog?: boolean | undefined
}

const REVERTED = 'execution reverted'

function encodeLog({ log, index, position }: FrameLog): object {
  return {
    address: toHex(log.address),
    topics: log.topics.map(toHex),
    data: toHex(log.data),
    index: toQuantity(index),
    position: toQuantity(position),
  }
}

/** The result of a frame: output, revert data, and the reason if there is one. */
function encodeEnd({ output, error }: CallFrame): object {
  if (error !== '' && error !== REVERTED) return { error }
  const reason = error === '' ? undefined : revertReason(output)
  return {
    ...(output.length > 0 && { output: toHex(output) }),
    ...(error !== '' && { error }),
    ...(reason !== undefined && reason !== '' && { revertReason: reason }),
  }
}

/**
 * A frame with its nested ones. `more` returns additional members of each. `isVoid`: an outer call failed, so the logs
 * are dropped.
 */
export function encodeFrame(
  frame: CallFrame,
  more: (frame: CallFrame) => object = () => ({}),
  isVoid = false,
): object {
  const { opcode, from, to, value, input, gas, gasUsed, error, calls, logs } = frame
  const hasFailed = isVoid || error !== ''
  const isFailedCreation = error !== '' && (opcode === CREATE || opcode === CREATE2)
  return {
    from: toHex(from),
    gas: toQuantity(gas),
    gasUsed: toQuantity(gasUsed),
    ...(!isFailedCreation && { to: toHex(to) }),
    input: toHex(input),
    ...encodeEnd(frame),
    ...(calls.length > 0 && {
      calls: calls.map((call) => encodeFrame(call, more, hasFailed)),
    }),
    ...(logs.length > 0 && !hasFailed && { logs: logs.map(encodeLog) }),
    ...(value !== undefined && { value: toQuantity(value) }),
    type: opcodeName(opcode),
    ...more(frame),
  }
}

/** The tracer. */
export function callTracer(config: CallTracerConfig): TracerKind {
  return {
    watchesSteps: false,
    start(run) {
      const { hooks, finish } = recordFrames(run, () => config.onlyTopCall !== true)
      return {
        hooks: { ...hooks, ...(config.withLog !== true && { onLog: undefined }) },
        result: (outcome) => encodeFrame(finish(outcome)),
      }
    },
  }
}
