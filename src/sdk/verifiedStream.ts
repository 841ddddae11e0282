/** Streams of completions that end well only when their text verifies (D151). */
import { readChunk } from './completion.ts'
import { readEvents } from './eventStream.ts'
import { unverifiedError } from './unverified.ts'

/** Says why a text does not verify; undefined if it does. */
export type Check = (text: string) => Promise<string | undefined>

const DONE = '[DONE]'
/** Maximum length of a text, and of a stream that is held, in characters. */
const MAX_LENGTH = 64_000_000
const TOO_LONG = 'the answer is too long to be verified'
const NO_END = 'the stream has no end'

const encoder = new TextEncoder()
const eventOf = (data: string): string => `data: ${data}\n\n`
const errorEvent = (reason: string): string => eventOf(JSON.stringify(unverifiedError(reason)))

/** All of a stream, once its text verifies, or why it does not. An error of the server is all that is left of its stream. */
export async function heldStream(
  body: ReadableStream<Uint8Array>,
  check: Check,
): Promise<{ readonly body: string } | { readonly reason: string }> {
  let held = ''
  let text = ''
  let isWhole = false
  for await (const { data } of readEvents(body)) {
    held += eventOf(data)
    if (held.length > MAX_LENGTH) return { reason: TOO_LONG }
    if (data === DONE) continue
    const chunk = readChunk(data)
    if (chunk.isError) return { body: eventOf(data) }
    text += chunk.text
    isWhole ||= chunk.isEnd
  }
  const reason = isWhole ? await check(text) : NO_END
  return reason === undefined ? { body: held } : { reason }
}

/** The events of a stream as they come, except for its end, which comes once the text verifies; else an error ends it. */
async function* shown(body: ReadableStream<Uint8Array>, check: Check): AsyncGenerator<string> {
  let text = ''
  let isProven = false
  for await (const { data } of readEvents(body)) {
    const chunk = data === DONE ? undefined : readChunk(data)
    text += chunk?.text ?? ''
    if (text.length > MAX_LENGTH) return yield errorEvent(TOO_LONG)
    if (chunk?.isEnd === true || (isProven && chunk?.text !== undefined && chunk.text !== '')) {
      const reason = isProven ? 'the answer goes on after its end' : await check(text)
      if (reason !== undefined) return yield errorEvent(reason)
      isProven = true
    }
    if (data === DONE && !isProven) return yield errorEvent(NO_END)
    yield eventOf(data)
    if (chunk?.isError === true) return undefined
  }
  if (!isProven) yield errorEvent(NO_END)
  return undefined
}

/** The same as bytes. */
export function shownStream(
  body: ReadableStream<Uint8Array>,
  check: Check,
): ReadableStream<Uint8Array> {
  const events = shown(body, check)
  return new ReadableStream({
    async pull(controller) {
      try {
        const { done, value } = await events.next()
        if (done === true) controller.close()
        else controller.enqueue(encoder.encode(value))
      } catch (error) {
        controller.error(error)
      }
    },
    async cancel() {
      await events.return(undefined)
    },
  })
}
