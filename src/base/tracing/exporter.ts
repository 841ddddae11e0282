/**
 * Sends spans to a collector in batches, over OTLP/HTTP with JSON. The program never waits for it: a queue that is full,
 * because the collector is slow or gone, drops the newest spans and counts them.
 */
import { backOff } from '../backOff.ts'
import { exportRequest, type Attributes, type FinishedSpan } from './span.ts'

export type ExporterOptions = {
  /** URL of the collector, without /v1/traces. */
  readonly endpoint: string
  /** Headers with credentials. */
  readonly headers: Readonly<Record<string, string>>
  readonly resource: Attributes
  /** Maximum number of spans that wait, and in one request. */
  readonly queueLimit?: number
  readonly batchLimit?: number
  readonly intervalMs?: number
  /** Called at the first failure after a success, with what went wrong. */
  readonly onFailure: (reason: string) => void
}

export type Exporter = {
  add(span: FinishedSpan): void
  /** Numbers of spans since startup. */
  counts(): { readonly exported: number; readonly dropped: number }
  /** Sends what waits, for a few seconds at most. */
  close(): Promise<void>
}

const REQUEST_MS = 5000
const CLOSE_MS = 3000

/** Whether the same request may succeed later (OTLP, "Failures"). */
function isRetryable(status: number): boolean {
  return [429, 502, 503, 504].includes(status)
}

/** A queue without spans. */
export function createExporter(options: ExporterOptions): Exporter {
  const { queueLimit = 4096, batchLimit = 512, intervalMs = 2000, resource, headers } = options
  const url = `${options.endpoint.replace(/\/+$/, '')}/v1/traces`
  const counts = { exported: 0, dropped: 0 }
  let queue: FinishedSpan[] = []
  let failures = 0
  let sending: Promise<void> | undefined
  let timer: NodeJS.Timeout | undefined
  const closing = new AbortController()

  const isFailing = (): boolean => failures > 0

  function schedule(delay: number): void {
    if (timer !== undefined || sending !== undefined) return
    timer = setTimeout(() => {
      timer = undefined
      void send()
    }, delay)
    timer.unref()
  }

  /** undefined when the collector has the spans; otherwise why not, and whether to try again. */
  async function post(
    spans: readonly FinishedSpan[],
  ): Promise<{ readonly reason: string; readonly retry: boolean } | undefined> {
    try {
      const response = await fetch(url, {
        method: 'POST',
        headers: { 'content-type': 'application/json', ...headers },
        body: exportRequest(resource, spans),
        redirect: 'error',
        signal: AbortSignal.any([AbortSignal.timeout(REQUEST_MS), closing.signal]),
      })
      await response.body?.cancel()
      if (response.ok) return undefined
      return { reason: `status ${response.status}`, retry: isRetryable(response.status) }
    } catch {
      // The error's text may have the URL, which may have credentials.
      return { reason: 'no answer', retry: true }
    }
  }

  function keep(batch: readonly FinishedSpan[]): void {
    const room = Math.max(0, queueLimit - queue.length)
    counts.dropped += Math.max(0, batch.length - room)
    queue = [...batch.slice(0, room), ...queue]
  }

  async function sendBatch(): Promise<void> {
    const batch = queue.splice(0, batchLimit)
    const failure = await post(batch)
    if (failure === undefined) {
      counts.exported += batch.length
      failures = 0
      return
    }
    if (failures++ === 0) options.onFailure(failure.reason)
    if (failure.retry) keep(batch)
    else counts.dropped += batch.length
  }

  function send(): Promise<void> {
    sending ??= sendBatch().finally(() => {
      sending = undefined
      if (queue.length > 0) schedule(failures === 0 ? 0 : backOff(failures))
    })
    return sending
  }

  return {
    add(span) {
      if (queue.length >= queueLimit) counts.dropped++
      else queue.push(span)
      schedule(intervalMs)
    },
    counts: () => ({ ...counts }),
    async close() {
      const deadline = setTimeout(() => closing.abort(), CLOSE_MS)
      clearTimeout(timer)
      while (queue.length > 0 && !closing.signal.aborted && !isFailing()) await send()
      clearTimeout(deadline)
      clearTimeout(timer)
      counts.dropped += queue.length
      queue = []
    },
  }
}
