/** The default tracer: every step with gas, stack, memory and storage, in the shape of go-ethereum's struct logger. */
import { bigintToFixedBytes } from '../../base/bytes.ts'
import { toHex, toHexDigits } from '../../base/hex.ts'
import { toQuantity } from '../../base/quantity.ts'
import { contractAddress } from '../contractAddress.ts'
import type { Step } from '../hooks.ts'
import { opcodeName, SLOAD, SSTORE } from './opcodes.ts'
import { watchTouches } from './touched.ts'
import type { TracedRun, TracerKind } from './tracer.ts'

export type StepTracerConfig = {
  readonly enableMemory?: boolean | undefined
  readonly disableStack?: boolean | undefined
  readonly disableStorage?: boolean | undefined
  readonly enableReturnData?: boolean | undefined
  /** Most steps in the answer; 0 is all. */
  readonly limit?: number | undefined
}

type StepLog = {
  pc: number
  op: string
  gas: number
  gasCost: number
  depth: number
  error?: string
  stack?: readonly string[]
  memory?: readonly string[]
  returnData?: string
  storage?: Readonly<Record<string, string>>
  refund?: number
}

/** A frame's last step, whose cost is known only when something follows. */
type Open = { last: StepLog | undefined; returned: bigint; readonly slots: Map<string, string> }

const WORD = 32

function wordsOf(memory: Uint8Array): string[] {
  return Array.from({ length: memory.length / WORD }, (_, index) =>
    toHex(memory.subarray(index * WORD, (index + 1) * WORD)),
  )
}

function slotHex(word: bigint): string {
  return toHex(bigintToFixedBytes(word, WORD))
}

/** The slot that a step reads or writes joins those that its frame shows. */
function noteSlot(
  { opcode, stack }: Step,
  slots: Map<string, string>,
  self: Uint8Array,
  { state }: TracedRun,
  written: Map<string, string>,
): void {
  const slot = stack.at(-1)
  const value = stack.at(-2)
  if (slot === undefined) return
  const key = slotHex(slot)
  const place = `${toHexDigits(self)}${key}`
  if (opcode === SSTORE && value !== undefined) written.set(place, slotHex(value))
  slots.set(key, written.get(place) ?? toHex(state.storage(self, bigintToFixedBytes(slot, WORD))))
}

/** The tracer. */
export function stepTracer(config: StepTracerConfig): TracerKind {
  const limit = config.limit === undefined || config.limit === 0 ? Infinity : config.limit
  return {
    watchesSteps: true,
    start(run) {
      const logs: StepLog[] = []
      const open: Open[] = [{ last: undefined, returned: 0n, slots: new Map() }]
      const written = new Map<string, string>()
      const { to, sender, nonce } = run.transaction
      const top = to ?? contractAddress(sender, nonce)
      const selves: Uint8Array[] = [top]
      const selfHooks = watchSelf(run, selves)

      function close(frame: Open, gas: bigint): void {
        if (frame.last) frame.last.gasCost = frame.last.gas + Number(frame.returned - gas)
        frame.last = undefined
        frame.returned = 0n
      }

      function describe(step: Step, frame: Open): StepLog {
        const touchesStorage = step.opcode === SLOAD || step.opcode === SSTORE
        if (touchesStorage && config.disableStorage !== true)
          noteSlot(step, frame.slots, selves.at(-1) ?? top, run, written)
        const { refund } = step
        return {
          pc: step.pc,
          op: opcodeName(step.opcode),
          gas: Number(step.gas),
          gasCost: 0,
          depth: step.depth + 1,
          ...(config.disableStack !== true && {
            stack: step.stack.map((word) => toQuantity(word)),
          }),
          ...(config.enableMemory === true && { memory: wordsOf(step.memory) }),
          ...(config.enableReturnData === true &&
            step.returnData.length > 0 && { returnData: toHex(step.returnData) }),
          ...(touchesStorage &&
            config.disableStorage !== true && { storage: Object.fromEntries(frame.slots) }),
          ...(refund > 0n && { refund: Number(refund) }),
        }
      }

      return {
        hooks: {
          onStep(step) {
            const frame = open.at(-1)
            if (!frame) return
            close(frame, step.gas)
            if (logs.length >= limit) return
            frame.last = describe(step, frame)
            logs.push(frame.last)
          },
          onEnter(call) {
            selfHooks.onEnter?.(call)
            open.push({ last: undefined, returned: 0n, slots: new Map() })
          },
          onLeave(call) {
            selfHooks.onLeave?.(call)
            const frame = open.pop()
            if (frame?.last && call.status === 'halt') frame.last.error = call.error
            if (frame) close(frame, call.gasLeft)
            const caller = open.at(-1)
            if (caller) caller.returned += call.gasLeft
          },
        },
        result({ status, error, output, gasUsed }) {
          const last = open[0]?.last
          if (last && status === 'halt') {
            last.error = error
            last.gasCost = last.gas
          }
          return {
            gas: Number(gasUsed),
            failed: status !== 'success',
            returnValue: status === 'halt' ? '0x' : toHex(output),
            structLogs: logs,
          }
        },
      }
    },
  }
}

/** Keeps whose storage each open frame works on. */
function watchSelf(run: TracedRun, selves: Uint8Array[]): ReturnType<typeof watchTouches> {
  const nothing = { account: () => undefined, slot: () => undefined }
  const { onEnter, onLeave } = watchTouches(run, nothing, new Uint8Array(20), selves)
  return { onEnter, onLeave }
}
