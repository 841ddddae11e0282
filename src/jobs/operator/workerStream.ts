/** Reads the response of a worker: one JSON document, or lines of JSON with text before it (worker/api.ts). */
import type { IncomingMessage } from 'node:http'
import { parseBounded, type JsonLimits } from '../../base/jsonBudget.ts'
import { LINES_TYPE, workerText } from '../worker/api.ts'

/** What a response may take: more would not fit a message to the dispatcher. */
const LIMITS: JsonLimits = { bytes: 16 * 1024 * 1024, depth: 8, values: 4096 }
const NEWLINE = 0x0a

/** The response is larger than any answer. */
export class TooLargeError extends Error {
  override readonly name = 'TooLargeError'
}

/** The document; what lines before it say is passed on. Rejects where it is too large or no JSON, and when the connection breaks. */
export async function readResponse(
  response: IncomingMessage,
  onText: (text: string) => void,
): Promise<unknown> {
  const isStream = response.headers['content-type']?.startsWith(LINES_TYPE) === true
  let chunks: Buffer[] = []
  let size = 0
  let content: unknown
  const take = (line: Buffer): void => {
    content = parseBounded(line, LIMITS)
    const piece = workerText.safeParse(content).data
    if (piece !== undefined) onText(piece.text)
  }
  for await (const chunk of response as AsyncIterable<Buffer>) {
    size += chunk.length
    // Of a stream, the text comes twice.
    if (size > LIMITS.bytes * (isStream ? 4 : 1))
      throw new TooLargeError(`the worker's answer is larger than ${LIMITS.bytes} bytes`)
    let rest = chunk
    for (;;) {
      const end = isStream ? rest.indexOf(NEWLINE) : -1
      if (end < 0) break
      take(Buffer.concat([...chunks, rest.subarray(0, end)]))
      chunks = []
      rest = rest.subarray(end + 1)
    }
    chunks.push(rest)
  }
  if (!isStream) take(Buffer.concat(chunks))
  return content
}
