/** Messages as the WebSocket library delivers them. */
import type { RawData } from 'ws'

/** The bytes of a message, whichever of its three forms it has. */
export function bytesOfMessage(data: RawData): Buffer {
  if (Buffer.isBuffer(data)) return data
  return Array.isArray(data) ? Buffer.concat(data) : Buffer.from(data)
}
