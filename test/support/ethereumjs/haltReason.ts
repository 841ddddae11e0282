/** The library's errors in go-ethereum's wording (D12). */
import { EVMError } from '@ethereumjs/evm'

const MESSAGES = EVMError.errorMessages

const WORDS: Readonly<Record<string, string>> = {
  [MESSAGES.OUT_OF_GAS]: 'out of gas',
  [MESSAGES.CODESTORE_OUT_OF_GAS]: 'contract creation code storage out of gas',
  [MESSAGES.CODESIZE_EXCEEDS_MAXIMUM]: 'max code size exceeded',
  [MESSAGES.STACK_OVERFLOW]: 'stack limit reached 1024 (1023)',
  [MESSAGES.STATIC_STATE_CHANGE]: 'write protection',
  [MESSAGES.CREATE_COLLISION]: 'contract address collision',
  [MESSAGES.INSUFFICIENT_BALANCE]: 'insufficient balance for transfer',
  [MESSAGES.INVALID_BYTECODE_RESULT]: 'invalid code: must not begin with 0xef',
  [MESSAGES.INITCODE_SIZE_VIOLATION]: 'max initcode size exceeded',
  [MESSAGES.OUT_OF_RANGE]: 'gas uint64 overflow',
  [MESSAGES.REVERT]: 'execution reverted',
}

const INVALID = 0xfe

/** Where the outermost frame stopped; undefined when no code ran. */
export type HaltedAt = { readonly opCode: number; readonly stackLength: number }

function invalidOpcode(opCode: number): string {
  if (opCode === INVALID) return 'invalid opcode: INVALID'
  return `invalid opcode: opcode 0x${opCode.toString(16)} not defined`
}

/** The reason of a halt. */
export function haltReason(error: string, at: HaltedAt | undefined): string {
  if (at === undefined && error === MESSAGES.REVERT) return 'invalid precompile input'
  if (error.startsWith(MESSAGES.INVALID_JUMP)) return 'invalid jump destination'
  if (at !== undefined && error === MESSAGES.INVALID_OPCODE) return invalidOpcode(at.opCode)
  if (at !== undefined && error === MESSAGES.STACK_UNDERFLOW)
    return `stack underflow (${at.stackLength} <=> ${at.stackLength + 1})`
  return WORDS[error] ?? error
}
