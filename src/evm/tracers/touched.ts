/** Which accounts and slots a transaction touches, in order: what prestateTracer reports and eth_createAccessList lists. */
import { bigintToFixedBytes } from '../../base/bytes.ts'
import { delegationTarget } from '../delegation.ts'
import type { Step } from '../hooks.ts'
import { watchCode } from './liveCode.ts'
import {
  BALANCE,
  CALL,
  CALLCODE,
  CREATE,
  CREATE2,
  DELEGATECALL,
  EXTCODECOPY,
  EXTCODEHASH,
  EXTCODESIZE,
  SELFDESTRUCT,
  SLOAD,
  SSTORE,
  STATICCALL,
} from './opcodes.ts'
import { watchTakenSteps, type Taken } from './takenSteps.ts'
import type { TracedRun } from './tracer.ts'

const READS_ACCOUNT = new Set([BALANCE, EXTCODESIZE, EXTCODECOPY, EXTCODEHASH, SELFDESTRUCT])

/** Opcodes that call the account in the second word of the stack. */
export const CALLS: ReadonlySet<number> = new Set([CALL, CALLCODE, DELEGATECALL, STATICCALL])

/** Callbacks for first touches and later ones. */
export type Touches = {
  account(address: Uint8Array): void
  slot(address: Uint8Array, slot: Uint8Array): void
}

/** The address in the lower 20 bytes of a word. */
export function addressOfWord(word: bigint): Uint8Array {
  return bigintToFixedBytes(word & ((1n << 160n) - 1n), 20)
}

/** Hooks that report everything that opcodes touch, and a function to call at the end. */
export function watchTouches(
  run: TracedRun,
  touches: Touches,
  top: Uint8Array,
): ReturnType<typeof watchTakenSteps> {
  const { transaction } = run
  const code = watchCode(run)
  /** The account whose storage each open frame uses. */
  const selves: Uint8Array[] = [transaction.to ?? top]

  function see(step: Step): Taken | undefined {
    const { opcode } = step
    if (opcode === SLOAD || opcode === SSTORE) {
      const self = selves.at(-1) ?? top
      const slot = step.stack.at(-1)
      return slot === undefined ? undefined : () => touches.slot(self, bigintToFixedBytes(slot, 32))
    }
    if (READS_ACCOUNT.has(opcode)) {
      const word = step.stack.at(-1)
      return word === undefined ? undefined : () => touches.account(addressOfWord(word))
    }
    if (!CALLS.has(opcode)) return undefined
    const { stack } = step
    const word = stack.at(-2)
    if (word === undefined || stack.length < 5) return undefined
    return () => {
      const address = addressOfWord(word)
      touches.account(address)
      const delegate = delegationTarget(code.codeOf(address))
      if (delegate) touches.account(delegate)
    }
  }

  return watchTakenSteps(see, {
    onEnter(call) {
      const { opcode, from, to } = call
      code.hooks.onEnter?.(call)
      if (opcode === CREATE || opcode === CREATE2) touches.account(to)
      const keepsSelf = opcode === DELEGATECALL || opcode === CALLCODE
      selves.push(keepsSelf ? from : to)
    },
    onLeave(call) {
      code.hooks.onLeave?.(call)
      selves.pop()
    },
  })
}
