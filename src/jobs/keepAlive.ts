/** Detects that the peer of a socket is gone, which TCP alone does not. */
import type { WebSocket } from 'ws'

/** Closes a socket whose peer has gone silent: no pong within one interval. Returns the function that stops it. */
export function keepAlive(socket: WebSocket, intervalMs: number): () => void {
  let isAnswered = true
  socket.on('pong', () => (isAnswered = true))
  const timer = setInterval(() => {
    if (socket.readyState !== socket.OPEN) return
    if (!isAnswered) return socket.terminate()
    isAnswered = false
    socket.ping()
  }, intervalMs)
  return () => clearInterval(timer)
}
