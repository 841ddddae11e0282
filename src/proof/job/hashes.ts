/**
 * The hashes in a statement. Each is Keccak-256 over a label ("Assay/prompt/v1" and a zero byte) and the
 * value's bytes, so a hash of one kind never passes for another (domain separation). All results are 0x and 64 digits.
 */
import { bigintToFixedBytes, concatBytes, utf8 } from '../../base/bytes.ts'
import { toHex, type Hex } from '../../base/hex.ts'
import { keccak256 } from '../../base/keccak.ts'
import { encodeRlp } from '../../base/rlp.ts'
import type { VectorClock, JobParams } from './job.ts'

function labelled(label: string, bytes: Uint8Array): Hex {
  return toHex(keccak256(concatBytes(utf8(`Assay/${label}/v1\0`), bytes)))
}

/** Over the UTF-8 bytes of the prompt. */
export function promptHash(prompt: string): Hex {
  return labelled('prompt', utf8(prompt))
}

/** Over the UTF-8 bytes of the generated text. */
export function outputHash(output: string): Hex {
  return labelled('output', utf8(output))
}

/** Over the 81 bytes of the VRF proof. */
export function vrfProofHash(proof: Uint8Array): Hex {
  return labelled('vrf-proof', proof)
}

/**
 * Over temperature, top_p and max_tokens as 32-byte integers, and a 1 if the prompt is run as it is; the first two in millionths,
 * rounded to the nearest.
 * Throws RangeError on a negative or non-finite value.
 */
export function paramsHash({ temperature, top_p, max_tokens, raw }: JobParams): Hex {
  const millionths = (value: number): bigint => BigInt(Math.round(value * 1_000_000))
  const fields = [millionths(temperature), millionths(top_p), BigInt(max_tokens)]
  if (raw === true) fields.push(1n)
  return labelled('params', concatBytes(...fields.map((field) => bigintToFixedBytes(field, 32))))
}

/** Over the RLP list of [participant, count] pairs, sorted by participant. */
export function clockHash(clock: VectorClock): Hex {
  const entries = Object.entries(clock).sort(([a], [b]) => (a < b ? -1 : 1))
  return labelled('clock', encodeRlp(entries.map(([id, count]) => [utf8(id), utf8(count)])))
}
