/** What operators offer to the dispatcher. */
import type { ModelIdentity, Protocol } from '../protocol.ts'

/** What an operator offers when it connects. */
export type Offer = {
  readonly operator: string
  /** Random name of the connection. */
  readonly session: string
  /** Version of the protocol that it speaks. */
  readonly protocol: Protocol
  readonly workers: readonly string[]
  readonly models: readonly string[]
  /** What the models are; undefined for operators of former releases. */
  readonly identities?: readonly ModelIdentity[] | undefined
  readonly slots: number
}
