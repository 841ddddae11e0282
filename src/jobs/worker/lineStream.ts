/** A response of a worker that begins with its first text (api.ts); without any, it is an ordinary one. */
import { PassThrough } from 'node:stream'
import type { FastifyReply } from 'fastify'
import { LINES_TYPE } from './api.ts'

export type LineStream = {
  /** Sends text. */
  text(text: string): void
  /** Whether any was sent. */
  readonly hasBegun: boolean
  /** Sends the answer or the failure as the last line. */
  end(last: object): void
}

/** The stream of a reply. */
export function openLineStream(reply: FastifyReply): LineStream {
  let lines: PassThrough | undefined
  const write = (line: object): void => void lines?.write(`${JSON.stringify(line)}\n`)
  return {
    get hasBegun() {
      return lines !== undefined
    },
    text(text) {
      if (lines === undefined) {
        lines = new PassThrough()
        void reply.type(LINES_TYPE).send(lines)
      }
      write({ text })
    },
    end(last) {
      write(last)
      lines?.end()
    },
  }
}
