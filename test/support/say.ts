/** Sends arbitrary messages over a WebSocket. */
import type { WebSocket } from 'ws'

/** A message of the protocol, or anything else. */
export type Sent = object | string | Buffer

/** Sends strings and bytes unchanged, and everything else as JSON. */
export function say(socket: WebSocket, messages: readonly Sent[]): void {
  for (const message of messages)
    socket.send(
      typeof message === 'string' || Buffer.isBuffer(message) ? message : JSON.stringify(message),
    )
}
