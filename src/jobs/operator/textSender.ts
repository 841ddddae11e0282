/** Sends the output of a hand-out while it is generated, as fast as the dispatcher reads (D138). */
import { MAX_PIECE, type Dispatch, type Piece } from '../protocol.ts'

export type TextSender = {
  /** Takes the next part of the output. */
  push(text: string): void
  /** Whether pieces are wanted. When they are again, they begin with the output. */
  turn(on: boolean): void
  /** Sends no more: the result has it all. */
  close(): void
}

/** A sender for a hand-out. `send` resolves when the dispatcher has room for more. */
export function createTextSender(
  { jobId, lease, stream }: Pick<Dispatch, 'jobId' | 'lease' | 'stream'>,
  send: (piece: Piece) => Promise<void>,
): TextSender {
  const state = { output: '', at: 0, isOn: stream === true, isClosed: false, isSending: false }

  async function flush(): Promise<void> {
    if (state.isSending) return
    state.isSending = true
    while (state.isOn && !state.isClosed && state.at < state.output.length) {
      const text = nextPiece(state.output, state.at)
      const piece: Piece = { type: 'text', jobId, lease, at: state.at, text }
      state.at += text.length
      await send(piece)
    }
    state.isSending = false
  }

  return {
    push(text) {
      state.output += text
      void flush()
    },
    turn(on) {
      if (on && !state.isOn) state.at = 0
      state.isOn = on
      void flush()
    },
    close() {
      state.isClosed = true
    },
  }
}

/** The next part of a text, without half of a character of two units. */
function nextPiece(text: string, at: number): string {
  const piece = text.slice(at, at + MAX_PIECE)
  const isCut = piece.length === MAX_PIECE && /[\uD800-\uDBFF]$/.test(piece)
  return isCut ? piece.slice(0, -1) : piece
}
