/** A stream of server-sent events as OpenAI's clients read them, which waits for a client that reads slowly. */
import type { ServerResponse } from 'node:http'

/** Proxies close connections that are idle for long. */
const COMMENT_MS = 15_000

export type EventStream = {
  /** Whether anything was sent, so that no other status can be. */
  readonly hasBegun: boolean
  /** Sends an event. Resolves when the client has room for more, or is gone. */
  send(data: object): Promise<void>
  /** Sends the last event, [DONE] if all went well. */
  end(isDone: boolean): void
}

/** A stream that begins with its first event, or after a while. */
export function openEventStream(
  raw: ServerResponse,
  headers: Readonly<Record<string, string>>,
): EventStream {
  let hasBegun = false
  const begin = (): void => {
    if (hasBegun) return
    hasBegun = true
    raw.writeHead(200, {
      'content-type': 'text/event-stream; charset=utf-8',
      'cache-control': 'no-store',
      ...headers,
    })
  }
  const comments = setInterval(() => {
    begin()
    raw.write(': still here\n\n')
  }, COMMENT_MS)
  raw.once('close', () => clearInterval(comments))
  return {
    get hasBegun() {
      return hasBegun
    },
    async send(data) {
      begin()
      if (raw.destroyed || raw.write(`data: ${JSON.stringify(data)}\n\n`)) return
      await new Promise<void>((resolve) => {
        const settle = (): void => {
          raw.off('drain', settle)
          raw.off('close', settle)
          resolve()
        }
        raw.on('drain', settle)
        raw.on('close', settle)
      })
    },
    end(isDone) {
      begin()
      clearInterval(comments)
      raw.end(isDone ? 'data: [DONE]\n\n' : undefined)
    },
  }
}
