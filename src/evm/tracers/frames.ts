/** The tree of calls of a transaction, from which several tracers build their results. */
import { EMPTY_BYTES } from '../../base/bytes.ts'
import { contractAddress } from '../contractAddress.ts'
import type { Hooks } from '../hooks.ts'
import type { TransitionResult } from '../transition.ts'
import type { Log } from '../types.ts'
import { CALL, CREATE, STATICCALL } from './opcodes.ts'
import type { TracedRun } from './tracer.ts'

/** A log of a frame: its index in the block, and the number of the frame's calls before it. */
export type FrameLog = { readonly log: Log; readonly index: number; readonly position: number }

/** One call, creation or self-destruction. */
export type CallFrame = {
  readonly opcode: number
  readonly from: Uint8Array
  readonly to: Uint8Array
  /** undefined for STATICCALL, which has none. */
  readonly value: bigint | undefined
  readonly input: Uint8Array
  readonly gas: bigint
  gasUsed: bigint
  output: Uint8Array
  /** '' for success. */
  error: string
  readonly calls: CallFrame[]
  logs: FrameLog[]
}

/** Records calls. `accept` decides, when a call has ended, whether it stays in the tree. */
export function recordFrames(
  { transaction, firstLogIndex }: TracedRun,
  accept: (frame: CallFrame) => boolean = () => true,
): {
  readonly hooks: Hooks
  /** The running frame. */
  current(): CallFrame
  finish(outcome: TransitionResult): CallFrame
} {
  const { sender, to, nonce } = transaction
  const root: CallFrame = {
    opcode: to ? CALL : CREATE,
    from: sender,
    to: to ?? contractAddress(sender, nonce),
    value: transaction.value,
    input: transaction.data,
    gas: transaction.gasLimit,
    gasUsed: 0n,
    output: EMPTY_BYTES,
    error: '',
    calls: [],
    logs: [],
  }
  const open: CallFrame[] = [root]
  const current = (): CallFrame => open.at(-1) ?? root

  return {
    current,
    hooks: {
      onEnter(call) {
        const value = call.opcode === STATICCALL ? undefined : call.value
        const fresh = { gasUsed: 0n, output: EMPTY_BYTES, error: '', calls: [], logs: [] }
        const frame: CallFrame = { ...call, value, ...fresh }
        current().calls.push(frame)
        open.push(frame)
      },
      onLeave({ gasLeft, output, error }) {
        const frame = open.pop()
        if (frame === undefined) return
        frame.gasUsed = frame.gas - gasLeft
        frame.output = output
        frame.error = error
        if (!accept(frame)) current().calls.pop()
      },
      onLog(log, index) {
        const frame = current()
        frame.logs.push({ log, index: firstLogIndex + index, position: frame.calls.length })
      },
    },
    finish({ status, error, output, gasUsed }) {
      root.gasUsed = gasUsed
      root.output = output
      root.error = status === 'success' ? '' : error
      return root
    },
  }
}
