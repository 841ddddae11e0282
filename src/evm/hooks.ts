/** Hooks of tracers. The outermost frame is not reported: the sender of the message knows it. */
import type { Log } from './types.ts'

/** A step that is about to execute. Its getters are valid only while the hook runs. */
export type Step = {
  /** 0 in the outermost frame. */
  readonly depth: number
  readonly pc: number
  readonly opcode: number
  readonly gas: bigint
  /** The words on the stack, the top one last. */
  readonly stack: readonly bigint[]
  /** The frame's memory, a copy. */
  readonly memory: Uint8Array
  /** Return data of the last call, a copy. */
  readonly returnData: Uint8Array
  /** The refund counter. */
  readonly refund: bigint
}

/** A call, a creation, or a self-destruction (which ends at once) that begins. */
export type EnteredCall = {
  /** CREATE, CALL, CALLCODE, DELEGATECALL, CREATE2, STATICCALL or SELFDESTRUCT. */
  readonly opcode: number
  /** The account that runs, also for DELEGATECALL. */
  readonly from: Uint8Array
  /** The account whose code runs, the new contract, or the beneficiary. */
  readonly to: Uint8Array
  readonly value: bigint
  readonly input: Uint8Array
  readonly gas: bigint
}

/** How it ended. */
export type LeftCall = {
  readonly status: 'success' | 'revert' | 'halt'
  /** '' for success, otherwise go-ethereum's message. */
  readonly error: string
  readonly gasLeft: bigint
  /** Return data, revert data, or the code of a new contract. */
  readonly output: Uint8Array
}

/** Absent hooks cost nothing. */
export type Hooks = {
  readonly onStep?: ((step: Step) => void) | undefined
  readonly onEnter?: ((call: EnteredCall) => void) | undefined
  readonly onLeave?: ((call: LeftCall) => void) | undefined
  /** `index` counts the message's logs that were not reverted. */
  readonly onLog?: ((log: Log, index: number) => void) | undefined
}
