/** The empty state: the base of a genesis allocation, and of tests. */
import { EMPTY_BYTES } from '../base/bytes.ts'
import type { StateView } from './types.ts'

const ZERO_WORD = new Uint8Array(32)

export const emptyState: StateView = {
  account: () => undefined,
  code: () => EMPTY_BYTES,
  storage: () => ZERO_WORD,
  hasStorage: () => false,
}
