/** Reading a socket by asking for bytes: nothing more is taken from it than a protocol wants next. */
import type { Socket } from 'node:net'

/** The other side closed the connection, or it broke. */
export class ConnectionLostError extends Error {
  override readonly name = 'ConnectionLostError'
}

export type ByteSource = {
  /** The next `size` bytes. One call at a time. Rejects with ConnectionLostError. */
  read(size: number): Promise<Uint8Array>
}

/** The bytes of a socket that nothing else reads. */
export function socketSource(socket: Socket): ByteSource {
  let wake: () => void = () => undefined
  let isOver = false
  const end = () => {
    isOver = true
    wake()
  }
  socket.on('readable', () => wake())
  for (const event of ['end', 'close', 'error'] as const) socket.on(event, end)

  return {
    async read(size) {
      for (;;) {
        const chunk = socket.read(size) as Buffer | null
        if (chunk !== null && chunk.length === size) return chunk
        if (chunk !== null || isOver || socket.destroyed)
          throw new ConnectionLostError('the connection was closed')
        await new Promise<void>((resolve) => (wake = resolve))
      }
    },
  }
}
