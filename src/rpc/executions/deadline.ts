/** A deadline for an execution. */
import { RpcError } from '../../wire/errors.ts'

export type Deadline = {
  /** Starts over, with this many milliseconds. */
  restart(milliseconds: number): void
  /** Throws RpcError -32000 `execution timeout` after the deadline. */
  poll(): void
}

/** A deadline that never passes until it is started. */
export function createDeadline(): Deadline {
  let end = Number.POSITIVE_INFINITY
  return {
    restart(milliseconds) {
      end = performance.now() + milliseconds
    },
    poll() {
      if (performance.now() > end) throw new RpcError('server', 'execution timeout')
    },
  }
}
