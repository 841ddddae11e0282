/** Call trees may have tens of thousands of calls: a page renders the first ones. */
import type { Call } from './types.ts'

export type BoundedCall = Omit<Call, 'calls'> & {
  readonly calls: readonly BoundedCall[]
  /** Number of omitted direct calls of this one. */
  readonly omitted: number
}

/** The first `limit` calls, in the order in which they were made. */
export function boundCalls(root: Call, limit: number): BoundedCall {
  let left = limit
  const bound = (call: Call): BoundedCall => {
    const calls: BoundedCall[] = []
    const inner = call.calls ?? []
    for (const each of inner) {
      if (left <= 0) break
      left--
      calls.push(bound(each))
    }
    return { ...call, calls, omitted: inner.length - calls.length }
  }
  return bound(root)
}
