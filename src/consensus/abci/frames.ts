/**
 * Messages of an ABCI socket: each is prefixed with its length as an unsigned varint (ABCI++ specification, "Socket
 * Protocol").
 */
import { concatAll, EMPTY_BYTES } from '../../base/bytes.ts'
import { encodeVarint } from '../../proof/comet/protobuf.ts'

/** The peer does not speak ABCI: message boundaries on this connection can no longer be found. */
export class FrameError extends Error {
  override readonly name = 'FrameError'
}

/** Maximum length of a message: CometBFT's maximum block size (100 MiB), plus its envelope. */
export const MAX_FRAME_BYTES = 104_857_600 + 1_048_576

// 128^5 exceeds every length that is allowed.
const MAX_LENGTH_BYTES = 5

/** A message as it is sent over the socket. */
export function encodeFrame(message: Uint8Array): Uint8Array {
  return concatAll([encodeVarint(message.length), message])
}

export type FrameReader = {
  /**
   * Takes the next bytes from the socket and returns the messages that are now complete, as copies. Throws FrameError
   * for a length beyond the limit; nothing can be read after that.
   */
  push(chunk: Uint8Array): readonly Uint8Array[]
}

/** Creates a reader for a new connection. */
export function createFrameReader(limit = MAX_FRAME_BYTES): FrameReader {
  let chunks: Uint8Array[] = []
  let available = 0
  /** Length of the current message; undefined while the length itself is being read. */
  let expected: number | undefined
  let partial = 0
  let lengthBytes = 0

  function readLength(byte: number): void {
    partial += (byte & 0x7f) * 2 ** (7 * lengthBytes)
    lengthBytes++
    if (byte >= 0x80) {
      if (lengthBytes === MAX_LENGTH_BYTES)
        throw new FrameError('the length of a message is longer than five bytes')
      return
    }
    if (partial > limit)
      throw new FrameError(`a message of ${partial} bytes is beyond the limit of ${limit}`)
    expected = partial
    partial = 0
    lengthBytes = 0
  }

  function complete(rest: Uint8Array): Uint8Array {
    const message = chunks.length === 0 ? Uint8Array.from(rest) : concatAll([...chunks, rest])
    chunks = []
    available = 0
    expected = undefined
    return message
  }

  return {
    push(chunk) {
      const messages: Uint8Array[] = []
      let at = 0
      while (at < chunk.length || expected === 0) {
        if (expected === undefined) {
          readLength(chunk[at++] ?? 0)
          if (expected === 0) messages.push(complete(EMPTY_BYTES))
          continue
        }
        const missing = expected - available
        const part = chunk.subarray(at, at + missing)
        at += part.length
        if (part.length === missing) {
          messages.push(complete(part))
        } else {
          // A copy: the socket may reuse its buffer.
          chunks.push(Uint8Array.from(part))
          available += part.length
        }
      }
      return messages
    },
  }
}
