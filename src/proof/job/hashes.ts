/**
 * The hashes in a statement. Each is Keccak-256 over a label ("Assay/prompt/v1" and a zero byte) and the
 * value's bytes, so a hash of one kind never passes for another (domain separation). All results are 0x and 64 digits.
 */
import { bigintToBytes, bigintToFixedBytes, concatBytes, utf8 } from '../../base/bytes.ts'
import { toHex, type Hex } from '../../base/hex.ts'
import { keccak256 } from '../../base/keccak.ts'
import { encodeRlp, type RlpItem } from '../../base/rlp.ts'
import type { VectorClock, JobParams } from './job.ts'

function labelled(label: string, bytes: Uint8Array, version = 1): Hex {
  return toHex(keccak256(concatBytes(utf8(`Assay/${label}/v${version}\0`), bytes)))
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
 * rounded to the nearest. With a parameter of D136 or D137, over the RLP list of [name, value] pairs instead, under a label of its
 * own. Throws RangeError on a negative or non-finite value.
 */
export function paramsHash(params: JobParams): Hex {
  const { temperature, top_p, max_tokens, raw, messages, stop, seed } = params
  if (messages !== undefined || stop !== undefined || seed !== undefined)
    return labelled('params', encodeRlp(namedParams(params)), 2)
  const millionths = (value: number): bigint => BigInt(Math.round(value * 1_000_000))
  const fields = [millionths(temperature), millionths(top_p), BigInt(max_tokens)]
  if (raw === true) fields.push(1n)
  return labelled('params', concatBytes(...fields.map((field) => bigintToFixedBytes(field, 32))))
}

/** The pairs of the parameters that are there, sorted by name; a seed may be negative, so it is its decimal text. */
function namedParams(params: JobParams): readonly RlpItem[] {
  const { temperature, top_p, max_tokens, raw, messages, stop, seed } = params
  const integer = (value: number): Uint8Array => bigintToBytes(BigInt(value))
  const millionths = (value: number): Uint8Array => integer(Math.round(value * 1_000_000))
  const values: Readonly<Record<string, RlpItem | undefined>> = {
    max_tokens: integer(max_tokens),
    messages: messages && Uint8Array.of(1),
    raw: raw && Uint8Array.of(1),
    seed: seed === undefined ? undefined : utf8(String(seed)),
    stop: stop?.map(utf8),
    temperature: millionths(temperature),
    top_p: millionths(top_p),
  }
  return Object.entries(values).flatMap(([name, value]) =>
    value === undefined ? [] : [[utf8(name), value]],
  )
}

/** Over the RLP list of [participant, count] pairs, sorted by participant. */
export function clockHash(clock: VectorClock): Hex {
  const entries = Object.entries(clock).sort(([a], [b]) => (a < b ? -1 : 1))
  return labelled('clock', encodeRlp(entries.map(([id, count]) => [utf8(id), utf8(count)])))
}
