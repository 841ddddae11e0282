/**
 * Follows the frames of a WebSocket (RFC 6455 section 5.2) in its bytes as they arrive, without keeping them: what a message
 * that has begun takes, before the WebSocket library says anything about it.
 */

const FIN = 0x80
const OPCODE = 0x0f
const FIRST_CONTROL_OPCODE = 0x8
const MASKED = 0x80
const SHORT_LENGTH = 0x7f
const LONGEST_HEADER = 14
/** What the library keeps for a chunk of the network, however few bytes it has. */
const CHUNK_BYTES = 512

/** Counts the bytes of one direction of one connection. */
export class FrameMeter {
  readonly #header = new Uint8Array(LONGEST_HEADER)
  #headerLength = 0
  #payloadLeft = 0
  #isFragmented = false
  #declared = 0
  #held = 0

  /** Memory that the unfinished message takes, in bytes; 0 between messages. */
  get held(): number {
    return this.#held
  }

  /** Size of the unfinished message as far as its frames have announced it, in bytes. */
  get declared(): number {
    return this.#declared
  }

  /** Counts a chunk of the connection, from the first byte after the upgrade on. */
  take(chunk: Uint8Array): void {
    let since = 0
    for (let at = 0; at < chunk.length;) {
      if (this.#payloadLeft > 0) {
        const length = Math.min(this.#payloadLeft, chunk.length - at)
        this.#payloadLeft -= length
        at += length
      } else if (!this.#takeHeader(chunk[at++] as number)) continue
      if (this.#payloadLeft > 0) continue
      this.#headerLength = 0
      if (this.#isFragmented) continue
      this.#held = 0
      this.#declared = 0
      since = at
    }
    if (this.#isFragmented || this.#headerLength > 0)
      this.#held += Math.max(chunk.length - since, CHUNK_BYTES)
  }

  /** Takes a byte of a frame's header. Returns whether the header is complete. */
  #takeHeader(byte: number): boolean {
    const header = this.#header
    header[this.#headerLength++] = byte
    if (this.#headerLength < 2) return false
    const [first = 0, second = 0] = header
    const short = second & SHORT_LENGTH
    const extended = short === 126 ? 2 : short === 127 ? 8 : 0
    if (this.#headerLength < 2 + extended + ((second & MASKED) === 0 ? 0 : 4)) return false
    let length = extended === 0 ? short : 0
    for (let at = 2; at < 2 + extended; at++) length = length * 256 + (header[at] as number)
    this.#payloadLeft = length
    if ((first & OPCODE) < FIRST_CONTROL_OPCODE) {
      this.#declared += length
      this.#isFragmented = (first & FIN) === 0
    }
    return true
  }
}
