/** Server-sent events over fetch, which can send a token where EventSource cannot (HTML standard, "Server-sent events"). */

export type StreamEvent = { readonly id: string; readonly event: string; readonly data: string }

/** Maximum size of an incomplete event. */
const MAX_EVENT = 1_000_000

function parseEvent(block: string): StreamEvent | undefined {
  let id = ''
  let event = 'message'
  const data: string[] = []
  for (const line of block.split('\n')) {
    const [, field = '', value = ''] = /^([^:]*):? ?(.*)$/s.exec(line) ?? []
    if (field === 'id') id = value
    if (field === 'event') event = value
    if (field === 'data') data.push(value)
  }
  return data.length === 0 ? undefined : { id, event, data: data.join('\n') }
}

/** The events of a stream, as they come. Whoever stops reading ends the stream. */
export async function* readEvents(body: ReadableStream<Uint8Array>): AsyncGenerator<StreamEvent> {
  const reader = body.getReader()
  const decoder = new TextDecoder()
  let waiting = ''
  try {
    for (;;) {
      const { done, value } = await reader.read()
      if (done) return
      waiting += decoder.decode(value, { stream: true }).replaceAll('\r\n', '\n')
      if (waiting.length > MAX_EVENT) throw new RangeError('an event is too long')
      const blocks = waiting.split('\n\n')
      waiting = blocks.pop() ?? ''
      for (const block of blocks) {
        const event = parseEvent(block)
        if (event !== undefined) yield event
      }
    }
  } finally {
    await reader.cancel().catch(() => undefined)
  }
}
