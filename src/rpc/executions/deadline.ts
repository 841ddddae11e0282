/** A time by which an execution must have ended. */
import { RpcError } from '../../wire/errors.ts'

export type Deadline = {
  /** Starts anew, with this many milliseconds. */
  restart(milliseconds: number): void
  /** Throws RpcError -32000 `execution timeout` when the time is over. */
  poll(): void
}

/** A deadline that is never over until it is started. */
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
