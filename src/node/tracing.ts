/** What a node traces: JSON-RPC calls by their method, and blocks. Never parameters, results or accounts. */
import { parseTraceparent } from '../base/tracing/context.ts'
import type { Tracer } from '../base/tracing/tracer.ts'
import { toHexDigits } from '../base/hex.ts'
import type { ChainReader } from '../chain/reader.ts'
import type { EventBus } from '../events/bus.ts'
import type { CallObserver } from '../wire/dispatch.ts'

/** A span for each call, in the trace that its request named. */
export function traceCalls(tracer: Tracer): CallObserver {
  return (method, milliseconds, code, traceparent) => {
    tracer.record(method, {
      kind: 'server',
      milliseconds,
      parent: parseTraceparent(traceparent),
      attributes: {
        'rpc.system': 'jsonrpc',
        'rpc.method': method,
        ...(code !== undefined && { 'rpc.jsonrpc.error_code': code }),
      },
      isError: code !== undefined,
    })
  }
}

/**
 * Spans for each block: from its time, which consensus decided, until it is on this node's disk, and the commit within it.
 * The ids are taken from the block's hash, so the spans of all nodes of a network meet in one trace (D112).
 */
export function traceBlocks(tracer: Tracer, bus: EventBus, chain: ChainReader) {
  let commitSeconds = 0
  bus.on('block', ({ height }) => {
    const header = chain.header(height)
    if (header === undefined) return
    const hash = toHexDigits(header.hash)
    const attributes = {
      'assay.block.height': height,
      'assay.block.transactions': chain.transactionCount(height) ?? 0,
      'assay.block.gas': Number(header.gasUsed),
    }
    const parent = { traceId: hash.slice(0, 32), spanId: hash.slice(32, 48), isSampled: true }
    const age = Date.now() - Number(header.timeNs / 1_000_000n)
    const span = tracer.record('block', { kind: 'internal', milliseconds: age, parent, attributes })
    tracer.record('block.commit', {
      kind: 'internal',
      milliseconds: commitSeconds * 1000,
      parent: span,
      attributes: { 'assay.block.height': height },
    })
  })
  return {
    /** Called before a block is announced, with how long its commit took. */
    onCommit(seconds: number): void {
      commitSeconds = seconds
    },
  }
}

/** Calls both; undefined without either. */
export function bothObservers(
  a: CallObserver | undefined,
  b: CallObserver | undefined,
): CallObserver | undefined {
  if (a === undefined || b === undefined) return a ?? b
  return (...call) => {
    a(...call)
    b(...call)
  }
}
