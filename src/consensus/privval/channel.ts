/** Messages of the privval protocol over a connection: each is prefixed with its length as an unsigned varint. */
import type { Socket } from 'node:net'
import { lengthDelimited } from '../../proof/comet/protobuf.ts'
import { socketSource, type ByteSource } from './byteSource.ts'

/** Maximum size of a message (CometBFT, privval/signer_endpoint.go). */
export const MAX_MESSAGE_BYTES = 10_240

/** The other side does not speak the protocol. */
export class ChannelError extends Error {
  override readonly name = 'ChannelError'
}

export type Channel = {
  send(message: Uint8Array): void
  /** The next message. One call at a time. Rejects with ChannelError, or ConnectionLostError. */
  receive(): Promise<Uint8Array>
  close(): void
}

/** Reads the next message. Rejects with ChannelError for one beyond the limit. */
export async function readDelimited(source: ByteSource, limit: number): Promise<Uint8Array> {
  let length = 0
  for (let shift = 0; ; shift += 7) {
    // Three bytes hold every length below two million.
    if (shift > 14) throw new ChannelError('the length of a message has more than three bytes')
    const [byte = 0] = await source.read(1)
    length += (byte & 0x7f) * 2 ** shift
    if (byte < 0x80) break
  }
  if (length > limit)
    throw new ChannelError(`a message of ${length} bytes is beyond the limit of ${limit}`)
  return length === 0 ? new Uint8Array(0) : await source.read(length)
}

/** A connection whose other side is on this machine, over a Unix socket: not encrypted. */
export function plainChannel(socket: Socket): Channel {
  const source = socketSource(socket)
  return {
    send: (message) => void socket.write(lengthDelimited(message)),
    receive: () => readDelimited(source, MAX_MESSAGE_BYTES),
    close: () => socket.destroy(),
  }
}
