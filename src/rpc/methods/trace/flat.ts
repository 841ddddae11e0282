/** Flat traces of stored blocks and transactions: the trace module is the flat tracer in other words. */
import type { TraceConfig } from '../../parameters/traceConfig.ts'
import type { Node } from '../../world.ts'

const FLAT: TraceConfig = {
  tracer: 'flatCallTracer',
  tracerConfig: { convertParityErrors: true },
}

/** One flat trace, as far as filters look at it. */
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

/** A trace as OpenEthereum has it: `result` is null where there is none. */
function localized<T extends FlatTrace>(trace: T): T {
  return { ...trace, result: trace.result ?? null }
}

/** The same without the place of its transaction, as it stands in a replay. */
export function unplaced(trace: FlatTrace): object {
  return Object.fromEntries(Object.entries(localized(trace)).filter(([key]) => !PLACE.has(key)))
}

/** The traces of all transactions of a block, in order. Rejects with RpcError. */
export async function tracesOfBlock(
  { chain, executions }: Pick<Node, 'chain' | 'executions'>,
  height: number,
): Promise<readonly FlatTrace[]> {
  // Most blocks of a quiet chain: nobody has to be asked.
  if (chain.transactionCount(height) === 0) return []
  const traces = await executions.run({ kind: 'traceBlock', height, config: FLAT })
  return (traces as readonly { result: readonly FlatTrace[] }[]).flatMap(({ result }) =>
    result.map(localized),
  )
}

/** The traces of one transaction, or undefined for an unknown one. Rejects with RpcError. */
export async function tracesOfTransaction(
  { chain, executions }: Pick<Node, 'chain' | 'executions'>,
  hash: Uint8Array,
): Promise<readonly FlatTrace[] | undefined> {
  const place = chain.findTransaction(hash)
  if (!place) return undefined
  const traces = await executions.run({ kind: 'traceTransaction', ...place, config: FLAT })
  return (traces as readonly FlatTrace[]).map(localized)
}
