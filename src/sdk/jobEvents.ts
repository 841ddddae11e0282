/** The progress of a job as it comes, over as many connections as it takes. */
import { readEvents } from './eventStream.ts'
import { errorOf, pause, type Send } from './request.ts'

/** One step of a job. `id` resumes after it. */
export type JobEvent = {
  readonly id: string
  readonly event: 'created' | 'dispatched' | 'draw' | JobEnd
  readonly data: Readonly<Record<string, unknown>>
}

/** How a job can end. */
export type JobEnd = (typeof ENDS)[number]

const ENDS = ['completed', 'failed', 'expired', 'cancelled'] as const
const RECONNECT_MS = 1000
/** Connections in a row that bring nothing. */
const MAX_SILENT = 10

/** Whether a job has ended with this event. */
export function isJobEnd(event: string): event is JobEnd {
  return (ENDS as readonly string[]).includes(event)
}

export type StreamOptions = {
  /** Id of the last event that is known. */
  readonly after?: string
  readonly signal?: AbortSignal
}

/**
 * The events of a job until it ends. A connection that breaks is opened again after the last event. Throws JobApiError where the
 * dispatcher refuses, and the error of the connection after ten that brought nothing.
 */
export async function* jobEvents(
  send: Send,
  id: string,
  { after = '', signal }: StreamOptions = {},
): AsyncGenerator<JobEvent> {
  let last = after
  let silent = 0
  for (;;) {
    let failure: unknown
    try {
      const headers = { 'last-event-id': last === '' ? undefined : last }
      const path = `/api/job/events/${encodeURIComponent(id)}`
      const response = await send(path, { method: 'GET', signal }, headers)
      if (!response.ok || response.body === null) throw await errorOf(response)
      for await (const { id: at, event, data } of readEvents(response.body)) {
        last = at
        silent = -1
        yield {
          id: at,
          event: event as JobEvent['event'],
          data: JSON.parse(data) as JobEvent['data'],
        }
        if (isJobEnd(event)) return
      }
    } catch (error) {
      // What fetch and its bodies throw when a connection fails; everything else is final.
      if (!(error instanceof TypeError) || signal?.aborted === true) throw error
      failure = error
    }
    if (++silent >= MAX_SILENT)
      throw failure ?? new Error(`the stream of job ${id} ends without its end`)
    await pause(RECONNECT_MS, signal)
  }
}
