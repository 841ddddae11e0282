/** Reads the body of an HTTP request up to a limit. */
import { isUtf8 } from 'node:buffer'
import type { IncomingMessage } from 'node:http'

/** How much of a refused body is still read, so that the sender receives the answer instead of a broken connection. */
const DRAIN_BYTES = 16 * 1024 * 1024

/** A body was larger than allowed. */
export class BodyTooLargeError extends Error {
  override readonly name = 'BodyTooLargeError'
}

/** The body's bytes. Rejects with BodyTooLargeError as soon as it exceeds `limit` bytes, or when the client goes away. */
export function readBody(request: IncomingMessage, limit: number): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = []
    let size = 0
    request.on('data', (chunk: Buffer) => {
      size += chunk.length
      if (size <= limit) {
        chunks.push(chunk)
        return
      }
      chunks.length = 0
      reject(new BodyTooLargeError(`content length too large (>${limit})`))
      if (size > limit + DRAIN_BYTES) request.destroy()
    })
    request.on('end', () => {
      resolve(chunks.length === 1 ? (chunks[0] as Buffer) : Buffer.concat(chunks))
    })
    request.on('error', reject)
    if (Number(request.headers['content-length'] ?? 0) > limit)
      reject(new BodyTooLargeError(`content length too large (>${limit})`))
  })
}

/** The text of UTF-8 bytes; undefined for bytes that are not UTF-8, which JSON must be (RFC 8259 section 8.1). */
export function textOf(bytes: Buffer): string | undefined {
  return isUtf8(bytes) ? bytes.toString() : undefined
}
