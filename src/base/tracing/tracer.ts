/** Spans of one program for OpenTelemetry (D112). Where no collector is configured there is no tracer, and nothing is paid. */
import { randomBytes } from 'node:crypto'
import type { Log } from '../log.ts'
import type { TraceContext } from './context.ts'
import { createExporter } from './exporter.ts'
import type { Attributes, SpanKind, SpanLink } from './span.ts'

export type TracerOptions = {
  /** URL of an OTLP/HTTP collector, without /v1/traces. */
  readonly endpoint: string
  readonly headers?: Readonly<Record<string, string>>
  /** Name of the program: "node", "dispatcher", … */
  readonly program: string
  /** Share of traces that is recorded, from 0 to 1. */
  readonly ratio: number
  readonly log: Log
}

export type NewSpan = {
  readonly kind: SpanKind
  /** Duration up to now, in milliseconds. */
  readonly milliseconds: number
  /** The span that caused it; a new trace begins without one. */
  readonly parent?: TraceContext | undefined
  /** The ids of this span, where they follow from something else; random ones otherwise. */
  readonly own?: SpanLink | undefined
  readonly links?: readonly SpanLink[] | undefined
  readonly attributes?: Attributes
  readonly isError?: boolean
}

export type Tracer = {
  /** Records a span that ends now, and returns its context. One that is not recorded has a context as well. */
  record(name: string, span: NewSpan): TraceContext
  counts(): { readonly exported: number; readonly dropped: number }
  close(): Promise<void>
}

const RATIO_DIGITS = 13

/**
 * Whether a trace is recorded: every program that knows its id and ratio decides the same. Strangers choose ids and
 * flags, so a flag may only take a trace away.
 */
export function isRecorded(traceId: string, ratio: number): boolean {
  const share = Number.parseInt(traceId.slice(-RATIO_DIGITS), 16) / 16 ** RATIO_DIGITS
  return share < ratio
}

const newId = (bytes: number): string => randomBytes(bytes).toString('hex')

/** Nanoseconds since 1970. */
function nowNs(): bigint {
  return BigInt(Math.round((performance.timeOrigin + performance.now()) * 1000)) * 1000n
}

/** A tracer that sends to a collector. */
export function createTracer({ program, ratio, log, ...target }: TracerOptions): Tracer {
  const exporter = createExporter({
    endpoint: target.endpoint,
    headers: target.headers ?? {},
    resource: {
      'service.name': `assay-${program}`,
      'service.namespace': 'assay',
      'process.pid': process.pid,
    },
    onFailure: (reason) => log.warn({ reason }, 'the collector of traces does not take them'),
  })
  return {
    record(
      name,
      { kind, milliseconds, parent, own, links = [], attributes = {}, isError = false },
    ) {
      const traceId = own?.traceId ?? parent?.traceId ?? newId(16)
      const spanId = own?.spanId ?? newId(8)
      const isSampled = parent?.isSampled !== false && isRecorded(traceId, ratio)
      if (isSampled) {
        const endNs = nowNs()
        const startNs = endNs - BigInt(Math.max(0, Math.round(milliseconds * 1e6)))
        const parentSpanId = parent?.spanId
        exporter.add({
          traceId,
          spanId,
          parentSpanId,
          name,
          kind,
          startNs,
          endNs,
          attributes,
          links,
          isError,
        })
      }
      return { traceId, spanId, isSampled }
    },
    counts: exporter.counts,
    close: exporter.close,
  }
}
