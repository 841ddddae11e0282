/** A job as it goes: what its events told so far. */
import { useEffect, useState } from 'react'
import { JOB_ENDS } from '../../../src/proof/job/job.ts'
import type { JobApi } from './api.ts'
import { readEvents } from '../../../src/sdk/eventStream.ts'

export type JobEvent = {
  readonly id: string
  readonly event: string
  readonly at: string
  readonly operator: string
  readonly isSelected: boolean | undefined
  readonly reason: string
}

const RETRY_MS = 1000
const ENDS: ReadonlySet<string> = new Set(JOB_ENDS)

function readEvent(id: string, event: string, text: string): JobEvent {
  const data = JSON.parse(text) as Readonly<Record<string, unknown>>
  const textOf = (key: string): string => {
    const value = data[key]
    return typeof value === 'string' ? value : ''
  }
  const { selected } = data
  return {
    id,
    event,
    at: textOf('at'),
    operator: textOf('operator'),
    isSelected: typeof selected === 'boolean' ? selected : undefined,
    reason: textOf('reason'),
  }
}

/** Whether a job has come to its end with this event. */
export function isEnd(event: JobEvent): boolean {
  return ENDS.has(event.event)
}

/** Whether a state is one of those in which a job ends. */
export function isEndState(state: string): boolean {
  return ENDS.has(state)
}

/** The events of a job, in order; resumes after the last one when the connection is lost. */
export function useJobEvents(api: JobApi, job: string): readonly JobEvent[] {
  const [events, setEvents] = useState<readonly JobEvent[]>([])

  useEffect(() => {
    const stop = new AbortController()
    const listen = async (): Promise<void> => {
      let last = ''
      while (!stop.signal.aborted) {
        try {
          const response = await api.events(job, last, stop.signal)
          if (response.status === 404 || response.status === 401 || response.body === null) return
          for await (const { id, event, data } of readEvents(response.body)) {
            const next = readEvent(id, event, data)
            last = id
            setEvents((before) => [...before.filter((each) => each.id !== id), next])
            if (isEnd(next)) return
          }
        } catch {
          // The connection was lost; it is opened again.
        }
        await new Promise((resolve) => setTimeout(resolve, RETRY_MS))
      }
    }
    void listen()
    return () => stop.abort()
  }, [api, job])

  return events
}
