/** A job's events as they come. */
import { UserError } from '../../base/errors.ts'
import type { Client } from './client.ts'

/** Maximum length of one event, in characters. */
const MAX_EVENT = 1024 * 1024

/** What happened, and its details as JSON. */
export type JobEvent = { readonly name: string; readonly data: string }

/** The events of a job until it ends. Rejects with UserError when the dispatcher refuses. */
export async function* jobEvents({ url, token }: Client, id: string): AsyncGenerator<JobEvent> {
  const response = await fetch(new URL(`/api/job/events/${id}`, url), {
    headers: token === undefined ? {} : { authorization: `Bearer ${token}` },
  })
  if (!response.ok || response.body === null)
    throw new UserError(`the dispatcher responded with ${response.status}`)
  const decoder = new TextDecoder()
  let rest = ''
  for await (const chunk of response.body as AsyncIterable<Uint8Array>) {
    const events = (rest + decoder.decode(chunk, { stream: true })).split('\n\n')
    rest = events.pop() ?? ''
    if (rest.length > MAX_EVENT) throw new UserError('the dispatcher sends an event without an end')
    for (const event of events) {
      const [, name] = /^event: (.*)$/m.exec(event) ?? []
      const [, data] = /^data: (.*)$/m.exec(event) ?? []
      if (name !== undefined) yield { name, data: data ?? '' }
    }
  }
}
