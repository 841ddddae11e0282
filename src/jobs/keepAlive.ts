/** Noticing that the other side of a socket is gone, which TCP alone does not. */
import type { WebSocket } from 'ws'

/** Ends a socket whose other side has gone silent: no pong within one interval. Returns the function that stops it. */
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
