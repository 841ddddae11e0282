/** What operators offer to the dispatcher. */
import type { Protocol } from '../protocol.ts'

/** What an operator offers when it connects. */
export type Offer = {
  readonly operator: string
  /** Random name of the connection. */
  readonly session: string
  /** Version of the protocol that it speaks. */
  readonly protocol: Protocol
  readonly workers: readonly string[]
  readonly models: readonly string[]
  readonly slots: number
}
