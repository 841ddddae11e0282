/** A finished span, and its form in OTLP/HTTP: the JSON mapping of opentelemetry/proto/trace/v1/trace.proto. */
import { VERSION } from '../version.ts'

/** Never a prompt, an answer, a parameter of a call, or a secret. */
export type Attributes = Readonly<Record<string, string | number | boolean>>

/** SpanKind of the protocol. */
export const SPAN_KIND = { internal: 1, server: 2, client: 3, producer: 4, consumer: 5 } as const
export type SpanKind = keyof typeof SPAN_KIND

export type SpanLink = { readonly traceId: string; readonly spanId: string }

/** Times in nanoseconds since 1970. */
export type FinishedSpan = SpanLink & {
  readonly parentSpanId: string | undefined
  readonly name: string
  readonly kind: SpanKind
  readonly startNs: bigint
  readonly endNs: bigint
  readonly attributes: Attributes
  readonly links: readonly SpanLink[]
  readonly isError: boolean
}

/** Maximum length of an attribute, in characters. */
const MAX_TEXT = 256

/** 64-bit integers are texts in this mapping. */
function valueOf(value: string | number | boolean): object {
  if (typeof value === 'string') return { stringValue: value.slice(0, MAX_TEXT) }
  if (typeof value === 'boolean') return { boolValue: value }
  return Number.isSafeInteger(value) ? { intValue: String(value) } : { doubleValue: value }
}

function attributesOf(attributes: Attributes): readonly object[] {
  return Object.entries(attributes).map(([key, value]) => ({ key, value: valueOf(value) }))
}

function spanOf({ kind, startNs, endNs, attributes, isError, ...span }: FinishedSpan): object {
  return {
    traceId: span.traceId,
    spanId: span.spanId,
    ...(span.parentSpanId !== undefined && { parentSpanId: span.parentSpanId }),
    name: span.name,
    kind: SPAN_KIND[kind],
    startTimeUnixNano: String(startNs),
    endTimeUnixNano: String(endNs),
    attributes: attributesOf(attributes),
    ...(span.links.length > 0 && {
      links: span.links.map(({ traceId, spanId }) => ({ traceId, spanId })),
    }),
    status: isError ? { code: 2 } : {},
  }
}

/** An ExportTraceServiceRequest. `resource` says which process the spans are of. */
export function exportRequest(resource: Attributes, spans: readonly FinishedSpan[]): string {
  return JSON.stringify({
    resourceSpans: [
      {
        resource: { attributes: attributesOf(resource) },
        scopeSpans: [{ scope: { name: 'assay', version: VERSION }, spans: spans.map(spanOf) }],
      },
    ],
  })
}
