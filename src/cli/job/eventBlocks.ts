/** Server-sent events as they come (HTML, section 9.2). */
import { UserError } from '../../base/errors.ts'

/** Maximum length of one event, in characters. */
const MAX_EVENT = 64 * 1024 * 1024

/** The lines of each event. Rejects with UserError when one has no end. */
export async function* eventBlocks(body: AsyncIterable<Uint8Array>): AsyncGenerator<string> {
  const decoder = new TextDecoder()
  let rest = ''
  for await (const chunk of body) {
    const events = (rest + decoder.decode(chunk, { stream: true })).split('\n\n')
    rest = events.pop() ?? ''
    if (rest.length > MAX_EVENT) throw new UserError('the dispatcher sends an event without an end')
    yield* events
  }
}
