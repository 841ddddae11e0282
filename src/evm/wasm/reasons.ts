/** Why a message halted, in go-ethereum's wording (D12). The numbers are those of core/halts.as.ts. */

const WORDS: Readonly<Record<number, string>> = {
  [-1]: 'out of gas',
  [-2]: 'gas uint64 overflow',
  [-6]: 'invalid jump destination',
  [-7]: 'write protection',
  [-8]: 'return data out of bounds',
  [-9]: 'max initcode size exceeded',
  [-10]: 'max code size exceeded',
  [-11]: 'invalid code: must not begin with 0xef',
  [-12]: 'contract creation code storage out of gas',
  [-13]: 'contract address collision',
  [-14]: 'insufficient balance for transfer',
  [-15]: 'invalid precompile input',
  [-16]: 'max call depth exceeded',
  [-17]: 'nonce uint64 overflow',
  [-18]: 'out of gas: not enough gas for reentrancy sentry',
}

const STACK_UNDERFLOW = -3
const STACK_OVERFLOW = -4
const INVALID_OPCODE = -5
const INVALID = 0xfe
/** Maximum height of the stack before an opcode that pushes one word. */
const MOST_BEFORE_PUSH = 1023

/** The opcode that failed, the number of words on the stack, and the number that it takes. */
export type HaltedAt = {
  readonly opcode: number
  readonly stackHeight: number
  readonly stackNeed: number
}

/** The reason of a halt. */
export function haltReason(reason: number, at: HaltedAt): string {
  if (reason === STACK_UNDERFLOW) return `stack underflow (${at.stackHeight} <=> ${at.stackNeed})`
  if (reason === STACK_OVERFLOW)
    return `stack limit reached ${at.stackHeight} (${MOST_BEFORE_PUSH})`
  if (reason === INVALID_OPCODE)
    return at.opcode === INVALID
      ? 'invalid opcode: INVALID'
      : `invalid opcode: opcode 0x${at.opcode.toString(16)} not defined`
  const words = WORDS[reason]
  if (words === undefined) throw new RangeError(`the core gave an unknown halt: ${reason}`)
  return words
}
