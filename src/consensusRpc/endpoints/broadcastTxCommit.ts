import { messageOf } from '../../base/errors.ts'
import { ConsensusError } from '../../consensus/engine.ts'
import type { CometEventData } from '../../events/cometEvent.ts'
import { consensusHashText } from '../../events/cometEvents.ts'
import type { CometSubscriptions } from '../../events/cometSubscriptions.ts'
import type { Query } from '../../events/query/query.ts'
import { bytes } from '../argument.ts'
import { encodeCheckTx, encodeTxResult, NO_TX_RESULT } from '../encode/abci.ts'
import { decimal } from '../encode/primitive.ts'
import { type CometCaller, cometMethod } from '../method.ts'
import type { CometServices } from '../world.ts'

type TxEvent = Extract<CometEventData, { readonly type: 'Tx' }>

/** A wait for the block that includes a transaction. `end` must be called once it is no longer needed. */
type Inclusion = { readonly included: Promise<TxEvent>; end(): void }

/** A promise that is settled from outside; Node 20 lacks Promise.withResolvers. */
function deferred<T>(): {
  readonly promise: Promise<T>
  readonly resolve: (value: T) => void
  readonly reject: (error: Error) => void
} {
  let resolve: (value: T) => void = () => undefined
  let reject: (error: Error) => void = () => undefined
  const promise = new Promise<T>((onValue, onError) => {
    resolve = onValue
    reject = onError
  })
  return { promise, resolve, reject }
}

function awaitInclusion(
  subscriptions: CometSubscriptions,
  { remote, signal }: CometCaller,
  hash: string,
  timeoutMs: number,
): Inclusion {
  const query: Query = [
    { tag: 'tm.event', operator: '=', operand: { kind: 'string', text: 'Tx' } },
    { tag: 'tx.hash', operator: '=', operand: { kind: 'string', text: hash } },
  ]
  const { promise, resolve, reject } = deferred<TxEvent>()
  const fail = (reason: string): void => reject(new ConsensusError(reason))
  subscriptions.subscribe(remote, query, {
    deliver({ data }) {
      if (data.type === 'Tx') resolve(data)
      return true
    },
    cancelled: (reason) => fail(`txSub was cancelled (reason: ${reason})`),
  })
  const timer = setTimeout(fail, timeoutMs, 'timed out waiting for tx to be included in a block')
  const onGone = (): void => fail('the client disconnected')
  signal.addEventListener('abort', onGone)
  // The outcome may never be awaited, when the pool refuses the transaction.
  promise.catch(() => undefined)
  return {
    included: promise,
    end() {
      clearTimeout(timer)
      signal.removeEventListener('abort', onGone)
      try {
        subscriptions.unsubscribe(remote, query)
      } catch {
        // Already ended by the other side.
      }
    },
  }
}

export const broadcast_tx_commit = cometMethod({
  summary:
    'Adds a transaction to the pool and returns once it is in a block, or after 10 s with an error.',
  args: { tx: bytes },
  async handler(
    services: Pick<CometServices, 'engine' | 'subscriptions' | 'commitTimeoutMs'>,
    { tx },
    caller,
  ): Promise<object> {
    const { engine, subscriptions, commitTimeoutMs } = services
    const hash = consensusHashText(tx)
    // Subscribed before the pool has it: the block may come before the pool's response.
    const inclusion = awaitInclusion(subscriptions, caller, hash, commitTimeoutMs)
    try {
      const check = await engine.broadcast(tx).catch((error: unknown) => {
        if (!(error instanceof ConsensusError)) throw error
        throw new ConsensusError(`error on broadcastTxCommit: ${messageOf(error)}`)
      })
      const event = check.code === 0 ? await inclusion.included : undefined
      return {
        check_tx: encodeCheckTx(check),
        tx_result: encodeTxResult(event?.result ?? NO_TX_RESULT),
        hash,
        height: decimal(event?.height ?? 0),
      }
    } finally {
      inclusion.end()
    }
  },
})
