/** Writes to one WebSocket, and gives up on a reader that accepts nothing for too long. */
import type { WebSocket } from 'ws'

export type SocketWriter = {
  /** Resolves when the message has been passed to the operating system, or when the connection is closed. */
  send(text: string): Promise<void>
  bufferedBytes(): number
}

/** A writer that ends the connection when no message gets through for `timeoutMs`. */
export function openSocketWriter(socket: WebSocket, timeoutMs: number): SocketWriter {
  let waiting = 0
  let deadline: NodeJS.Timeout | undefined
  const progress = (): void => {
    clearTimeout(deadline)
    deadline = waiting > 0 ? setTimeout(() => socket.terminate(), timeoutMs) : undefined
  }
  return {
    send(text) {
      waiting++
      if (waiting === 1) progress()
      return new Promise((resolve) => {
        socket.send(text, () => {
          waiting--
          progress()
          resolve()
        })
      })
    },
    bufferedBytes: () => socket.bufferedAmount,
  }
}
