/**
 * Flat traces of stored blocks and transactions: the trace module shows the flat tracer's results in another format.
 */
import type { TraceConfig } from '../../parameters/traceConfig.ts'
import type { PendingBlock } from '../../pending/pendingView.ts'
import type { World } from '../../world.ts'

const FLAT: TraceConfig = {
  tracer: 'flatCallTracer',
  tracerConfig: { convertParityErrors: true },
}

/** The fields of a flat trace that filters read. */
export type FlatTrace = {
  readonly action: {
    readonly from?: string
    readonly to?: string
    readonly address?: string
    readonly refundAddress?: string
  }
  readonly result?: { readonly address?: string } | null
  readonly traceAddress: readonly number[]
}

const PLACE: ReadonlySet<string> = new Set([
  'blockHash',
  'blockNumber',
  'transactionHash',
  'transactionPosition',
])

/** A trace in OpenEthereum's format: `result` is null when there is none. */
function localized<T extends FlatTrace>(trace: T): T {
  return { ...trace, result: trace.result ?? null }
}

/** The same without the position of its transaction, as in a replay. */
export function unplaced(trace: FlatTrace): object {
  return Object.fromEntries(Object.entries(localized(trace)).filter(([key]) => !PLACE.has(key)))
}

/** The traces of all transactions of a block, in order. Rejects with RpcError. */
export async function tracesOfBlock(
  { chain, executions }: Pick<World, 'chain' | 'executions'>,
  height: number,
  pending?: PendingBlock,
): Promise<readonly FlatTrace[]> {
  // Most blocks of a quiet chain are empty: no thread is needed.
  if (chain.transactionCount(height) === 0) return []
  const traces = await executions.run({ kind: 'traceBlock', height, config: FLAT, pending })
  return (traces as readonly { result: readonly FlatTrace[] }[]).flatMap(({ result }) =>
    result.map(localized),
  )
}

/** The traces of one transaction, or undefined for an unknown one. Rejects with RpcError. */
export async function tracesOfTransaction(
  { chain, executions }: Pick<World, 'chain' | 'executions'>,
  hash: Uint8Array,
): Promise<readonly FlatTrace[] | undefined> {
  const place = chain.findTransaction(hash)
  if (!place) return undefined
  const traces = await executions.run({ kind: 'traceTransaction', ...place, config: FLAT })
  return (traces as readonly FlatTrace[]).map(localized)
}
