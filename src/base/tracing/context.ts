/** W3C Trace Context, level 1: which trace a request belongs to, and which span it comes from. */

/** Ids are lower-case hex digits, 32 and 16 of them, not all zeros. */
export type TraceContext = {
  readonly traceId: string
  readonly spanId: string
  /** Whether the caller records the trace. */
  readonly isSampled: boolean
}

const TRACEPARENT = /^([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(-.*)?$/
const MAX_LENGTH = 256

/** Reads a `traceparent` header. Anything malformed is as if it were absent, as the specification asks. */
export function parseTraceparent(text: string | undefined): TraceContext | undefined {
  if (text === undefined || text.length > MAX_LENGTH) return undefined
  const [, version, traceId = '', spanId = '', flags = '', rest] = TRACEPARENT.exec(text) ?? []
  if (version === undefined || version === 'ff') return undefined
  // Later versions may append fields, this one has none.
  if (version === '00' && rest !== undefined) return undefined
  if (/^0+$/.test(traceId) || /^0+$/.test(spanId)) return undefined
  return { traceId, spanId, isSampled: (Number.parseInt(flags, 16) & 1) === 1 }
}

/** The header that continues a trace. */
export function formatTraceparent({ traceId, spanId, isSampled }: TraceContext): string {
  return `00-${traceId}-${spanId}-0${isSampled ? 1 : 0}`
}
