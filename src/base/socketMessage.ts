/** What the WebSocket library hands over as a message. */
import type { RawData } from 'ws'

/** The bytes of a message, in whichever of its three forms it came. */
export function bytesOfMessage(data: RawData): Buffer {
  if (Buffer.isBuffer(data)) return data
  return Array.isArray(data) ? Buffer.concat(data) : Buffer.from(data)
}
