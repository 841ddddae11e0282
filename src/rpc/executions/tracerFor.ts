/** The tracer that a configuration selects, by its name or by its source. */
import type { TracerKind } from '../../evm/tracers/tracer.ts'
import type { ExecutionWorld } from './world.ts'
import { tracerOf, type TraceConfig } from '../parameters/traceConfig.ts'

/** A source is an object; names have no braces. */
function isSource(tracer: string): boolean {
  return tracer.includes('{')
}

/** The kind of tracer; an interpreter is loaded only for a source. Throws RpcError -32000. */
export async function tracerFor(
  { limitStep }: Pick<ExecutionWorld, 'limitStep'>,
  config: TraceConfig,
  timeoutMs: number,
): Promise<TracerKind> {
  const { tracer, tracerConfig } = config
  if (tracer == null || !isSource(tracer)) return tracerOf(config)
  const [{ loadQuickJs }, { javascriptTracer }] = await Promise.all([
    import('./javascript/machine.ts'),
    import('./javascript/tracer.ts'),
  ])
  return javascriptTracer(await loadQuickJs(), tracer, tracerConfig, { timeoutMs, limitStep })
}
