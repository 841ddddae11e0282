/** Which accounts and slots a transaction touches, in order: what prestateTracer reports and eth_createAccessList lists. */
import { bigintToFixedBytes } from '../../base/bytes.ts'
import { delegationTarget } from '../delegation.ts'
import type { Hooks } from '../hooks.ts'
import type { StateView } from '../types.ts'
import {
  CALL,
  CALLCODE,
  CREATE,
  CREATE2,
  DELEGATECALL,
  SELFDESTRUCT,
  SLOAD,
  SSTORE,
  STATICCALL,
} from './opcodes.ts'
import type { TracedRun } from './tracer.ts'

const BALANCE = 0x31
const EXTCODESIZE = 0x3b
const EXTCODECOPY = 0x3c
const EXTCODEHASH = 0x3f

const READS_ACCOUNT = new Set([BALANCE, EXTCODESIZE, EXTCODECOPY, EXTCODEHASH, SELFDESTRUCT])
const CALLS = new Set([CALL, CALLCODE, DELEGATECALL, STATICCALL])

/** What is told, at the first touch and at later ones. */
export type Touches = {
  account(address: Uint8Array): void
  slot(address: Uint8Array, slot: Uint8Array): void
}

function lastWord(stack: readonly bigint[], fromTop: number): bigint | undefined {
  return stack.at(-1 - fromTop)
}

function addressOf(word: bigint): Uint8Array {
  return bigintToFixedBytes(word & ((1n << 160n) - 1n), 20)
}

/** The account that an account delegates to (EIP-7702), if any. */
export function delegateIn(state: StateView, address: Uint8Array): Uint8Array | undefined {
  const account = state.account(address)
  return account && delegationTarget(state.code(account.codeHash))
}

/**
 * Hooks that tell of everything that opcodes touch. A step that the gas does not suffice for touches nothing, so each is
 * told of only when something follows it.
 */
export function watchTouches(
  { transaction, state }: TracedRun,
  touches: Touches,
  top: Uint8Array,
  /** Whose storage each open frame works on. */
  selves: Uint8Array[] = [transaction.to ?? top],
): Hooks {
  let pending: (() => void) | undefined

  function settle(): void {
    pending?.()
    pending = undefined
  }

  function touchOf(opcode: number, stack: () => readonly bigint[]): (() => void) | undefined {
    const self = selves.at(-1) ?? top
    if (opcode === SLOAD || opcode === SSTORE) {
      const slot = lastWord(stack(), 0)
      if (slot === undefined) return undefined
      return () => touches.slot(self, bigintToFixedBytes(slot, 32))
    }
    if (READS_ACCOUNT.has(opcode)) {
      const word = lastWord(stack(), 0)
      return word === undefined ? undefined : () => touches.account(addressOf(word))
    }
    if (!CALLS.has(opcode)) return undefined
    const words = stack()
    const word = lastWord(words, 1)
    if (word === undefined || words.length < 5) return undefined
    return () => {
      const address = addressOf(word)
      touches.account(address)
      const delegate = delegateIn(state, address)
      if (delegate) touches.account(delegate)
    }
  }

  return {
    onStep(step) {
      settle()
      pending = touchOf(step.opcode, () => step.stack)
    },
    onEnter({ opcode, from, to }) {
      settle()
      if (opcode === CREATE || opcode === CREATE2) touches.account(to)
      const keepsSelf = opcode === DELEGATECALL || opcode === CALLCODE
      selves.push(keepsSelf ? from : to)
    },
    onLeave({ status }) {
      if (status === 'halt') pending = undefined
      settle()
      selves.pop()
    },
  }
}
