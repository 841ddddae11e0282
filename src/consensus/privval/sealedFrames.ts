/**
 * The frames of CometBFT's SecretConnection (p2p/conn/secret_connection.go): ChaCha20-Poly1305 over a length and 1,024 bytes,
 * with a counter as nonce. Every frame has the same size, whatever it carries.
 */
import { createCipheriv, createDecipheriv, hkdfSync } from 'node:crypto'
import { concatBytes } from '../../base/bytes.ts'
import { ChannelError } from './channel.ts'

const LENGTH_BYTES = 4
/** Maximum number of bytes that a frame carries. */
export const MAX_DATA_BYTES = 1024
const FRAME_BYTES = LENGTH_BYTES + MAX_DATA_BYTES
const TAG_BYTES = 16
/** Size of a frame on the wire. */
export const SEALED_BYTES = FRAME_BYTES + TAG_BYTES

const CIPHER = 'chacha20-poly1305'
const KEY_BYTES = 32
const NONCE_BYTES = 12
const INFO = 'TENDERMINT_SECRET_CONNECTION_KEY_AND_CHALLENGE_GEN'

/** The keys of both directions from the shared secret; `isLeast` is whether our ephemeral key sorts before theirs. */
export function deriveKeys(
  secret: Uint8Array,
  isLeast: boolean,
): { readonly receive: Uint8Array; readonly send: Uint8Array } {
  const bytes = new Uint8Array(hkdfSync('sha256', secret, new Uint8Array(0), INFO, 2 * KEY_BYTES))
  const [first, second] = [bytes.slice(0, KEY_BYTES), bytes.slice(KEY_BYTES)]
  return isLeast ? { receive: first, send: second } : { receive: second, send: first }
}

/** Counts in the last eight bytes of a nonce, least significant byte first. */
function createNonce(): () => Uint8Array {
  let counter = 0n
  return () => {
    const nonce = new Uint8Array(NONCE_BYTES)
    new DataView(nonce.buffer).setBigUint64(NONCE_BYTES - 8, counter++, true)
    return nonce
  }
}

/** Returns a function that seals up to 1,024 bytes into the next frame. */
export function createSealer(key: Uint8Array): (data: Uint8Array) => Uint8Array {
  const nextNonce = createNonce()
  return (data) => {
    const frame = new Uint8Array(FRAME_BYTES)
    new DataView(frame.buffer).setUint32(0, data.length, true)
    frame.set(data, LENGTH_BYTES)
    const cipher = createCipheriv(CIPHER, key, nextNonce(), { authTagLength: TAG_BYTES })
    return concatBytes(cipher.update(frame), cipher.final(), cipher.getAuthTag())
  }
}

/** Returns a function that opens the next frame. It throws ChannelError for one that was not sealed with the key. */
export function createOpener(key: Uint8Array): (sealed: Uint8Array) => Uint8Array {
  const nextNonce = createNonce()
  return (sealed) => {
    const cipher = createDecipheriv(CIPHER, key, nextNonce(), { authTagLength: TAG_BYTES })
    cipher.setAuthTag(sealed.subarray(FRAME_BYTES))
    let frame: Uint8Array
    try {
      frame = concatBytes(cipher.update(sealed.subarray(0, FRAME_BYTES)), cipher.final())
    } catch {
      throw new ChannelError('a frame is not sealed with the key of this connection')
    }
    const length = new DataView(frame.buffer, frame.byteOffset).getUint32(0, true)
    if (length > MAX_DATA_BYTES) throw new ChannelError(`a frame claims ${length} bytes`)
    return frame.subarray(LENGTH_BYTES, LENGTH_BYTES + length)
  }
}
