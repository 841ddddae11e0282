/** The context of one instruction being compiled. */
import type { Body } from './body.ts'
import type { SymbolicStack } from './stack.ts'

/** Position and context of an instruction. */
export type Site = {
  readonly body: Body
  readonly stack: SymbolicStack
  readonly offset: number
  /** Of a PUSH. */
  readonly argument: bigint
  readonly codeLength: number
  /** Gas that was already charged for the following instructions. */
  readonly prepaid: number
  /** Leaves this instruction and everything after it to the interpreter, with the stack as it was before. */
  readonly exit: () => void
}
