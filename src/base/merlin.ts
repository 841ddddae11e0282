/**
 * Merlin transcripts (https://merlin.cool) over STROBE-128 (https://strobe.sourceforge.io/specs/): both sides of a handshake
 * absorb what they sent and received, and squeeze the same bytes from it.
 */
import { keccakP } from '@noble/hashes/sha3.js'
import { concatBytes, utf8 } from './bytes.ts'

/** Bytes of the Keccak state that STROBE-128 reads and writes. */
const RATE = 166
const STATE_BYTES = 200

const INBOUND = 1
const ADDITIONAL = 2
const CIPHER = 4
const META = 16
const KEY = 32

const DOMAIN_SEPARATOR = utf8('dom-sep')

export type Transcript = {
  /** Absorbs a message under a label. */
  append(label: string, message: Uint8Array): void
  /** Squeezes `length` bytes that depend on everything absorbed so far. */
  challenge(label: string, length: number): Uint8Array
}

function lengthBytes(length: number): Uint8Array {
  const bytes = new Uint8Array(4)
  new DataView(bytes.buffer).setUint32(0, length, true)
  return bytes
}

/** STROBE-128, as far as Merlin uses it. */
function createStrobe(protocol: Uint8Array) {
  const words = new Uint32Array(STATE_BYTES / 4)
  const state = new Uint8Array(words.buffer)
  let at = 0
  let begin = 0
  state.set(concatBytes(Uint8Array.of(1, RATE + 2, 1, 0, 1, 96), utf8('STROBEv1.0.2')))
  keccakP(words)

  function flip(index: number, by: number): void {
    state[index] = (state[index] ?? 0) ^ by
  }

  function permute(): void {
    flip(at, begin)
    flip(at + 1, 0x04)
    flip(RATE + 1, 0x80)
    keccakP(words)
    at = 0
    begin = 0
  }

  function absorb(data: Uint8Array): void {
    for (const byte of data) {
      flip(at++, byte)
      if (at === RATE) permute()
    }
  }

  function start(flags: number): void {
    const before = begin
    begin = at + 1
    absorb(Uint8Array.of(before, flags))
    if ((flags & (CIPHER | KEY)) !== 0 && at !== 0) permute()
  }

  const strobe = {
    /** One operation over all the parts. */
    meta(...parts: readonly Uint8Array[]): void {
      start(META | ADDITIONAL)
      for (const part of parts) absorb(part)
    },
    additional(data: Uint8Array): void {
      start(ADDITIONAL)
      absorb(data)
    },
    random(length: number): Uint8Array {
      start(INBOUND | ADDITIONAL | CIPHER)
      return Uint8Array.from({ length }, () => {
        const byte = state[at] ?? 0
        state[at++] = 0
        if (at === RATE) permute()
        return byte
      })
    },
  }
  strobe.meta(protocol)
  return strobe
}

/** A new transcript of a protocol. */
export function createTranscript(protocol: string): Transcript {
  const strobe = createStrobe(utf8('Merlin v1.0'))
  function append(label: Uint8Array, message: Uint8Array): void {
    strobe.meta(label, lengthBytes(message.length))
    strobe.additional(message)
  }
  append(DOMAIN_SEPARATOR, utf8(protocol))
  return {
    append: (label, message) => append(utf8(label), message),
    challenge(label, length) {
      strobe.meta(utf8(label), lengthBytes(length))
      return strobe.random(length)
    },
  }
}
