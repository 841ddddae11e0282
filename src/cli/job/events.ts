/** A job's events as they come. */
import { UserError } from '../../base/errors.ts'
import type { Client } from './client.ts'
import { eventBlocks } from './eventBlocks.ts'

/** What happened, and its details as JSON. */
export type JobEvent = { readonly name: string; readonly data: string }

/** The events of a job until it ends. Rejects with UserError when the dispatcher refuses. */
export async function* jobEvents({ url, token }: Client, id: string): AsyncGenerator<JobEvent> {
  const response = await fetch(new URL(`/api/job/events/${id}`, url), {
    headers: token === undefined ? {} : { authorization: `Bearer ${token}` },
  })
  if (!response.ok || response.body === null)
    throw new UserError(`the dispatcher responded with ${response.status}`)
  for await (const event of eventBlocks(response.body as AsyncIterable<Uint8Array>)) {
    const [, name] = /^event: (.*)$/m.exec(event) ?? []
    const [, data] = /^data: (.*)$/m.exec(event) ?? []
    if (name !== undefined) yield { name, data: data ?? '' }
  }
}
